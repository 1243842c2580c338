package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/summary-missing.txtar
var summaryMissingExample string

var summaryMissing = &Rule{rule.Doc{
	ID: "summary-missing", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "An event does not say what happened",
	Why:     "A name like OrderPaid leaves open whether the order was paid in full, or that it may be paid again. Consumers guess, and build on the guess.",
	Fix:     "Add summary: with one sentence that says what happened.",
	Example: summaryMissingExample,
}, checkSummaryMissing}

func checkSummaryMissing(p *Pass) {
	for _, e := range p.declared() {
		if e.Summary.Value == "" {
			p.event(e, e.Summary.Pos, "%s has no summary: consumers must guess what happened", subject(e))
		}
	}
}
