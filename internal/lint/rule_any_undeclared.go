package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/any-undeclared.txtar
var anyUndeclaredExample string

var anyUndeclared = &Rule{rule.Doc{
	ID: "any-undeclared", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A field may hold any message",
	Why:     "google.protobuf.Any says nothing of what is inside. A reader that does not know the type can do nothing with it, and no check sees that what is sent has changed.",
	Fix:     "Write a oneof of the messages that are meant.",
	Example: anyUndeclaredExample,
}, checkAnyUndeclared}

func checkAnyUndeclared(p *Pass) {
	for e, s := range protobufs(p) {
		for _, m := range messages(s) {
			for i := range m.Fields().Len() {
				f := m.Fields().Get(i)
				if inner := f.Message(); inner != nil && inner.FullName() == "google.protobuf.Any" {
					p.schema(e, s.PosOf(f).File, s.PosOf(f), "%s may hold any message: no reader knows which, and no check sees it change", declared(f)).about(string(f.FullName()))
				}
			}
		}
	}
}
