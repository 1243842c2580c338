package lint

import (
	_ "embed"
	"maps"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/renamed-unknown.txtar
var renamedUnknownExample string

var renamedUnknown = &Rule{rule.Doc{
	ID: "renamed-unknown", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A renaming does not fit the schema",
	Why:     "renamed: tells a check that a field is the old one under a new name. If the new name does not exist, or the old one still does, the check pairs the wrong fields and lets a break pass.",
	Fix:     "Write new: old, with the new name as the schema has it; remove the entry once no old revision is read any more.",
	Example: renamedUnknownExample,
}, checkRenamedUnknown}

func checkRenamedUnknown(p *Pass) {
	for _, e := range p.declared() {
		if e.Schema == nil || holed(e) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(e.Renamed)) {
			old := e.Renamed[name]
			if path, err := contract.ParsePath(name); err != nil {
				p.field(e, name, old.Pos, "%s: renamed: %v", subject(e), err)
			} else if _, err := e.Schema.Field(path); err != nil {
				p.field(e, name, old.Pos, "%s says that %s was renamed to %s, which its schema does not have: %v", subject(e), old.Value, name, err)
			} else if _, err := e.Schema.Field(old.Value); err == nil && len(old.Value) > 0 {
				p.field(e, name, old.Pos, "%s says that %s was renamed to %s, and its schema still has both: they are two fields", subject(e), old.Value, name)
			}
		}
	}
}
