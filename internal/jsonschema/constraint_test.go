package jsonschema

import (
	"strings"
	"testing"
)

func TestConstraints(t *testing.T) {
	s := load(t, `{`+latest+`, "type": "object", "properties": {
		"text": {"type": ["string", "null"], "maxLength": 64, "pattern": "^a\\d"},
		"amount": {"allOf": [{"type": "number", "minimum": 0}, {"multipleOf": 0.01}]},
		"either": {"type": ["string", "integer", "null"]},
		"shut": {"type": "object", "additionalProperties": false, "minProperties": 1},
		"open": {"type": "object", "additionalProperties": {"type": "string"}},
		"code": {"enum": [1, 2]}, "name": {"enum": ["a", "b"]}, "list": {"type": "array", "uniqueItems": true},
		"twice": {"minimum": 1, "allOf": [{"minimum": 0}, {"minimum": 1}]},
		"judged": {"not": {"type": "null"}, "if": {"minLength": 1}, "then": {"maxLength": 2}, "dependentRequired": {"a": ["b"]}, "patternProperties": {"^x": {}, "^a": {}}, "items": false},
		"either2": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}}`)
	for at, want := range map[string]string{
		"text":    `null allowed, maxLength 64, pattern ^a\d`,
		"amount":  "multipleOf 0.01, minimum 0",
		"either":  "null allowed, type integer or string",
		"shut":    "minProperties 1, additionalProperties false",
		"open":    "",
		"code":    "enum [1,2]",
		"name":    "",
		"list":    "uniqueItems true",
		"twice":   "minimum 0 and 1",
		"judged":  `dependentRequired {"a":["b"]}, items false, patternProperties ^a ^x, not {"type":"null"}, if {"minLength":1}, then {"maxLength":2}`,
		"either2": "anyOf 2 alternatives",
	} {
		f, err := s.Field(way(t, at))
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, c := range f.Constraints {
			list = append(list, c.Keyword+" "+c.Value)
		}
		if got := strings.Join(list, ", "); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}

// TestConstraintMeaning: neither the order of alternatives nor a title is a change.
func TestConstraintMeaning(t *testing.T) {
	digest := func(text string) string {
		s := load(t, `{`+latest+`, "$defs": {"d": {"minimum": 3}}, `+text+`}`)
		f, err := s.Field(nil)
		if err != nil || len(f.Constraints) != 1 {
			t.Fatalf("%s: %v %v", text, f.Constraints, err)
		}
		return f.Constraints[0].Digest
	}
	for _, same := range [][2]string{
		{`"anyOf": [{"minimum": 1}, {"maxLength": 2}]`, `"anyOf": [{"maxLength": 2, "title": "short"}, {"minimum": 1}]`},
		{`"not": {"minimum": 1}`, `"not": {"description": "small", "minimum": 1}`},
		{`"dependentSchemas": {"a": {"minProperties": 2}, "b": {}}`, `"dependentSchemas": {"b": {}, "a": {"minProperties": 2}}`},
	} {
		if digest(same[0]) != digest(same[1]) {
			t.Errorf("%s and %s say the same", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{`"anyOf": [{"minimum": 1}, {"maxLength": 2}]`, `"anyOf": [{"minimum": 1}, {"maxLength": 3}]`},
		{`"not": {"$ref": "#/$defs/d"}`, `"not": {"minimum": 4}`},
		{`"dependentSchemas": {"a": {"minProperties": 2}}`, `"dependentSchemas": {"b": {"minProperties": 2}}`},
	} {
		if digest(other[0]) == digest(other[1]) {
			t.Errorf("%s and %s do not say the same", other[0], other[1])
		}
	}
}
