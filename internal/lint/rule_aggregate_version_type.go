package lint

import (
	_ "embed"
	"math"
	"math/big"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
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
		if !grows(f.field.Type) {
			p.field(e, f.path(), f.at.Locator.Pos, "%s has %s as its aggregate.version, which is %s: want an integer of 64 bits, or an old state overwrites a newer one some day", subject(e), f.path(), typeWords(f.field))
			continue
		}
		if most := p.most(e, f.field.Pos); most != nil && most.Cmp(big.NewFloat(math.MaxInt32)) <= 0 || f.field.Format == "int32" {
			p.field(e, f.path(), f.at.Locator.Pos, "%s has %s as its aggregate.version, which its schema keeps within 32 bits: the version after that is refused", subject(e), f.path())
		}
	}
}

func grows(t contract.Type) bool {
	return t == contract.IntegerType || t == contract.Int64Type || t == contract.Uint64Type
}

// most is the maximum that a JSON Schema sets at a place, nil where there is none.
func (p *Pass) most(e *contract.Event, at source.Pos) *big.Float {
	s, ok := e.Schema.(*jsonschema.Schema)
	if !ok {
		return nil
	}
	for _, r := range p.subschemas(s) {
		if s.PosAt(r.File, r.Pointer) == at {
			return number(r.Node.Get("maximum"))
		}
	}
	return nil
}
