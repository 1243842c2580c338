package lint

import (
	_ "embed"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/key-type.txtar
var keyTypeExample string

var keyType = &Rule{rule.Doc{
	ID: "key-type", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A key field has no exact value",
	Why:     "Keys, lanes and partitions are made from the value as text. A fraction has several spellings, an object or a list has no one order, and what has no one type is written now like this, now like that: one fact gets two keys.",
	Fix:     "Use a string, an integer, an enum, bytes or a boolean.",
	Example: keyTypeExample,
}, checkKeyType}

var keyRoles = []string{"aggregate.id", "idempotency_key", "partition_key"}

func checkKeyType(p *Pass) {
	for _, e := range p.declared() {
		for _, f := range p.knownFields(e) {
			isKey := slices.ContainsFunc(keyRoles, f.plays)
			if isKey && !exact(f.field.Type) && !manyValues(f.field.Path) {
				p.field(e, f.path(), f.at.Locator.Pos, "%s takes its %s from %s, which is %s: one fact can get two keys", subject(e), f.names(), f.path(), typeWords(f.field))
			}
		}
	}
}

// exact reports whether equal values of a type are always written alike.
func exact(t contract.Type) bool {
	switch t {
	case contract.AnyType, contract.NullType, contract.NumberType, contract.FloatType, contract.DoubleType,
		contract.ObjectType, contract.ListType, contract.MapType:
		return false
	}
	return true
}
