package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/pii-in-key.txtar
var piiInKeyExample string

var piiInKey = &Rule{rule.Doc{
	ID: "pii-in-key", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "Personal data is part of the identity",
	Why:     "Aggregate id and partition key travel as headers and record keys and stand in tables and logs, where nothing is masked and where an erasure request does not reach.",
	Fix:     "Use an id that says nothing of the person.",
	Example: piiInKeyExample,
}, checkPIIInKey}

func checkPIIInKey(p *Pass) {
	for _, e := range p.declared() {
		for _, r := range e.Identity.Roles() {
			if inPayload(r) && r.Name != "idempotency_key" && personal(e, r.Locator.Value.Path) { // the key is a hash
				p.field(e, r.Locator.Value.String(), r.Locator.Pos, "%s takes its %s from %s, which is personal data: it is copied in clear to record keys, tables and logs", subject(e), r.Name, r.Locator.Value).about(r.Name)
			}
		}
	}
}

func personal(e *contract.Event, path contract.Path) bool {
	for _, pii := range e.PII {
		if len(pii.Value) > 0 && path.HasPrefix(pii.Value) {
			return true
		}
	}
	return false
}
