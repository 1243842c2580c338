package lint

import (
	_ "embed"
	"math/big"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/count-huge.txtar
var countHugeExample string

var countHuge = &Rule{rule.Doc{
	ID: "count-huge", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A count is larger than validators can hold",
	Why:     "No text and no list is ever that long, so the bound means nothing; but where it overflows, a validator takes it for a small or a negative number and refuses every event.",
	Fix:     "Remove the bound, or write the one that was meant.",
	Example: countHugeExample,
}, checkCountHuge}

// maxCount is the largest integer that every validator holds exactly.
var maxCount = big.NewFloat(1 << 53)

func checkCountHuge(p *Pass) {
	for e, s := range jsonSchemas(p) {
		for _, r := range p.subschemas(s) {
			for _, key := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"} {
				n := r.Node.Get(key)
				if count := number(n); count != nil && count.Cmp(maxCount) > 0 {
					p.schema(e, p.pathOf(e, s, r), n.Pos, "%s %.40s is larger than validators can hold: some refuse every value", key, n.Text).about(r.Pointer, key)
				}
			}
		}
	}
}
