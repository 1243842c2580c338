package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/identity-field-unknown.txtar
var identityFieldUnknownExample string

var identityFieldUnknown = &Rule{rule.Doc{
	ID: "identity-field-unknown", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The identity names a field that the schema does not have",
	Why:     "The producer has nothing to fill it from and the consumer nothing to read: no event can be identified, and each one goes to quarantine.",
	Fix:     "Correct the path, add the field to the schema, or write header:NAME or ce:ATTRIBUTE if it travels outside the payload.",
	Example: identityFieldUnknownExample,
}, checkIdentityFieldUnknown}

func checkIdentityFieldUnknown(p *Pass) {
	for _, e := range p.declared() {
		for _, f := range p.identityFields(e) {
			if f.err != nil {
				p.field(e, f.path(), f.at.Locator.Pos, "%s takes its %s from %s, which its schema does not have: %v", subject(e), f.names(), f.path(), f.err)
			}
		}
	}
}
