package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/object-closed.txtar
var objectClosedExample string

var objectClosed = &Rule{rule.Doc{
	ID: "object-closed", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "An object of the contract is closed",
	Why:     "Every event that has one more property is refused by a reader that validates. So no property can ever be added without a new major version.",
	Fix:     "Remove additionalProperties: false or unevaluatedProperties: false. Writers emit only declared fields all the same (writers: closed).",
	Example: objectClosedExample,
}, checkObjectClosed}

func checkObjectClosed(p *Pass) {
	for e, s := range jsonSchemas(p) {
		for _, r := range p.subschemas(s) {
			for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
				if n := r.Node.Get(key); n != nil && n.Kind == source.Bool && n.Text == "false" {
					at := s.PosAt(r.File, r.Pointer+"/"+key)
					p.schema(e, p.pathOf(e, s, r), at, "%s: false closes the object: a reader that validates refuses every event with a new property", key).about(r.Pointer)
				}
			}
		}
	}
}
