package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/event-id-type.txtar
var eventIDTypeExample string

var eventIDType = &Rule{rule.Doc{
	ID: "event-id-type", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The event id is not a string, a UUID or bytes",
	Why:     "An id is compared and kept as it is written. A number that loses digits, or an object whose keys change their order, is another id each time.",
	Fix:     "Use a string, best of format uuid, or bytes.",
	Example: eventIDTypeExample,
}, checkEventIDType}

func checkEventIDType(p *Pass) {
	for _, e := range p.declared() {
		f := p.withRole(e, "event_id")
		if f == nil || f.field.Type == contract.StringType || f.field.Type == contract.BytesType {
			continue
		}
		p.field(e, f.path(), f.at.Locator.Pos, "%s has %s as its event_id, which is %s: want a string, a UUID or bytes, or tables and traces cannot be joined on it", subject(e), f.path(), typeWords(f.field))
	}
}
