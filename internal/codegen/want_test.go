package codegen

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// TestDeclaredBelow: what a consumer declares of a map's values or a list's
// elements is all that their type has.
func TestDeclaredBelow(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "s.schema.json"), `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {
		"map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/o"}},
		"list": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/o"}}},
		"named": {"type": "object", "patternProperties": {"^x": {"$ref": "#/$defs/o"}}},
		"beside": {"type": "object", "properties": {"c": {"type": "string"}}, "additionalProperties": {"$ref": "#/$defs/o"}}
	}, "$defs": {"o": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}}`)
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	schema, errs := jsonschema.Load(tree, "s.schema.json", jsonschema.Options{})
	if schema == nil {
		t.Fatal(errs)
	}
	for path, wanted := range map[string]string{
		"map{}.a":    "Map map[string]EventO; A *string;",
		"list[][].b": "List [][]EventO; B *string;",
		"named{}.a":  "Named map[string]EventO; A *string;",
		"beside{}.b": "Beside *EventBeside; More map[string]EventO; B *string;",
		"beside.c":   "Beside *EventBeside; C *string;",
		"map{}":      "Map map[string]EventO; A *string; B *string;",
	} {
		var p contract.Path
		if err := p.UnmarshalText([]byte(path)); err != nil {
			t.Fatal(err)
		}
		w := &want{}
		*w.add(p) = want{all: true}
		b := &builder{
			names: names{}, prefix: "Event", event: "Event.v1", fields: contract.Ignore, enums: contract.Reject,
			byShape: map[*shape]*typ{}, judges: map[judgeKey]string{}, findings: &findings{seen: map[string]bool{}},
		}
		b.build(b.relax(newReader(schema, false).root()), w, nil, "Event")
		var got strings.Builder
		for _, s := range b.types {
			for _, f := range s.fields {
				got.WriteString(f.name + " " + f.goType() + "; ")
			}
			if s.extra != nil {
				got.WriteString("More map[string]" + s.extra.nullType() + "; ")
			}
		}
		if strings.TrimSpace(got.String()) != wanted {
			t.Errorf("%s:\ngot  %s\nwant %s", path, got.String(), wanted)
		}
	}
}
