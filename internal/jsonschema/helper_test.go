package jsonschema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// tree writes an archive's files to a directory and opens it. A text without a
// file is schema.json.
func tree(t *testing.T, archive string) *source.Tree {
	t.Helper()
	a := txtar.Parse([]byte(archive))
	if len(a.Files) == 0 {
		a.Files = []txtar.File{{Name: "schema.json", Data: []byte(archive)}}
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		file := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

// load reads schema.json of an archive, or another reference to it.
func load(t *testing.T, archive string, ref ...string) *Schema {
	t.Helper()
	name := "schema.json"
	if len(ref) > 0 {
		name = ref[0]
	}
	s, errs := Load(tree(t, archive), name, Options{})
	if s == nil {
		t.Fatalf("not loaded: %v", errs)
	}
	return s
}

func way(t *testing.T, s string) contract.Path {
	t.Helper()
	p, err := contract.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// summary is a field in one line: lines[].price integer required.
func summary(f contract.Field) string {
	words := []string{f.Path.String(), string(f.Type)}
	if f.Format != "" {
		words = append(words, "format="+f.Format)
	}
	if f.Required {
		words = append(words, "required")
	}
	if f.Values != nil {
		words = append(words, strings.Join(f.Values, "|"))
	}
	if f.Deprecated {
		words = append(words, "deprecated")
	}
	return strings.Join(words, " ")
}

func summaries(s *Schema) string {
	var lines []string
	for _, f := range s.Fields() {
		lines = append(lines, summary(f))
	}
	return strings.Join(lines, "\n")
}
