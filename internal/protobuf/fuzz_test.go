package protobuf

import (
	"strings"
	"testing"
)

// FuzzLoad looks for panics, and for errors without a place.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"syntax = \"proto3\"; message M { string a = 1; oneof o { int32 b = 2; } map<string, M> c = 3; }",
		"syntax = \"proto2\"; message M { optional group G = 1 { required int32 x = 1; } extensions 100 to max; } extend M { optional M m = 100; }",
		"edition = \"2023\"; import \"google/protobuf/any.proto\"; message M { google.protobuf.Any a = 1 [features.field_presence = LEGACY_REQUIRED]; }",
		"edition = \"2024\";", "import \"a.proto\";", "message M { reserved 1 to max; reserved \"x\"; }", "enum E { option allow_alias = true; A = 0; B = 0; }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\n-- ") || strings.HasPrefix(text, "-- ") {
			return
		}
		s, errs := Load(treeOf(t, "-- a.proto --\n"+text+"\n"), "a.proto", Options{})
		if s == nil {
			if len(errs) == 0 || errs[0].Pos.File == "" {
				t.Fatalf("no schema, and errors %v", errs)
			}
			return
		}
		s.Digest()
		for _, field := range s.Fields() {
			if _, err := s.Field(field.Path); err != nil {
				t.Fatal(err)
			}
		}
	})
}
