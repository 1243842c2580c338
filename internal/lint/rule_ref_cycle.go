package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/ref-cycle.txtar
var refCycleExample string

var refCycle = &Rule{rule.Doc{
	ID: "ref-cycle", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A reference comes back to itself",
	Why:     "A validator that follows it never ends, or refuses the schema.",
	Fix:     "Let the way round pass through a property or an element.",
	Example: refCycleExample,
}, problems(jsonschema.RefCycle)}
