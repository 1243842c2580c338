package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/schema-undeclared.txtar
var schemaUndeclaredExample string

var schemaUndeclared = &Rule{rule.Doc{
	ID: "schema-undeclared", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An event names no schema",
	Why:     "Without a schema nothing is known of the payload: no field of the identity can be found, no change can be judged and no code generated.",
	Fix:     "Add schema: with a JSON Schema's file, or a .proto file, # and the message.",
	Example: schemaUndeclaredExample,
}, checkSchemaUndeclared}

func checkSchemaUndeclared(p *Pass) {
	for _, e := range p.declared() {
		if e.SchemaRef.Value == "" {
			p.event(e, e.SchemaRef.Pos, "%s names no schema: nothing is known of its payload", subject(e))
		}
	}
}
