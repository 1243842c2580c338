package lint

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/report"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// today is the day on which the examples are linted.
var today = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// archive is a rule's example: a workspace that breaks the rule, what is said
// about it, and the files that mend it.
type archive struct {
	wrong, fixed map[string][]byte
	want         string
}

func archiveOf(example string) archive {
	a := archive{wrong: map[string][]byte{}, fixed: map[string][]byte{}}
	for _, f := range txtar.Parse([]byte(example)).Files {
		name, mended := strings.CutPrefix(f.Name, "fixed/")
		switch {
		case f.Name == "want":
			a.want = string(f.Data)
		case mended:
			a.fixed[name] = f.Data
		default:
			a.wrong[name] = f.Data
			a.fixed[name] = f.Data // unless it is mended further down
		}
	}
	return a
}

// TestRules tries every rule on its own example.
func TestRules(t *testing.T) {
	for _, r := range Rules {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			a := archiveOf(r.Example)
			wrong := lint(t, a.wrong)
			if got := text(t, wrong); got != a.want {
				mismatch(t, r.ID, a.want, got)
			}
			if !speaks(r.ID, wrong) {
				t.Errorf("the example does not break the rule")
			}
			if fixed := lint(t, a.fixed); len(fixed) > 0 {
				t.Errorf("the mended workspace has findings:\n%s", text(t, fixed))
			}
		})
	}
}

func speaks(id string, findings []rule.Finding) bool {
	for i := range findings {
		if findings[i].Rule == id {
			return true
		}
	}
	return false
}

// mismatch complains, or rewrites the example where UPDATE is set.
func mismatch(t *testing.T, id, want, got string) {
	t.Helper()
	if os.Getenv("UPDATE") == "" {
		t.Errorf("(-want +got; UPDATE=1 rewrites it):\n%s", cmp.Diff(want, got))
		return
	}
	file := filepath.Join("testdata", id+".txtar")
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Files {
		if a.Files[i].Name == "want" {
			a.Files[i].Data = []byte(got)
		}
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
		t.Fatal(err)
	}
}

// lint loads files as a workspace and gives all that is to be said about it.
func lint(t *testing.T, files map[string][]byte) []rule.Finding {
	t.Helper()
	set := workspace(t, files)
	r := rule.Report{Findings: append(set.Findings, Check(set, today)...)}
	r.Sort()
	return r.Findings
}

func workspace(t *testing.T, files map[string][]byte) *contract.Set {
	t.Helper()
	return open(t, written(t, files))
}

// written puts files into a folder; unlike source.WriteFiles it doesn't wait for
// the disk.
func written(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, ref string) *contract.Set {
	t.Helper()
	tree, err := source.Open(context.Background(), ref, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	set, err := load.Set(context.Background(), tree, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func text(t *testing.T, findings []rule.Finding) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, &rule.Report{Findings: findings}, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOneFileOneRule holds that every rule has its file and its example, and
// that there are no others.
func TestOneFileOneRule(t *testing.T) {
	known := map[string]bool{}
	for _, r := range Rules {
		if known[r.ID] {
			t.Errorf("%s is listed twice", r.ID)
		}
		known[r.ID] = true
	}
	for pattern, id := range map[string]func(string) string{
		"rule_*.go":        func(f string) string { return strings.ReplaceAll(f[len("rule_"):len(f)-len(".go")], "_", "-") },
		"testdata/*.txtar": func(f string) string { return strings.TrimSuffix(filepath.Base(f), ".txtar") },
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) != len(Rules) {
			t.Errorf("%d files %s for %d rules, %v", len(files), pattern, len(Rules), err)
		}
		for _, f := range files {
			if !known[id(f)] {
				t.Errorf("%s belongs to no listed rule", f)
			}
		}
	}
}

// TestDocs holds how a rule's page is written.
func TestDocs(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, d := range Docs() {
		switch {
		case !id.MatchString(d.ID), d.Kind != rule.Lint, d.Example == "":
			t.Errorf("%s: %+v", d.ID, d)
		case strings.HasSuffix(d.Title, "."), !strings.HasSuffix(d.Why, "."), !strings.HasSuffix(d.Fix, "."):
			t.Errorf("%s: a title has no full stop; why and fix are sentences", d.ID)
		case ByID(d.ID) == nil:
			t.Errorf("%s is not found by its id", d.ID)
		}
	}
}

// TestFingerprints holds that findings can be told from each other, and stay
// what they are when lines move.
func TestFingerprints(t *testing.T) {
	seen := map[string]string{}
	for _, r := range Rules {
		a := archiveOf(r.Example)
		moved := map[string][]byte{}
		for name, data := range a.wrong {
			if strings.HasSuffix(name, ".yaml") {
				data = append([]byte("# A comment.\n\n"), data...)
			}
			moved[name] = data
		}
		before, after := lint(t, a.wrong), lint(t, moved)
		if len(before) != len(after) {
			t.Fatalf("%s: %d findings, and %d when lines move", r.ID, len(before), len(after))
		}
		within := map[string]bool{}
		for i := range before {
			f := &before[i]
			if f.Fingerprint != after[i].Fingerprint || within[f.Fingerprint] {
				t.Errorf("%s: the fingerprint of %q is not its own", r.ID, f.Message)
			}
			within[f.Fingerprint] = true
			if other := seen[f.Fingerprint]; other != "" && other != f.Rule+f.Path {
				t.Errorf("%s shares a fingerprint with %s", f.Rule+f.Path, other)
			}
			seen[f.Fingerprint] = f.Rule + f.Path
		}
	}
}
