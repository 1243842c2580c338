package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/event-deprecated.txtar
var eventDeprecatedExample string

var eventDeprecated = &Rule{rule.Doc{
	ID: "event-deprecated", Kind: rule.Lint, Severity: rule.Info,
	Title:   "A consumer reads an event that is deprecated",
	Why:     "The event ends at its sunset. A consumer that has not moved by then stops receiving.",
	Fix:     "Read the successor before the sunset.",
	Example: eventDeprecatedExample,
}, checkEventDeprecated}

func checkEventDeprecated(p *Pass) {
	for _, c := range p.Set.Consumers {
		for i := range c.Reads {
			r := &c.Reads[i]
			e := p.Set.Event(r.Event.Value)
			if e == nil || e.Status.Value != contract.Deprecated {
				continue
			}
			p.reading(c, r, "", r.Event.Pos, "consumer %s reads %s, which is deprecated and ends %s: it should read %s", c.Name.Value, r.Event.Value, endOf(e), successor(e))
		}
	}
}

// endOf says when a deprecated event ends.
func endOf(e *contract.Event) string {
	if e.Deprecated == nil || e.Deprecated.Sunset.Pos.IsZero() {
		return "some day"
	}
	return "on " + e.Deprecated.Sunset.Value.String()
}

// successor names what a consumer should read instead.
func successor(e *contract.Event) string {
	if e.Deprecated == nil || e.Deprecated.Successor.Value.Base == "" {
		return "something else"
	}
	return e.Deprecated.Successor.Value.String()
}
