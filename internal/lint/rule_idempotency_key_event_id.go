package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/idempotency-key-event-id.txtar
var idempotencyKeyEventIDExample string

var idempotencyKeyEventID = &Rule{rule.Doc{
	ID: "idempotency-key-event-id", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The idempotency key contains the event id",
	Why:     "The event id names one message, not one fact: an order that is published again, or by another producer, or as v2, has another id. Deduplication by it only catches what the broker repeats.",
	Fix:     "Name what identifies the business fact, such as a payment id; leave the event id out.",
	Example: idempotencyKeyEventIDExample,
}, checkIdempotencyKeyEventID}

func checkIdempotencyKeyEventID(p *Pass) {
	for _, e := range p.declared() {
		for _, key := range e.Identity.IdempotencyKey {
			if same(key.Value, e.Identity.EventID.Value) || key.Value.String() == "ce:id" {
				p.field(e, key.Value.String(), key.Pos, "%s has the event id, %s, in its idempotency_key: a fact that is published again gets another key, and its effect happens twice", subject(e), key.Value)
			}
		}
	}
}
