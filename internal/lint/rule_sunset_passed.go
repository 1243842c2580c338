package lint

import (
	_ "embed"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/sunset-passed.txtar
var sunsetPassedExample string

var sunsetPassed = &Rule{rule.Doc{
	ID: "sunset-passed", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The sunset of a deprecated event has passed",
	Why:     "Consumers were told that it would be gone by now. Those that still read it stop without warning when somebody keeps the promise.",
	Fix:     "Move the consumers that still read it and write status: retired; or extend the sunset and tell them.",
	Example: sunsetPassedExample,
}, checkSunsetPassed}

func checkSunsetPassed(p *Pass) {
	for _, e := range p.declared() {
		d := e.Deprecated
		if d == nil || e.Status.Value == contract.Retired || !over(d.Sunset.Value, p.Now) {
			continue
		}
		p.event(e, d.Sunset.Pos, "%s was to end on %s and is still sent%s", subject(e), d.Sunset.Value, readBy(p.Set.Readers(e.Name.Value)))
	}
}

// over reports whether a day has ended.
func over(day contract.Day, now time.Time) bool {
	t := time.Time(day)
	return !t.IsZero() && !now.Before(t.AddDate(0, 0, 1))
}

func readBy(readers []*contract.Consumer) string {
	if len(readers) == 0 {
		return ": nobody declares that they read it"
	}
	names := make([]string, len(readers))
	for i, c := range readers {
		names[i] = c.Name.Value
	}
	return ", and read by " + and(names)
}
