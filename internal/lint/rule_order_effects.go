package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/order-effects.txtar
var orderEffectsExample string

var orderEffects = &Rule{rule.Doc{
	ID: "order-effects", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A consumer skips old events and calls third parties",
	Why:     "order: latest skips an event that comes after a newer one. Its state is not needed any more, but its effect, a mail or a payment, then never happens.",
	Fix:     "Write order: any, and let the handler compare versions where it replaces state; or move the effects to a consumer of their own.",
	Example: orderEffectsExample,
}, checkOrderEffects}

func checkOrderEffects(p *Pass) {
	for _, c := range p.Set.Consumers {
		for i := range c.Reads {
			if r := &c.Reads[i]; r.Order.Value == contract.Latest && len(c.Effects) > 0 {
				p.reading(c, r, "", r.Order.Pos, "consumer %s skips a %s event that comes after a newer one, and its effect on %s never happens", c.Name.Value, r.Event.Value, c.Effects[0].Value)
			}
		}
	}
}
