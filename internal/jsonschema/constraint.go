package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// constraining are the keywords whose value says by itself what it demands.
var constraining = []string{
	"multipleOf", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum",
	"minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType",
	"minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
	"minProperties", "maxProperties", "dependentRequired", "enum", "const",
}

// closing are those that say by false that there is nothing else; what a schema
// says of the rest is told as a field.
var closing = []string{"additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "items"}

// judging are those whose schemas judge the same value, or any of its parts.
var judging = []string{"anyOf", "oneOf", "not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas", "dependencies"}

// constraints lists what a shape demands beside its type, its format and the
// values of an enumeration of strings.
func (x *shaper) constraints(sh shape, t contract.Type) []contract.Constraint {
	var list []contract.Constraint
	if nullable(sh) && t != contract.NullType {
		list = append(list, contract.Constraint{Keyword: "null", Value: "allowed"})
	}
	if names := typeNames(sh); t == contract.AnyType && names != "" {
		list = append(list, contract.Constraint{Keyword: "type", Value: names})
	}
	for _, key := range constraining {
		list = append(list, x.told(sh, key, func(at Ref) (contract.Constraint, bool) {
			return contract.Constraint{Value: valueText(at.Node)}, tells(key, at.Node, t)
		})...)
	}
	for _, key := range closing {
		list = append(list, x.told(sh, key, func(at Ref) (contract.Constraint, bool) {
			return contract.Constraint{Value: "false"}, at.Node.Kind == source.Bool && at.Node.Text == "false"
		})...)
	}
	list = append(list, x.told(sh, "patternProperties", func(at Ref) (contract.Constraint, bool) {
		return contract.Constraint{Value: strings.Join(sortedKeys(at.Node), " ")}, len(at.Node.Members) > 0
	})...)
	for _, key := range judging {
		list = append(list, x.told(sh, key, x.judges(key))...)
	}
	return list
}

// told puts what all schemas of a shape say by one keyword into one constraint.
func (x *shaper) told(sh shape, key string, one func(at Ref) (contract.Constraint, bool)) []contract.Constraint {
	var values, digests []string
	for _, r := range sh.all {
		n := r.Node.Get(key)
		if n == nil || !speaks(r.Node, key, x.of(r).draft) {
			continue
		}
		if c, tells := one(r.sub(key, n)); tells {
			values, digests = append(values, c.Value), append(digests, c.Digest)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return []contract.Constraint{{Keyword: key, Value: joined(values, " and "), Digest: joined(digests, "")}}
}

// joined puts texts in one order, each once.
func joined(texts []string, between string) string {
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), between)
}

// judges tells subschemas by their text, and of a choice how many there are.
func (x *shaper) judges(key string) func(at Ref) (contract.Constraint, bool) {
	return func(at Ref) (contract.Constraint, bool) {
		c := contract.Constraint{Value: valueText(at.Node)}
		if at.Node.Kind == source.List {
			c.Value = strconv.Itoa(len(at.Node.Items)) + " alternatives"
		}
		c.Digest = x.meaning(at, keywords[key].holds)
		return c, true
	}
}

// meaning is what the schemas of a keyword say, wherever they stand and in
// whatever order.
func (x *shaper) meaning(at Ref, h holds) string {
	if h == oneSchema {
		return x.digest(at)
	}
	var parts []string
	for i, item := range at.Node.Items {
		parts = append(parts, x.digest(at.sub(itoa(i), item)))
	}
	for _, m := range at.Node.Members {
		if says := at.sub(m.Key, m.Value); m.Value.Kind == source.List { // a dependency that names properties
			parts = append(parts, strconv.Quote(m.Key)+valueText(m.Value))
		} else {
			parts = append(parts, strconv.Quote(m.Key)+x.digest(says))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// tells reports whether a value belongs in the list: enumerations of strings are
// told elsewhere.
func tells(key string, n *source.Node, t contract.Type) bool {
	if key == "enum" || key == "const" {
		return t != contract.EnumType
	}
	return n.Kind != source.Bool || n.Text == "true"
}

func sortedKeys(n *source.Node) []string {
	var keys []string
	for _, m := range n.Members {
		keys = append(keys, m.Key)
	}
	slices.Sort(keys)
	return keys
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

func valueText(n *source.Node) string {
	if n.Kind == source.String {
		return n.Text
	}
	return string(n.JSON())
}
