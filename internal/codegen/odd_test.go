package codegen

import (
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// TestOddSchemas: what trips generators compiles, takes what the validator takes,
// and is written again as it came. A reader that ignores what it doesn't know takes all
// of that, and may take more.
func TestOddSchemas(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/odd.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, how := range first(3, flavor{assert: true}, flavor{keep: true}, flavor{fields: true, enums: true}, flavor{fields: true}, flavor{enums: true}) {
		t.Run(fmt.Sprintf("%+v", how), func(t *testing.T) {
			run := corpusRun{files: map[string]string{}, how: how}
			for i, f := range archive.Files {

				schema, errs := jsonschema.Load(tree, f.Name, jsonschema.Options{AssertFormats: how.assert})
				if schema == nil || schema.Compiled() == nil {
					t.Fatal(f.Name, errs)
				}
				before := len(run.files)
				run.add(t, i, corpusPair{New: f.Data}, schema)
				if len(run.files) == before {
					t.Error(f.Name, "is refused")
					continue
				}
				for _, s := range contain.Generate(schema.Compiled(), uint64(i)+99, 40) {
					run.questions = append(run.questions, question{i, schema, string(f.Data), string(s.Instance)})
				}
			}
			t.Logf("%d schemas, %d documents, %d taken", len(run.files), len(run.questions), run.compare(t))
		})
	}
}
