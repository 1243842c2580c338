package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/required-undeclared.txtar
var requiredUndeclaredExample string

var requiredUndeclared = &Rule{rule.Doc{
	ID: "required-undeclared", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A required property is not declared",
	Why:     "Every event must have it, and nothing says what it is: it is misspelled, or forgotten. Generated code has no field for it, so it can write no valid event.",
	Fix:     "Declare it under properties, or correct its name under required.",
	Example: requiredUndeclaredExample,
}, checkRequiredUndeclared}

func checkRequiredUndeclared(p *Pass) {
	for e, s := range jsonSchemas(p) {
		for _, r := range p.subschemas(s) {
			properties, required := r.Node.Get("properties"), r.Node.Get("required")
			if properties == nil || required == nil {
				continue // it adds to a schema elsewhere, where the property may be
			}
			for _, name := range required.Items {
				if name.Kind != source.String || properties.Get(name.Text) != nil {
					continue
				}
				path, ok := p.pathsOf(s)[s.PosAt(r.File, r.Pointer)]
				if _, err := s.Field(path.Field(name.Text)); ok && err != nil {
					p.schema(e, subject(e)+"/"+path.Field(name.Text).String(), name.Pos, "%q is required and nowhere declared%s", name.Text, orNear(name.Text, properties))
				}
			}
		}
	}
}

// orNear names the property that may be meant.
func orNear(name string, properties *source.Node) string {
	var names []string
	for _, m := range properties.Members {
		names = append(names, m.Key)
	}
	if near := source.Suggest(name, names); near != "" {
		return ": did you mean " + near + "?"
	}
	return ": no generated code can fill it"
}
