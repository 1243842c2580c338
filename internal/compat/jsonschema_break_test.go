package compat

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// jsonSchema loads a schema from its text, as a file of that name.
func jsonSchema(t *testing.T, name, text string) *jsonschema.Schema {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	s, errs := jsonschema.Load(tree, name, jsonschema.Options{})
	if s == nil {
		t.Fatalf("%s: %v", name, errs)
	}
	return s
}

// TestJSONFacts says what becomes of a fact: the rule, the field, the sentence.
func TestJSONFacts(t *testing.T) {
	for _, tt := range []struct {
		reader, at, keyword string
		event, mark, path   string
		rule, where, says   string
	}{
		{`{"properties": {"a": {"type": "number"}}}`, "/properties/a/type", "type", `{"a": null}`, "/a", "a",
			"type-refused", "a", "a may be null: the reader accepts only a number"},
		{`{"properties": {"a": {"type": ["integer", "null"]}}}`, "/properties/a", "type", `{"a": 1.5}`, "/a", "a",
			"type-refused", "a", "a may be 1.5: the reader accepts only a whole number or null"},
		{`{"properties": {"a": {"enum": ["x", "y"]}}}`, "/properties/a/enum", "enum", `{"a": "z"}`, "/a", "a",
			"value-refused", "a", `a may be "z": the reader accepts only "x" or "y"`},
		{`{"properties": {"a": {"const": "x"}}}`, "/properties/a/const", "const", `{"a": {"b": "a value that is far too long to be shown"}}`, "/a", "a",
			"value-refused", "a", `a may be an object: the reader accepts only "x"`},
		{`{"properties": {"a": {"minimum": 1}}}`, "/properties/a/minimum", "minimum", `{"a": 0}`, "/a", "a",
			"value-refused", "a", `a may be 0: the reader accepts nothing below 1`},
		{`{"properties": {"a": {"items": {"maxLength": 2}}}}`, "/properties/a/items/maxLength", "maxLength", `{"a": ["xyz"]}`, "/a/0", "a[]",
			"value-refused", "a[]", `a[] may be "xyz": the reader accepts no text of more than 2 characters`},
		{`{"required": ["a", "b"]}`, "/required", "required", `{"a": 1}`, "", "",
			"field-missing", "b", "b may be missing: the reader requires it"},
		{`{"dependentRequired": {"a": ["b"]}}`, "/dependentRequired", "dependentRequired", `{"a": 1}`, "", "",
			"field-missing", "b", "b may be missing beside a field that the reader requires it with"},
		{`{"minProperties": 2}`, "/minProperties", "minProperties", `{"a": 1}`, "", "",
			"field-missing", "", "the event may have fewer fields than the 2 that the reader requires"},
		{`{"properties": {"a": {}}, "additionalProperties": false}`, "/additionalProperties", "additionalProperties", `{"a": 1, "b/c": 2}`, "", "",
			"field-refused", `"b/c"`, `"b/c" may be sent: the reader refuses fields that it does not declare`},
		{`{"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}`, "/unevaluatedProperties", "unevaluatedProperties", `{"a": 1, "b": 2}`, "", "",
			"field-refused", "b", "b may be sent: the reader refuses fields that it does not declare"},
		{`{"properties": {"a": false}}`, "/properties/a", "false", `{"a": 1}`, "/a", "a",
			"field-refused", "a", "a may be sent: the reader allows nothing there"},
		{`{"not": {"required": ["a"]}}`, "/not", "not", `{"a": 1}`, "", "",
			"field-refused", "a", "a may be 1: the reader excludes it"},
		{`{"properties": {"a": {"not": {"const": 1}}}}`, "/properties/a/not", "not", `{"a": 1}`, "/a", "a",
			"value-refused", "a", "a may be 1: the reader excludes it"},
		{`{"properties": {"a": {"minItems": 2}}}`, "/properties/a/minItems", "minItems", `{"a": [1]}`, "/a", "a",
			"shape-refused", "a", "a may have fewer elements than the 2 that the reader requires"},
		{`{"oneOf": [{"type": "string"}, {"type": "number"}]}`, "/oneOf", "oneOf", `true`, "", "",
			"shape-refused", "", "the event may be true: not exactly one of the reader's alternatives takes it"},
		{`{"dependentSchemas": {"a": {"required": ["b"]}}}`, "/dependentSchemas", "dependentSchemas", `{"a": 1}`, "", "",
			"shape-refused", "", `the event may be {"a":1}: the reader refuses it (dependentSchemas)`},
	} {
		t.Run(tt.keyword+" "+tt.event, func(t *testing.T) {
			j := jsonRead{reader: jsonSchema(t, "reader.json", tt.reader), writer: jsonSchema(t, "writer.json", `{"properties": {"a": {}}}`)}
			event, _ := source.ParseJSON("event", []byte(tt.event))
			var path contract.Path
			if tt.path != "" {
				path, _ = contract.ParsePath(tt.path)
			}
			f := jsonFact{event: event, mark: tt.mark, path: path, keyword: tt.keyword}
			f.declares = func(p contract.Path) bool { return j.reader.Sends(p, true) }
			f.reader, f.holder = keywordAt(j.reader, contain.Location{Document: "reader.json", Pointer: tt.at}, tt.keyword)
			b := j.broken(f)
			if b.Rule != tt.rule || b.Path.String() != tt.where || b.Message != tt.says {
				t.Errorf("got %s at %s: %s\nwant %s at %s: %s", b.Rule, b.Path, b.Message, tt.rule, tt.where, tt.says)
			}
			if b.Reader.Line != 1 || b.Writer.Line != 1 || b.Witness == nil || len(b.About) != 3 {
				t.Errorf("incomplete: %+v", b)
			}
		})
	}
}
