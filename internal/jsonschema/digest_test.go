package jsonschema

import (
	"strings"
	"testing"
)

const simple = `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["a", "b"],
	"properties": {"a": {"$ref": "#/definitions/A"}, "b": {"enum": [1, 2]}}, "definitions": {"A": {"type": "string"}}}`

func TestDigest(t *testing.T) {
	base := load(t, simple)
	for _, tt := range []struct {
		name, archive string
		same          bool
	}{
		{"notes", strings.Replace(simple, `"type": "string"`, `"type": "string", "title": "T", "description": "D", "examples": ["x"], "default": "y", "$comment": "c", "x-order": 1`, 1), true},
		{"order of keys and sets", `{"properties": {"b": {"enum": [2, 1]}, "a": {"$ref": "#/definitions/A"}}, "required": ["b", "a"], "type": "object",
			"definitions": {"A": {"type": "string"}}, "$schema": "http://json-schema.org/draft-07/schema#"}`, true},
		{"another definition's name", strings.NewReplacer("/A", "/Z", `"A":`, `"Z":`).Replace(simple), true},
		{"an unused definition", strings.Replace(simple, `"A": {"type"`, `"B": {"type": "null"}, "A": {"type"`, 1), true},
		{"another file", "-- schema.json --\n" + strings.Replace(simple, `#/definitions/A`, `lib/a.json#/definitions/A`, 1) +
			"\n-- lib/a.json --\n" + `{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": {"type": "string"}}}`, true},
		{"a name", strings.Replace(simple, `"$schema"`, `"$id": "https://example.com/order.json", "$schema"`, 1), true},
		{"beside $ref in draft 7", strings.Replace(simple, `"$ref": `, `"minLength": 3, "$ref": `, 1), true},
		{"a type", strings.Replace(simple, `"type": "string"`, `"type": "integer"`, 1), false},
		{"required", strings.Replace(simple, `"required": ["a", "b"]`, `"required": ["a"]`, 1), false},
		{"an enum value", strings.Replace(simple, `[1, 2]`, `[1, 2, 3]`, 1), false},
		{"the draft", strings.Replace(simple, `draft-07`, `draft-06`, 1), false},
		{"what nobody knows", strings.Replace(simple, `"type": "string"`, `"type": "string", "nullable": true`, 1), false},
	} {
		if got := load(t, tt.archive).Digest() == base.Digest(); got != tt.same {
			t.Errorf("%s: same digest is %v, want %v", tt.name, got, tt.same)
		}
	}
}

func TestDigestOfRecursion(t *testing.T) {
	const tree = `{"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}}`
	a, b := load(t, tree), load(t, strings.ReplaceAll(tree, "Node", "Item"))
	if a.Digest() != b.Digest() {
		t.Error("the name of a recursive definition changes the digest")
	}
	next := a.Sub(a.RootRef(), "$defs", "Node", "properties", "next")
	if a.DigestAt(next) == a.DigestAt(a.Sub(a.RootRef(), "$defs")) {
		t.Error("two subschemas with one digest")
	}
}
