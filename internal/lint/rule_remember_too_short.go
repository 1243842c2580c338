package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/remember-too-short.txtar
var rememberTooShortExample string

var rememberTooShort = &Rule{rule.Doc{
	ID: "remember-too-short", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A consumer forgets keys before events are gone",
	Why:     "An event that is delivered again, or replayed, after its key was forgotten counts as new: its effect happens a second time.",
	Fix:     "Remember keys at least as long as events are kept (window: {retention: …}).",
	Example: rememberTooShortExample,
}, checkRememberTooShort}

func checkRememberTooShort(p *Pass) {
	kept := p.Set.Workspace.Window.Retention.Value
	for _, c := range p.Set.Consumers {
		if r := c.Remember; r.Value < kept {
			p.consumer(c, r.Pos, "consumer %s remembers keys for %s and events are kept for %s: one that comes again after that has its effect twice", c.Name.Value, r.Value, kept)
		}
	}
}
