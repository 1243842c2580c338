package vet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/txtar"

	"github.com/evcontract/evcontract/internal/rule"
)

// TestRules runs all rules over every rule's example: each says what the comments
// want, and no rule speaks in another one's place.
func TestRules(t *testing.T) {
	dir := gopath(t)
	var patterns []string
	for _, r := range Rules {
		patterns = append(patterns, folder(r.ID))
	}
	patterns = append(patterns, folder("shapes"))
	analysistest.RunWithSuggestedFixes(t, dir, analyzer("all", knowledgeAnalyzer(), Rules...), patterns...)
}

// TestExamplesSpeak makes sure that an example has both sides.
func TestExamplesSpeak(t *testing.T) {
	for _, r := range Rules {
		a := txtar.Parse([]byte(r.Example))
		if len(a.Files) < 2 || a.Files[0].Name != "bad.go" || a.Files[len(a.Files)-1].Name != "good.go" {
			t.Fatalf("%s: want bad.go first and good.go last", r.ID)
		}
		if !strings.Contains(string(a.Files[0].Data), "// want `") {
			t.Errorf("%s: the bad example breaks nothing", r.ID)
		}
	}
}

func TestDocs(t *testing.T) {
	if err := analysis.Validate(Analyzers()); err != nil {
		t.Error(err)
	}
	for _, d := range Docs() {
		if d.Kind != rule.Code || d.Severity != rule.Error || d.Title == "" || d.Why == "" || !strings.HasSuffix(d.Fix, ".") {
			t.Errorf("%s: the page is not complete", d.ID)
		}
		if got := Advice(d); strings.Contains(got, "..") || !strings.HasSuffix(got, "("+d.ID+")") {
			t.Errorf("%s: the advice reads %q", d.ID, got)
		}
	}
}

func folder(id string) string { return "example.com/rules/" + strings.ReplaceAll(id, "-", "") }

// gopath writes a tree with the examples, the real package event, real generated
// code, and stubs of what else they use.
func gopath(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const module = "github.com/evcontract/evcontract"
	copyGo(t, "../../event", filepath.Join(dir, "src", module, "event"))
	copyGo(t, "../../testdata/gen/shop/events", filepath.Join(dir, "src/example.com/shop/events"))
	stubs, err := txtar.ParseFile("testdata/stubs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "src"), stubs)
	for _, r := range Rules {
		write(t, filepath.Join(dir, "src", folder(r.ID)), txtar.Parse([]byte(r.Example)))
	}
	shapes, err := txtar.ParseFile("testdata/shapes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "src", folder("shapes")), shapes)
	return dir
}

func copyGo(t *testing.T, from, to string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s holds no Go: %v", from, err)
	}
	var a txtar.Archive
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a.Files = append(a.Files, txtar.File{Name: filepath.Base(name), Data: data})
	}
	write(t, to, &a)
}

func write(t *testing.T, dir string, a *txtar.Archive) {
	t.Helper()
	for _, f := range a.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
