package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/event-retired.txtar
var eventRetiredExample string

var eventRetired = &Rule{rule.Doc{
	ID: "event-retired", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A consumer reads an event that is retired",
	Why:     "A retired event is no longer sent and may be removed. The consumer waits in vain, and its next build fails.",
	Fix:     "Read the successor, or remove the entry.",
	Example: eventRetiredExample,
}, checkEventRetired}

func checkEventRetired(p *Pass) {
	for _, c := range p.Set.Consumers {
		for i := range c.Reads {
			r := &c.Reads[i]
			if e := p.Set.Event(r.Event.Value); e != nil && e.Status.Value == contract.Retired {
				p.reading(c, r, "", r.Event.Pos, "consumer %s reads %s, which is retired: it waits in vain, and should read %s", c.Name.Value, r.Event.Value, successor(e))
			}
		}
	}
}
