package lint

import (
	_ "embed"
	"regexp"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/number-money.txtar
var numberMoneyExample string

var numberMoney = &Rule{rule.Doc{
	ID: "number-money", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "An amount of money is a fraction",
	Why:     "Binary fractions cannot hold most decimal ones: 0.1 + 0.2 is not 0.3. Sums differ between languages by a cent, and reconciliation never ends.",
	Fix:     "Send whole minor units (cents) as an integer with the currency beside it, or a decimal as a string.",
	Example: numberMoneyExample,
}, checkNumberMoney}

var moneyName = regexp.MustCompile(`(?i)(^|[_-])(amount|price|total|subtotal|cost|fee|balance|payment|refund|discount|tax|vat|charge|salary|revenue|income|commission|wage|deposit|payout|fare|premium|money)s?($|[_-](in[_-])?(gross|net|amount|value|total|sum|cents|minor|eur|usd|gbp|chf|jpy)$)`)

func checkNumberMoney(p *Pass) {
	for _, e := range p.Set.Events {
		if s, ok := e.Schema.(*jsonschema.Schema); e.Schema == nil || e.Vendored || ok && !namesMoney(p.subschemas(s)) {
			continue
		}
		for _, f := range e.Schema.Fields() {
			if fraction(f.Type) && moneyName.MatchString(snake(lastName(f.Path))) {
				p.schema(e, subject(e)+"/"+f.Path.String(), f.Pos, "%s looks like money and is a %s: cents get lost", f.Path, f.Type)
			}
		}
	}
}

// namesMoney reports whether a property is called like money. Most schemas have
// none, and to list all their fields costs more than to look.
func namesMoney(inside []jsonschema.Ref) bool {
	for _, r := range inside {
		if properties := r.Node.Get("properties"); properties != nil {
			for _, m := range properties.Members {
				if moneyName.MatchString(snake(m.Key)) {
					return true
				}
			}
		}
	}
	return false
}

func fraction(t contract.Type) bool {
	return t == contract.NumberType || t == contract.FloatType || t == contract.DoubleType
}

// lastName is the name of the last field on a path.
func lastName(path contract.Path) string {
	for _, step := range slices.Backward(path) {
		if step.Kind == contract.FieldStep {
			return step.Name
		}
	}
	return ""
}

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// snake parts the words of a name that is written with humps.
func snake(name string) string { return hump.ReplaceAllString(name, "${1}_$2") }
