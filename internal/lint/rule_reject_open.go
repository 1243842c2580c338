package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/reject-open.txtar
var rejectOpenExample string

var rejectOpen = &Rule{rule.Doc{
	ID: "reject-open", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A consumer rejects unknown fields of a schema that allows them",
	Why:     "unknown_fields: reject says that the consumer validates against the schema as it stands. Where the schema closes no object, nothing is rejected, and what the consumer counts on does not happen.",
	Fix:     "Remove unknown_fields: reject, or close the objects in the schema.",
	Example: rejectOpenExample,
}, checkRejectOpen}

func checkRejectOpen(p *Pass) {
	for _, c := range p.Set.Consumers {
		for i := range c.Reads {
			r := &c.Reads[i]
			e := p.Set.Event(r.Event.Value)
			if r.UnknownFields.Value != contract.Reject || e == nil {
				continue
			}
			if s, ok := e.Schema.(*jsonschema.Schema); ok && !closesAny(p.subschemas(s)) {
				p.reading(c, r, "", r.UnknownFields.Pos, "unknown_fields: reject changes nothing: the schema of %s closes no object, so no field is unknown to it", r.Event.Value)
			}
		}
	}
}

// closesAny reports whether one of the subschemas limits the keys of an object.
func closesAny(list []jsonschema.Ref) bool {
	for _, r := range list {
		for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
			if n := r.Node.Get(key); n != nil && n.Kind == source.Bool && n.Text == "false" {
				return true
			}
		}
		if r.Node.Get("propertyNames") != nil || r.Node.Get("maxProperties") != nil {
			return true
		}
	}
	return false
}
