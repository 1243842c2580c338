package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/field-unknown.txtar
var fieldUnknownExample string

var fieldUnknown = &Rule{rule.Doc{
	ID: "field-unknown", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A consumer reads a field that the event does not have",
	Why:     "The field never arrives. And because the consumer's declaration is what checks protect, the field that it really reads is not protected.",
	Fix:     "Correct the path, or remove it.",
	Example: fieldUnknownExample,
}, checkFieldUnknown}

func checkFieldUnknown(p *Pass) {
	for _, c := range p.Set.Consumers {
		for i := range c.Reads {
			r := &c.Reads[i]
			e := p.Set.Event(r.Event.Value)
			if e == nil || e.Schema == nil || holed(e) {
				continue
			}
			for _, f := range r.Fields {
				if _, err := e.Schema.Field(f.Value); err != nil && len(f.Value) > 0 {
					p.reading(c, r, f.Value.String(), f.Pos, "consumer %s reads %s of %s, which its schema does not have: %v", c.Name.Value, f.Value, r.Event.Value, err)
				}
			}
		}
	}
}
