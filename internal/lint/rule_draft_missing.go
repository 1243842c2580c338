package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/draft-missing.txtar
var draftMissingExample string

var draftMissing = &Rule{rule.Doc{
	ID: "draft-missing", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A schema does not say which draft it is written in",
	Why:     "Validators guess, and guess differently: items, dependencies and $ref mean other things from draft to draft.",
	Fix:     "Write \"$schema\": \"https://json-schema.org/draft/2020-12/schema\" first, or the draft that is meant.",
	Example: draftMissingExample,
}, problems(jsonschema.SchemaMissing)}
