package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// The rules about schemas look at every event, declared or bare. What several
// events share is one offence that hits them all, so a message names no event.

// schema notes that something in the schema of an event is wrong. The path is
// one of the event's, or a file where the place is on no way to a field.
func (p *Pass) schema(e *contract.Event, path string, at source.Pos, format string, args ...any) *offence {
	message, hit := fmt.Sprintf(format, args...), rule.Hit{Event: e.Name.Value.String()}
	key := spot{at, message}
	if o := p.shared[key]; o != nil {
		if !slices.Contains(o.Hits, hit) {
			o.Hits = append(o.Hits, hit)
		}
		return &offence{} // what is added to it has been said
	}
	if p.shared == nil {
		p.shared = map[spot]*offence{}
	}
	o := p.note(path, []source.Pos{at, e.Pos}, "%s", message)
	o.Hits = []rule.Hit{hit}
	p.shared[key] = o
	return o
}

// spot tells one offence of a schema from another.
type spot struct {
	at      source.Pos
	message string
}

// problems makes the check of a rule whose work the reader of JSON Schemas has
// done: everything that it calls by this kind.
func problems(kind string) func(*Pass) {
	return func(p *Pass) {
		for e, s := range jsonSchemas(p) {
			p.problems(e, s, kind)
		}
	}
}

// problems notes what the reader of a JSON Schema calls by one kind.
func (p *Pass) problems(e *contract.Event, s *jsonschema.Schema, kind string) {
	for _, problem := range s.Problems() {
		if problem.Kind == kind {
			p.schema(e, problem.Pos.File, problem.Pos, "%s", problem.Message).about(problem.Message).fix("%s", sentence(problem.Fix))
		}
	}
}

// has reports whether a schema has a problem of a kind.
func has(s *jsonschema.Schema, kind string) bool {
	return slices.ContainsFunc(s.Problems(), func(problem jsonschema.Problem) bool { return problem.Kind == kind })
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + strings.TrimSuffix(s[size:], ".") + "."
}

// jsonSchemas gives every event that has a JSON Schema.
func jsonSchemas(p *Pass) func(yield func(*contract.Event, *jsonschema.Schema) bool) {
	return func(yield func(*contract.Event, *jsonschema.Schema) bool) {
		for _, e := range p.Set.Events {
			if s, ok := e.Schema.(*jsonschema.Schema); ok && !e.Vendored && !yield(e, s) {
				return
			}
		}
	}
}

// protobufs gives every event that has a Protobuf message.
func protobufs(p *Pass) func(yield func(*contract.Event, *protobuf.Schema) bool) {
	return func(yield func(*contract.Event, *protobuf.Schema) bool) {
		for _, e := range p.Set.Events {
			if s, ok := e.Schema.(*protobuf.Schema); ok && !e.Vendored && !yield(e, s) {
				return
			}
		}
	}
}
