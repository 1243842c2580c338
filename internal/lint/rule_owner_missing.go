package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/owner-missing.txtar
var ownerMissingExample string

var ownerMissing = &Rule{rule.Doc{
	ID: "owner-missing", Kind: rule.Lint, Severity: rule.Error,
	Title:   "Nobody owns an event or a consumer",
	Why:     "When a change breaks someone, or an event waits in quarantine, nobody is asked and nobody answers.",
	Fix:     "Add owner: with the name of a team.",
	Example: ownerMissingExample,
}, checkOwnerMissing}

func checkOwnerMissing(p *Pass) {
	for _, e := range p.declared() {
		if e.Owner.Value == "" {
			p.event(e, e.Owner.Pos, "%s has no owner: nobody answers for its changes", subject(e))
		}
	}
	for _, c := range p.Set.Consumers {
		if c.Owner.Value == "" {
			p.consumer(c, c.Owner.Pos, "consumer %s has no owner: nobody empties its quarantine", c.Name.Value)
		}
	}
}
