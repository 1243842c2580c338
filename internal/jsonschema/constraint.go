package jsonschema

import (
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// constraining are the keywords whose value says by itself what it demands.
var constraining = []string{
	"multipleOf", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum",
	"minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType",
	"minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
	"minProperties", "maxProperties", "additionalProperties", "unevaluatedProperties", "enum", "const",
}

// constraints lists what a shape demands beside its type, its format and the
// values of an enumeration of strings.
func constraints(sh shape, t contract.Type) []contract.Constraint {
	var list []contract.Constraint
	if nullable(sh) && t != contract.NullType {
		list = append(list, contract.Constraint{Keyword: "null", Value: "allowed"})
	}
	if names := typeNames(sh); t == contract.AnyType && names != "" {
		list = append(list, contract.Constraint{Keyword: "type", Value: names})
	}
	for _, key := range constraining {
		for _, r := range sh.all {
			if n := r.Node.Get(key); n != nil && tells(key, n, t) {
				list = append(list, contract.Constraint{Keyword: key, Value: shortly(n)})
			}
		}
	}
	return slices.Compact(list)
}

// tells reports whether a value belongs in the list: of schemas only false does,
// and enumerations of strings are told elsewhere.
func tells(key string, n *source.Node, t contract.Type) bool {
	switch {
	case strings.HasSuffix(key, "Properties") && n.Kind != source.Number:
		return n.Kind == source.Bool && n.Text == "false"
	case key == "enum" || key == "const":
		return t != contract.EnumType
	}
	return n.Kind != source.Bool || n.Text == "true"
}

func typeNames(sh shape) string {
	k := stated(sh)
	if k == everyKind {
		return ""
	}
	var names []string
	for _, name := range []string{"boolean", "number", "integer", "string", "array", "object"} {
		if is := kindsByName[name]; k&is == is && !(name == "integer" && k&numberKind == numberKind) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// maxTold is how long a value is told.
const maxTold = 80

func shortly(n *source.Node) string {
	if n.Kind == source.String {
		return n.Text
	}
	told := []rune(string(n.JSON()))
	if len(told) > maxTold {
		return string(told[:maxTold]) + "…"
	}
	return string(told)
}
