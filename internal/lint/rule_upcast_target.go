package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/upcast-target.txtar
var upcastTargetExample string

var upcastTarget = &Rule{rule.Doc{
	ID: "upcast-target", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An event is turned into one that the consumer does not read",
	Why:     "upcast hands the events of an older major version to the handler of a later one. Without a reading of that one there is no handler, and another event says another thing.",
	Fix:     "Name a later major version of the same event, and read it in the same manifest.",
	Example: upcastTargetExample,
}, checkUpcastTarget}

func checkUpcastTarget(p *Pass) {
	for _, c := range p.Set.Consumers {
		for i := range c.Reads {
			r := &c.Reads[i]
			if why := c.UpcastFault(r); why != "" {
				p.reading(c, r, "", r.Upcast.Pos, "consumer %s turns %s into %s: %s", c.Name.Value, r.Event.Value, r.Upcast.Value, why)
			}
		}
	}
}
