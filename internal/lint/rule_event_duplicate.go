package lint

import (
	_ "embed"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/event-duplicate.txtar
var eventDuplicateExample string

var eventDuplicate = &Rule{rule.Doc{
	ID: "event-duplicate", Kind: rule.Lint, Severity: rule.Error,
	Title:   "Two manifests declare one event",
	Why:     "Producers, consumers and checks pair events by name. With two declarations of one name each of them may take the other one, and generated files overwrite each other.",
	Fix:     "Keep one of them, or give the other its own name.",
	Example: eventDuplicateExample,
}, checkEventDuplicate}

func checkEventDuplicate(p *Pass) {
	exact, folded := map[string]*contract.Event{}, map[string]*contract.Event{}
	for _, e := range p.Set.Events { // a copy of another repository's is a twin as well
		name := e.Name.Value.String()
		if name == "" || e.Synthetic {
			continue
		}
		twin, near := exact[name], folded[strings.ToLower(name)]
		switch {
		case twin != nil:
			p.event(e, e.Name.Pos, "%s is declared here and at %s: which of them counts is left to chance", name, twin.Name.Pos)
		case near != nil:
			p.event(e, e.Name.Pos, "%s differs from %s at %s only in its case: their generated files overwrite each other where case doesn't count", name, near.Name.Value, near.Name.Pos)
		}
		exact[name], folded[strings.ToLower(name)] = e, e
	}
}
