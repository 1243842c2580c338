package lint

import (
	_ "embed"
	"path"
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/schema-unused.txtar
var schemaUnusedExample string

var schemaUnused = &Rule{rule.Doc{
	ID: "schema-unused", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "No contract names a schema",
	Why:     "It is not checked against what is deployed and no code is generated from it. Whoever edits it believes otherwise.",
	Fix:     "Name it in an event's manifest, refer to it from a schema that is named, or remove it.",
	Example: schemaUnusedExample,
}, checkSchemaUnused}

func checkSchemaUnused(p *Pass) {
	if p.Set.Bare {
		return
	}
	used := map[string]bool{}
	for _, e := range p.Set.Events {
		file, _, _ := strings.Cut(e.SchemaRef.Value, "#")
		used[path.Join(path.Dir(e.Pos.File), file)] = true
		if e.Schema == nil {
			continue
		}
		for _, file := range e.Schema.Files() {
			used[file] = true
		}
	}
	for _, file := range p.Set.Schemas {
		if !used[file] {
			p.note(file, []source.Pos{{File: file, Line: 1, Column: 1}}, "no contract names %s: it is neither checked nor generated from", file)
		}
	}
}
