package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/waiver-expired.txtar
var waiverExpiredExample string

var waiverExpired = &Rule{rule.Doc{
	ID: "waiver-expired", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A waiver has expired",
	Why:     "It accepts nothing any more. What it accepted is a finding again, or was mended, and then the waiver only misleads. It stays an error until somebody decides, so that no exception becomes the rule by being forgotten.",
	Fix:     "Mend what it waives and remove it, or decide anew and give it another end.",
	Example: waiverExpiredExample,
}, checkWaiverExpired}

func checkWaiverExpired(p *Pass) {
	for i := range p.Set.Workspace.Waivers {
		if w := &p.Set.Workspace.Waivers[i]; over(w.Until.Value, p.Now) {
			p.note(waives(w), []source.Pos{w.Until.Pos, w.Pos}, "the waiver of %s ended on %s: it accepts nothing any more", waives(w), w.Until.Value).about(w.Rule.Value)
		}
	}
}
