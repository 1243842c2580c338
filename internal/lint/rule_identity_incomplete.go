package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/identity-incomplete.txtar
var identityIncompleteExample string

var identityIncomplete = &Rule{rule.Doc{
	ID: "identity-incomplete", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An event does not say what identifies it",
	Why:     "Without event id, aggregate, version, idempotency key, partition key and time a consumer cannot tell a second delivery from a second fact, an old state from a newer one, or which events must stay in order.",
	Fix:     "Add what is missing to identity:, each with the path of the payload's field, header:NAME or ce:ATTRIBUTE.",
	Example: identityIncompleteExample,
}, checkIdentityIncomplete}

func checkIdentityIncomplete(p *Pass) {
	for _, e := range p.declared() {
		if missing := missingRoles(&e.Identity); missing != nil {
			p.event(e, e.Identity.Pos, "%s declares no %s: consumers cannot tell a second delivery from a second fact, or an old state from a new one", subject(e), and(missing))
		}
	}
}

func missingRoles(id *contract.Identity) []string {
	var missing []string
	if id.Aggregate.Type.Value == "" {
		missing = append(missing, "aggregate.type")
	}
	for _, r := range id.Roles() {
		if !r.Set() {
			missing = append(missing, r.Name)
		}
	}
	if len(id.IdempotencyKey) == 0 {
		missing = append(missing, "idempotency_key")
	}
	return missing
}
