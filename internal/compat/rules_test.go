package compat_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/report"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// Every rule has an archive testdata/<rule>.txtar, and may have more:
// <rule>.<case>.txtar. Files below old/ and new/ belong to one revision, all
// others to both; want is the report as text. UPDATE=1 rewrites it.

type example struct {
	file     string
	rule     string
	archive  *txtar.Archive
	old, new *contract.Set
}

func examples(t *testing.T) []example {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	var all []example
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(filepath.Base(file), ".")
		all = append(all, example{file, id, archive, revision(t, archive, "old"), revision(t, archive, "new")})
	}
	return all
}

// revision writes one side of an archive to disk and loads it.
func revision(t *testing.T, a *txtar.Archive, side string) *contract.Set {
	files := map[string][]byte{}
	for _, f := range a.Files {
		top, rest, _ := strings.Cut(f.Name, "/")
		switch {
		case top == side:
			files[rest] = f.Data
		case top != "old" && top != "new" && f.Name != "want":
			files[f.Name] = f.Data
		}
	}
	dir := t.TempDir()
	if err := source.WriteFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	tree.Ref = side
	set, err := load.Set(context.Background(), tree, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Findings {
		t.Fatalf("%s: %s: %s", side, f.New, f.Message)
	}
	return set
}

func text(t *testing.T, r *rule.Report) string {
	var b bytes.Buffer
	if err := report.Text(&b, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRules(t *testing.T) {
	covered := map[string]bool{}
	for _, e := range examples(t) {
		t.Run(strings.TrimSuffix(filepath.Base(e.file), ".txtar"), func(t *testing.T) {
			if compat.ByID(e.rule) == nil {
				t.Fatalf("%s belongs to no rule", e.file)
			}
			covered[e.rule] = true
			r := compat.Check(e.new, e.old, compat.Options{})
			if !slices.ContainsFunc(r.Findings, func(f rule.Finding) bool { return f.Rule == e.rule }) {
				t.Errorf("no finding of %s", e.rule)
			}
			compareWant(t, e, text(t, r))
			for _, f := range r.Findings {
				replay(t, e, f)
			}
		})
	}
	for _, r := range compat.Rules {
		if !covered[r.ID] {
			t.Errorf("rule %s has no testdata/%s.txtar", r.ID, r.ID)
		}
	}
}

func compareWant(t *testing.T, e example, got string) {
	i := slices.IndexFunc(e.archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	if i < 0 {
		e.archive.Files = append(e.archive.Files, txtar.File{Name: "want"})
		i = len(e.archive.Files) - 1
	}
	if want := string(e.archive.Files[i].Data); got == want {
		return
	} else if os.Getenv("UPDATE") == "" {
		t.Errorf("report is\n%s\nwant\n%s\nUPDATE=1 rewrites it", got, want)
		return
	}
	e.archive.Files[i].Data = []byte(got)
	if err := os.WriteFile(e.file, txtar.Format(e.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replay holds a witness against both schemas, apart from the engine that found
// it: the writer's accepts the event, and the reader's, which only the
// assumptions may have widened, refuses it.
func replay(t *testing.T, e example, f rule.Finding) {
	id := compat.ByID(f.Rule)
	if id.Kind != rule.Payload || f.Severity < rule.Error || f.Rule == rule.UndecidedRule || f.Rule == "field-unsent" {
		return
	}
	if f.Witness == nil {
		t.Errorf("%s has no witness", f.Path)
		return
	}
	for _, h := range f.Hits {
		name, err := contract.ParseName(h.Event)
		if err != nil {
			t.Fatal(err)
		}
		writer, reader := e.new.Event(name).Schema, e.old.Event(name).Schema
		if h.Direction == rule.Backward {
			writer, reader = reader, writer
		}
		if writer.Format() == contract.ProtobufFormat {
			continue // what the reader's decoder sees is held by the engine's own oracle
		}
		if err := writer.Validate(f.Witness.Event); err != nil {
			t.Errorf("%s: the writer refuses the witness %s: %v", f.Path, f.Witness.Event, err)
		}
		if err := reader.Validate(f.Witness.Event); err == nil {
			t.Errorf("%s: the reader accepts the witness %s", f.Path, f.Witness.Event)
		}
	}
}

// TestSilence checks each side of every example against itself.
func TestSilence(t *testing.T) {
	for _, e := range examples(t) {
		for _, set := range []*contract.Set{e.old, e.new} {
			r := compat.Check(set, set, compat.Options{})
			for _, f := range r.Findings {
				if f.Rule != rule.UndecidedRule {
					t.Errorf("%s: %s against itself: %s: %s", e.file, set.Tree.Ref, f.Rule, f.Message)
				}
			}
		}
	}
}

// TestOtherRules counts which rules speak in which example, so that a rule that
// begins to speak where it did not shows as a difference.
func TestOtherRules(t *testing.T) {
	var b strings.Builder
	for _, e := range examples(t) {
		ids := map[string]bool{}
		for _, f := range compat.Check(e.new, e.old, compat.Options{}).Findings {
			ids[f.Rule] = true
		}
		b.WriteString(filepath.Base(e.file) + ": " + strings.Join(slices.Sorted(maps.Keys(ids)), " ") + "\n")
	}
	golden := "testdata/speaks.golden"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("rules speak differently:\n%s\nwant\n%s", b.String(), want)
	}
}
