package lint

import (
	_ "embed"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/enum-alias.txtar
var enumAliasExample string

var enumAlias = &Rule{rule.Doc{
	ID: "enum-alias", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "Two names of an enum share one number",
	Why:     "On the wire only the number travels, and each reader picks a name for it. What the writer called PAID another reader's log calls SETTLED; ProtoJSON readers refuse the name that they do not know.",
	Fix:     "Keep one name; write the old one as reserved.",
	Example: enumAliasExample,
}, checkEnumAlias}

func checkEnumAlias(p *Pass) {
	for e, s := range protobufs(p) {
		for _, enum := range enums(s) {
			first := map[protoreflect.EnumNumber]protoreflect.Name{}
			for i := range enum.Values().Len() {
				v := enum.Values().Get(i)
				if before, twice := first[v.Number()]; twice {
					p.schema(e, s.PosOf(v).File, s.PosOf(v), "enum %s has two names for %d, %s and %s: readers see the one or the other", enum.Name(), v.Number(), before, v.Name()).about(string(v.FullName()))
					continue
				}
				first[v.Number()] = v.Name()
			}
		}
	}
}
