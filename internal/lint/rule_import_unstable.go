package lint

import (
	_ "embed"
	"regexp"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/import-unstable.txtar
var importUnstableExample string

var importUnstable = &Rule{rule.Doc{
	ID: "import-unstable", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A stable package uses a message of an unstable one",
	Why:     "A package like v1beta1 may change in any way, and with it the event that promised not to.",
	Fix:     "Use a stable package, or copy the message into this one.",
	Example: importUnstableExample,
}, checkImportUnstable}

var (
	stablePackage   = regexp.MustCompile(`(^|\.)v[1-9][0-9]*$`)
	unstablePackage = regexp.MustCompile(`(^|\.)v[1-9][0-9]*(p[0-9]+)?(alpha|beta|test)[0-9]*$`)
)

func checkImportUnstable(p *Pass) {
	for e, s := range protobufs(p) {
		for _, m := range messages(s) {
			if !stablePackage.MatchString(string(m.ParentFile().Package())) {
				continue
			}
			for i := range m.Fields().Len() {
				f := m.Fields().Get(i)
				if used := packageOf(f); unstablePackage.MatchString(used) {
					p.schema(e, s.PosOf(f).File, s.PosOf(f), "%s is of the unstable package %s, which may change in any way: the event is as unstable", declared(f), used).about(string(f.FullName()))
				}
			}
		}
	}
}

// packageOf is the package of a field's message or enum, "" for other types.
func packageOf(f protoreflect.FieldDescriptor) string {
	switch {
	case f.Message() != nil:
		return string(f.Message().ParentFile().Package())
	case f.Enum() != nil:
		return string(f.Enum().ParentFile().Package())
	}
	return ""
}
