package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/pii-unknown.txtar
var piiUnknownExample string

var piiUnknown = &Rule{rule.Doc{
	ID: "pii-unknown", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A PII path names no field",
	Why:     "The field that holds personal data has another name, and is not masked, not erased and not shown as personal.",
	Fix:     "Correct the path, or remove it if the field is gone.",
	Example: piiUnknownExample,
}, checkPIIUnknown}

func checkPIIUnknown(p *Pass) {
	for _, e := range p.declared() {
		for _, pii := range e.PII {
			if e.Schema == nil || len(pii.Value) == 0 || holed(e) {
				continue
			}
			if _, err := e.Schema.Field(pii.Value); err != nil {
				p.field(e, pii.Value.String(), pii.Pos, "%s marks %s as personal data, which its schema does not have, so that what it means is not protected: %v", subject(e), pii.Value, err)
			}
		}
	}
}
