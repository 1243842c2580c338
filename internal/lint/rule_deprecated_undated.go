package lint

import (
	_ "embed"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/deprecated-undated.txtar
var deprecatedUndatedExample string

var deprecatedUndated = &Rule{rule.Doc{
	ID: "deprecated-undated", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A deprecated event does not say until when it is sent",
	Why:     "Consumers plan by the date. Without one they do not move, and the old event is sent for ever.",
	Fix:     "Write deprecated: {since: 2026-11-01, sunset: 2027-03-01, successor: NAME} together with status: deprecated.",
	Example: deprecatedUndatedExample,
}, checkDeprecatedUndated}

func checkDeprecatedUndated(p *Pass) {
	for _, e := range p.declared() {
		d := e.Deprecated
		switch {
		case d == nil && e.Status.Value == contract.Deprecated:
			p.event(e, e.Status.Pos, "%s is deprecated and does not say until when it is sent: its consumers will not move", subject(e))
		case d == nil:
		case e.Status.Value != contract.Deprecated && e.Status.Value != contract.Retired:
			p.event(e, d.Pos, "%s says when it ends, but its status is %s: nobody is told", subject(e), orWord(e.Status.Value, "not set"))
		case d.Since.Pos.IsZero() || d.Sunset.Pos.IsZero():
			p.event(e, d.Pos, "%s is deprecated and lacks its since or its sunset: its consumers cannot plan", subject(e))
		case time.Time(d.Sunset.Value).Before(time.Time(d.Since.Value)) && !time.Time(d.Sunset.Value).IsZero():
			p.event(e, d.Sunset.Pos, "%s ends on %s, before it is deprecated on %s: one of the two is wrong", subject(e), d.Sunset.Value, d.Since.Value)
		}
	}
}

func orWord(s contract.Status, word string) string {
	if s == "" {
		return word
	}
	return string(s)
}
