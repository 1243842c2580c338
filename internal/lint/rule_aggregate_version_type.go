package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/aggregate-version-type.txtar
var aggregateVersionTypeExample string

var aggregateVersionType = &Rule{rule.Doc{
	ID: "aggregate-version-type", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The aggregate version is not an integer that can grow",
	Why:     "Versions are compared to keep an old state from overwriting a newer one. int32 ends at 2,147,483,647, a float skips numbers from 2^53 on, and text sorts 10 before 9.",
	Fix:     "Use an integer in JSON Schema, int64 or uint64 in Protobuf.",
	Example: aggregateVersionTypeExample,
}, checkAggregateVersionType}

func checkAggregateVersionType(p *Pass) {
	for _, e := range p.declared() {
		f := p.withRole(e, "aggregate.version")
		if f == nil {
			continue
		}
		switch f.field.Type {
		case contract.IntegerType, contract.Int64Type, contract.Uint64Type:
		default:
			p.field(e, f.path(), f.at.Locator.Pos, "%s has %s as its aggregate.version, which is %s: want an integer of 64 bits, or an old state overwrites a newer one some day", subject(e), f.path(), typeWords(f.field))
		}
	}
}
