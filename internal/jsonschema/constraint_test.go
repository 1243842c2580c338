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
		"code": {"enum": [1, 2]}, "name": {"enum": ["a", "b"]}, "list": {"type": "array", "uniqueItems": true}}}`)
	for at, want := range map[string]string{
		"text":   `null allowed, maxLength 64, pattern ^a\d`,
		"amount": "multipleOf 0.01, minimum 0",
		"either": "null allowed, type integer or string",
		"shut":   "minProperties 1, additionalProperties false",
		"open":   "",
		"code":   "enum [1,2]",
		"name":   "",
		"list":   "uniqueItems true",
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
