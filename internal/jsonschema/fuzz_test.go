package jsonschema

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/evcontract/evcontract/internal/source"
)

// FuzzLoad: no schema makes us panic or run on, and every field that is listed
// can be asked for and answers the same.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{order, simple, `{"$ref": "#"}`, `true`, `{"$id": "%", "$ref": "a%zz"}`, `{"items": [1, {"$ref": "#/items/0"}]}`,
		`{"properties": 5, "required": {}, "allOf": {"a": []}, "type": [[]], "enum": "x"}`, `{"$dynamicRef": "#a", "$dynamicAnchor": "a"}`,
		`{"id": "x#y", "$schema": "http://json-schema.org/draft-04/schema#", "definitions": {"y": {"id": "#y"}}, "items": {"$ref": "#y"}}`,
		`{"if": {"properties": {"a": {}}}, "dependencies": {"a": ["b"], "c": {"properties": {"d": {"$ref": "#"}}}}}`} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	tree, err := source.Open(f.Context(), dir, source.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, "schema.json"), text, 0o644); err != nil {
			t.Skip(err)
		}
		s, errs := Load(tree, "schema.json", Options{})
		if (s == nil) == (len(errs) == 0) {
			t.Fatalf("schema %v, errors %v", s, errs)
		}
		if s != nil {
			examine(t, s)
		}
	})
}

func examine(t *testing.T, s *Schema) {
	s.Digest()
	s.Validate([]byte(`{"a": [1]}`))
	for i, f := range s.Fields() {
		again, err := s.Field(f.Path)
		if i < 50 && (err != nil || summary(again) != summary(f)) {
			t.Fatalf("%s is listed as %q and found as %q, %v", f.Path, summary(f), summary(again), err)
		}
		if f.Required && !s.Sends(f.Path, false) {
			t.Fatalf("%s is required and never sent", f.Path)
		}
	}
	for _, p := range s.Problems() {
		if p.Kind == "" || p.Message == "" || p.Fix == "" || p.Pos == (source.Pos{}) {
			t.Fatalf("half a problem: %+v", p)
		}
	}
}
