package lint

import (
	_ "embed"
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/enum-unspecified.txtar
var enumUnspecifiedExample string

var enumUnspecified = &Rule{rule.Doc{
	ID: "enum-unspecified", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "An enum has no zero value that means nothing",
	Why:     "A field that is not set reads as the enum's zero. If that is a real value, nobody can tell a payment by card from a payment of which the method is unknown.",
	Fix:     "Begin the enum with NAME_UNSPECIFIED = 0.",
	Example: enumUnspecifiedExample,
}, checkEnumUnspecified}

func checkEnumUnspecified(p *Pass) {
	for e, s := range protobufs(p) {
		for _, enum := range enums(s) {
			zero := enum.Values().ByNumber(0)
			switch {
			case zero == nil:
				p.schema(e, s.PosOf(enum).File, s.PosOf(enum), "enum %s has no value 0: a field that is not set reads as %s", enum.Name(), enum.Values().Get(0).Name()).about(string(enum.FullName()))
			case !meansNothing(string(zero.Name())):
				p.schema(e, s.PosOf(zero).File, s.PosOf(zero), "enum %s has %s as its 0: a field that is not set reads as that", enum.Name(), zero.Name()).about(string(enum.FullName()))
			}
		}
	}
}

func meansNothing(name string) bool {
	for _, end := range []string{"UNSPECIFIED", "UNKNOWN", "UNDEFINED", "UNSET", "INVALID"} {
		if strings.HasSuffix(strings.ToUpper(name), end) {
			return true
		}
	}
	return false
}
