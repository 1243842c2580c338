package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/schema-invalid.txtar
var schemaInvalidExample string

var schemaInvalid = &Rule{rule.Doc{
	ID: "schema-invalid", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A schema is not valid",
	Why:     "The validators of its readers refuse it, and nothing can be said about the events that it describes.",
	Fix:     "Correct it as the message says.",
	Example: schemaInvalidExample,
}, checkSchemaInvalid}

// checkSchemaInvalid is silent where the draft is unknown: a validator may refuse
// the schema for that alone, and a rule of its own has said it.
func checkSchemaInvalid(p *Pass) {
	for e, s := range jsonSchemas(p) {
		if !has(s, jsonschema.DraftUnknown) {
			p.problems(e, s, jsonschema.Invalid)
		}
	}
}
