package lint

import (
	_ "embed"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/identity-field-list.txtar
var identityFieldListExample string

var identityFieldList = &Rule{rule.Doc{
	ID: "identity-field-list", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The identity names a field that has many values",
	Why:     "A path through a list's elements or a map's values names as many values as the event has. There is no one of them that identifies it.",
	Fix:     "Name a field that every event has once; for a tuple, name the place, like [0].",
	Example: identityFieldListExample,
}, checkIdentityFieldList}

func checkIdentityFieldList(p *Pass) {
	for _, e := range p.declared() {
		for _, f := range p.knownFields(e) {
			if manyValues(f.field.Path) {
				p.field(e, f.path(), f.at.Locator.Pos, "%s takes its %s from %s, which an event has many of, or none: nothing says which one identifies it", subject(e), f.names(), f.path())
			}
		}
	}
}

// manyValues reports whether a path names more than one value of an event.
func manyValues(path contract.Path) bool {
	return slices.ContainsFunc(path, func(s contract.Step) bool {
		return s.Kind == contract.ElementStep || s.Kind == contract.ValueStep
	})
}
