package compat

import (
	"fmt"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// maxBreaks is how many places of one event are shown.
const maxBreaks = 100

// askProtobuf decides a read of two Protobuf messages. It walks pairs of
// descriptors, structure against structure, from the roots (protobufwalk.go) and
// asks of each pair of fields what decoding shows (protobufbinary.go,
// protobufjson.go). Whatever it claims is replayed: the smallest message along
// the path is encoded by the writer's descriptor and decoded by the reader's
// (protobufreplay.go). A claim that doesn't replay is never passed off as holds:
// the answer is unknown, or says beside what refutes it that something is open.
func askProtobuf(q Question, known *walked) Result {
	reader, ok := q.Reader.Schema.(*protobuf.Schema)
	writer, ok2 := q.Writer.Schema.(*protobuf.Schema)
	if !ok || !ok2 {
		return Result{Answer: rule.Unknown, Reason: "one of the two schemas is not Protobuf"}
	}
	return walk(q, reader, writer, known).result()
}

// walk finds what there is to claim of a read.
func walk(q Question, reader, writer *protobuf.Schema, known *walked) *protoWalk {
	w := &protoWalk{
		as: q.As, reader: reader, writer: writer, wire: wireOf(q.As.Encoding),
		seen: map[protoPair]bool{}, said: map[string]bool{}, renamed: renames(q), between: q.Between,
	}
	if known != nil {
		known.mu.Lock()
		defer known.mu.Unlock()
		w.guide = known.guideOf(w)
	}
	w.run()
	return w
}

// wire is the encoding as the walk asks for it.
type wire uint8

const (
	binaryWire wire = iota
	jsonWire
)

func wireOf(e contract.Encoding) wire {
	if e == contract.JSON {
		return jsonWire
	}
	return binaryWire
}

// result replays every claim and sums up.
func (w *protoWalk) result() Result {
	r := Result{Answer: rule.Holds}
	open, hidden := w.undecided, []string(nil)
	for _, c := range w.claims {
		if problem := w.prove(c); problem != "" {
			if c.hidden {
				hidden = append(hidden, problem)
			} else {
				open = append(open, problem)
			}
			continue
		}
		if c.Severity == rule.Error {
			r.Answer = rule.Refuted
		}
		if len(r.Breaks) == maxBreaks {
			r.More++
			continue
		}
		w.locate(c)
		r.Breaks = append(r.Breaks, c.Break)
	}
	if r.Answer == rule.Refuted {
		r.Open = strings.Join(open, "; ")
	} else if open = append(open, hidden...); len(open) > 0 {
		r.Answer, r.Reason = rule.Unknown, strings.Join(open, "; ")
	}
	return r
}

// locate finds the two places of a claim, now that it is going to be shown.
func (w *protoWalk) locate(c *claim) {
	if c.readerAt != nil {
		c.Reader = w.reader.PosOf(c.readerAt)
		c.About = append(c.About, protobuf.Digest(c.readerAt))
	}
	if c.writerAt != nil {
		c.Writer = w.writer.PosOf(c.writerAt)
		c.About = append(c.About, protobuf.Digest(c.writerAt))
	}
}

// prove replays a claim and gives it its witness. It says what is wrong with
// one that does not replay.
func (w *protoWalk) prove(c *claim) string {
	if c.probe == nil {
		return ""
	}
	witness, problem := w.replay(c)
	if problem != "" {
		return fmt.Sprintf("%s was expected at %s, but reading an event that should show it did not (%s)", c.Rule, c.Path, problem)
	}
	c.Witness = witness
	return ""
}

// renames are what the manifests say of renamed fields, both ways.
func renames(q Question) map[[2]string]bool {
	m := map[[2]string]bool{}
	for to, from := range q.Writer.Renamed {
		m[[2]string{from.Value.String(), to}] = true // reader's, writer's
	}
	for to, from := range q.Reader.Renamed {
		m[[2]string{to, from.Value.String()}] = true
	}
	return m
}
