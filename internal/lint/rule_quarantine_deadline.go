package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/quarantine-deadline.txtar
var quarantineDeadlineExample string

var quarantineDeadline = &Rule{rule.Doc{
	ID: "quarantine-deadline", Kind: rule.Lint, Severity: rule.Error,
	Title:   "Events in quarantine have no deadline",
	Why:     "Quarantine without a deadline is a dead-letter queue that nobody empties: the facts in it are lost without anyone having decided so.",
	Fix:     "Write quarantine: {resolve_within: 24h}, for the consumer or in the workspace's defaults.",
	Example: quarantineDeadlineExample,
}, checkQuarantineDeadline}

func checkQuarantineDeadline(p *Pass) {
	for _, c := range p.Set.Consumers {
		if within := c.Quarantine.ResolveWithin; within.Value <= 0 {
			p.consumer(c, within.Pos, "consumer %s gives no time in which its quarantine must be resolved: its events stay there for ever", c.Name.Value)
		}
	}
}
