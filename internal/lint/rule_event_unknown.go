package lint

import (
	_ "embed"
	"fmt"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/event-unknown.txtar
var eventUnknownExample string

var eventUnknown = &Rule{rule.Doc{
	ID: "event-unknown", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A manifest names an event that nobody declares",
	Why:     "The consumer waits for events that are never published under that name and version, and no check protects it.",
	Fix:     "Correct the name and the version. If the event lives in another repository, copy its contract here with evcontract vendor.",
	Example: eventUnknownExample,
}, checkEventUnknown}

func checkEventUnknown(p *Pass) {
	for _, c := range p.Set.Consumers {
		for i := range c.Reads {
			if r := &c.Reads[i]; p.unknown(r.Event.Value) {
				p.reading(c, r, "", r.Event.Pos, "consumer %s reads %s, which nobody declares%s", c.Name.Value, r.Event.Value, p.insteadOf(r.Event.Value))
			}
		}
	}
	for _, e := range p.declared() {
		if d := e.Deprecated; d != nil && p.unknown(d.Successor.Value) {
			p.event(e, d.Successor.Pos, "%s names %s as its successor, which nobody declares%s", subject(e), d.Successor.Value, p.insteadOf(d.Successor.Value))
		}
	}
}

// unknown reports whether a name that could be read is nobody's.
func (p *Pass) unknown(name contract.Name) bool { return name.Base != "" && p.Set.Event(name) == nil }

// insteadOf says what there is instead of an event.
func (p *Pass) insteadOf(name contract.Name) string {
	var versions, names []string
	for _, e := range p.declared() {
		names = append(names, e.Name.Value.String())
		if e.Name.Value.Base == name.Base {
			versions = append(versions, e.Name.Value.String())
		}
	}
	if len(versions) > 0 {
		return ": there is " + and(versions)
	}
	if near := source.Suggest(name.String(), names); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	return ": it will never come"
}
