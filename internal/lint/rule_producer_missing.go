package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/producer-missing.txtar
var producerMissingExample string

var producerMissing = &Rule{rule.Doc{
	ID: "producer-missing", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An event does not say which service emits it",
	Why:     "The producer is the event's CloudEvents source and its name in an environment. Without it a rollout cannot tell whose release changes the event.",
	Fix:     "Add producer: with the name of the service that emits it.",
	Example: producerMissingExample,
}, checkProducerMissing}

func checkProducerMissing(p *Pass) {
	for _, e := range p.declared() {
		if e.Producer.Value == "" {
			p.event(e, e.Producer.Pos, "%s has no producer: nobody knows whose release changes it", subject(e))
		}
	}
}
