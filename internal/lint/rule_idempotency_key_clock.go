package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/idempotency-key-clock.txtar
var idempotencyKeyClockExample string

var idempotencyKeyClock = &Rule{rule.Doc{
	ID: "idempotency-key-clock", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The idempotency key contains the clock",
	Why:     "A producer that retries after a lost answer takes the time again and gets another key: one payment becomes two facts, and their effect happens twice.",
	Fix:     "Name what identifies the business fact, such as a payment id.",
	Example: idempotencyKeyClockExample,
}, checkIdempotencyKeyClock}

func checkIdempotencyKeyClock(p *Pass) {
	for _, e := range p.declared() {
		for _, key := range e.Identity.IdempotencyKey {
			if isClock(e, key.Value) {
				p.field(e, key.Value.String(), key.Pos, "%s has the clock, %s, in its idempotency_key: a retry makes another key, and the effect happens twice", subject(e), key.Value)
			}
		}
	}
}

// isClock reports whether a value is a point in time.
func isClock(e *contract.Event, l contract.Locator) bool {
	if same(l, e.Identity.OccurredAt.Value) || l.String() == "ce:time" {
		return true
	}
	if e.Schema == nil || l.Carrier != contract.InPayload || len(l.Path) == 0 {
		return false
	}
	f, err := e.Schema.Field(l.Path)
	return err == nil && f.Type == contract.TimestampType
}
