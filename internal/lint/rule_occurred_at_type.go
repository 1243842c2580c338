package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/occurred-at-type.txtar
var occurredAtTypeExample string

var occurredAtType = &Rule{rule.Doc{
	ID: "occurred-at-type", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The time of the event is not a timestamp",
	Why:     "Nobody can tell whether a number counts seconds or milliseconds, or in which zone a text is. Latency, retention and replay by time are computed from it.",
	Fix:     "Use a string of format date-time, or google.protobuf.Timestamp.",
	Example: occurredAtTypeExample,
}, checkOccurredAtType}

func checkOccurredAtType(p *Pass) {
	for _, e := range p.declared() {
		f := p.withRole(e, "occurred_at")
		if f == nil || f.field.Type == contract.TimestampType {
			continue
		}
		p.field(e, f.path(), f.at.Locator.Pos, "%s has %s as its occurred_at, which is %s and no timestamp: readers must guess unit and zone", subject(e), f.path(), typeWords(f.field))
	}
}
