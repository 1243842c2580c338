package compat

import (
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// jsonRules says what happens to a reader whose keyword refuses an event. What
// is not listed refuses the shape of a value.
var jsonRules = map[string]string{
	"type": "type-refused",

	"enum": "value-refused", "const": "value-refused",
	"minimum": "value-refused", "maximum": "value-refused", "multipleOf": "value-refused",
	"exclusiveMinimum": "value-refused", "exclusiveMaximum": "value-refused",
	"minLength": "value-refused", "maxLength": "value-refused", "pattern": "value-refused", "format": "value-refused",
	"contentEncoding": "value-refused", "contentMediaType": "value-refused", "contentSchema": "value-refused",

	"required": "field-missing", "dependentRequired": "field-missing", "minProperties": "field-missing",

	"additionalProperties": "field-refused", "unevaluatedProperties": "field-refused",
	"propertyNames": "field-refused", "maxProperties": "field-refused", "false": "field-refused",
}

// rule names the consequence of a fact.
func (f jsonFact) rule() string {
	if f.keyword == "not" {
		return f.ruleOfNot()
	}
	if f.keyword == "dependencies" && f.dependency() != "" {
		return "field-missing"
	}
	if id := jsonRules[f.keyword]; id != "" {
		return id
	}
	return "shape-refused"
}

// ruleOfNot judges by what is excluded: a field, or a value.
func (f jsonFact) ruleOfNot() string {
	v := f.value()
	switch {
	case v != nil && v.Kind == source.Map && f.demand().Get("required") != nil:
		return "field-refused"
	case v != nil && v.Kind != source.Map && v.Kind != source.List:
		return "value-refused"
	}
	return "shape-refused"
}

// named moves a fact about an object to the field that it is about: the one that
// is missing, or the one that may not be there.
func (f jsonFact) named() jsonFact {
	v := f.value()
	if v == nil || v.Kind != source.Map || len(f.path) > strings.Count(f.mark, "/") {
		return f // about no object, or the path names the field already
	}
	if name := f.field(v); name != "" {
		return f.below(name)
	}
	return f
}

// field is the name of the field that the keyword is about, "" where it is about
// none in particular.
func (f jsonFact) field(v *source.Node) string {
	switch f.keyword {
	case "required":
		return missingOf(v, f.demand().Items)
	case "dependentRequired", "dependencies":
		return f.dependency()
	case "additionalProperties", "unevaluatedProperties":
		return f.undeclared(v)
	case "not":
		return presentOf(v, itemsOf(f.demand().Get("required")))
	}
	return ""
}

func itemsOf(n *source.Node) []*source.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// missingOf is the first of the names that an object does not have.
func missingOf(v *source.Node, names []*source.Node) string {
	for _, n := range names {
		if v.Get(n.Text) == nil {
			return n.Text
		}
	}
	return ""
}

// presentOf is the first of the names that an object has.
func presentOf(v *source.Node, names []*source.Node) string {
	for _, n := range names {
		if v.Get(n.Text) != nil {
			return n.Text
		}
	}
	return ""
}

// dependency is the field that is missing beside one that is there.
func (f jsonFact) dependency() string {
	v := f.value()
	for _, m := range f.demand().Members {
		if v.Get(m.Key) == nil {
			continue
		}
		if name := missingOf(v, m.Value.Items); name != "" {
			return name
		}
	}
	return ""
}

// undeclared is the first field of an object that the reader does not name.
func (f jsonFact) undeclared(v *source.Node) string {
	for _, m := range v.Members {
		if f.holder.Get("properties").Get(m.Key) != nil {
			continue
		}
		if f.keyword == "additionalProperties" || !f.declares(f.path.Field(m.Key)) {
			return m.Key
		}
	}
	return ""
}
