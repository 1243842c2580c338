package compat

import (
	"fmt"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// Read asks whether the reader can read every payload that the writer may emit.
func Read(q Question) Result { return read(q, nil) }

// read may use what other reads found out.
func read(q Question, known *walked) Result {
	reader, writer := q.Reader.Schema, q.Writer.Schema
	switch {
	case reader == nil:
		return unknown("the reader's schema could not be read")
	case writer == nil:
		return unknown("the writer's schema could not be read")
	case reader.Format() != writer.Format():
		r := unknown(fmt.Sprintf("the reader's schema is %s and the writer's is %s: two formats are not compared", reader.Format(), writer.Format()))
		r.Fix = "Keep the format of the schema, or publish the event in the new one as a new major version beside the old."
		return r
	case reader.Format() == contract.ProtobufFormat:
		return askProtobuf(q, known)
	}
	return readJSONSchema(q)
}

func unknown(reason string) Result { return Result{Answer: rule.Unknown, Reason: reason} }
