package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/reads-nothing.txtar
var readsNothingExample string

var readsNothing = &Rule{rule.Doc{
	ID: "reads-nothing", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A consumer reads no event",
	Why:     "Nothing is checked for it and nothing is generated: what it really reads can be broken by anyone.",
	Fix:     "List what it reads under reads:, or remove the manifest.",
	Example: readsNothingExample,
}, checkReadsNothing}

func checkReadsNothing(p *Pass) {
	for _, c := range p.Set.Consumers {
		if len(c.Reads) == 0 {
			p.consumer(c, c.Name.Pos, "consumer %s reads no event: what it really reads is not protected", c.Name.Value)
		}
	}
}
