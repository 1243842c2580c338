package compat

import (
	"fmt"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

// readJSONSchema asks the containment engine whether every event of the writer's
// schema is one of the reader's.
func readJSONSchema(q Question) Result {
	reader, ok := q.Reader.Schema.(*jsonschema.Schema)
	writer, ok2 := q.Writer.Schema.(*jsonschema.Schema)
	if !ok || !ok2 {
		return jsonUndecided("one of the two schemas is no JSON Schema")
	}
	for side, s := range map[string]*jsonschema.Schema{"reader": reader, "writer": writer} {
		if hole, is := s.Hole(); is {
			return jsonUndecided(fmt.Sprintf("the %s's schema cannot be used as a whole: %s: %s", side, hole.Pos, hole.Message))
		}
	}
	if reader.Digest() == writer.Digest() {
		return Result{Answer: rule.Holds}
	}
	return jsonUndecided("the two schemas differ")
}

func jsonUndecided(reason string) Result { return Result{Answer: rule.Unknown, Reason: reason} }

var _ = contract.Ignore
