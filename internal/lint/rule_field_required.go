package lint

import (
	_ "embed"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/field-required.txtar
var fieldRequiredExample string

var fieldRequired = &Rule{rule.Doc{
	ID: "field-required", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A Protobuf field is required",
	Why:     "A reader refuses the whole event if the field is missing. So it can never be removed, not even in years, and a producer that forgets it stops all readers.",
	Fix:     "Declare the field optional, and demand it where it is used; in an edition, drop features.field_presence = LEGACY_REQUIRED.",
	Example: fieldRequiredExample,
}, checkFieldRequired}

func checkFieldRequired(p *Pass) {
	for e, s := range protobufs(p) {
		for _, m := range messages(s) {
			for i := range m.Fields().Len() {
				if f := m.Fields().Get(i); f.Cardinality() == protoreflect.Required {
					p.schema(e, s.PosOf(f).File, s.PosOf(f), "%s.%s is required: a reader refuses an event without it, so it can never be removed", m.Name(), f.Name()).about(string(f.FullName()))
				}
			}
		}
	}
}
