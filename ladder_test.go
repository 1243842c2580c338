// Package evcontract_test holds what is true of the module as a whole.
package evcontract_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ladder says on which floor each package stands. Imports go down only: a
// package imports floors below its own. Left of the bar is the tool, right of
// it the runtime; the two never import each other, and they meet in the
// programs on the top floor, which may also import one another. Floor 0 is
// data for the programs. Tests may import what they like.
//
// "*" stands for one path element, a final "..." for the package and all below.
const ladder = `
6  cmd/evcontract examples/... internal/figures
5  internal/load internal/lint internal/compat internal/codegen internal/catalog internal/vet
4  internal/protobuf internal/jsonschema
3  internal/contract internal/report    | store/* broker/* metrics delivery/deliverytest
2  internal/rule                        | delivery
1  internal/source internal/compat/contain internal/compat/rollout | event
0  .
`

// standardOnly are the packages that user code compiles against: they import
// the standard library and each other.
var standardOnly = []string{"event", "delivery"}

// dumpingGrounds are names that say nothing about what a package is for.
var dumpingGrounds = []string{"util", "utils", "common", "helper", "helpers", "types", "shared"}

const programs = 6

// rung is where a package stands.
type rung struct {
	pattern string
	floor   int
	stair   string // "tool", "runtime", or "" for programs and data
}

// pkg is a package of this module.
type pkg struct {
	Path    string // relative to the module
	Name    string
	Imports []string // that are not tests'
}

func TestLadder(t *testing.T) {
	packages, module := list(t)
	for _, problem := range climb(rungs(t), packages, module) {
		t.Error(problem)
	}
}

// TestLadderCatches shows that each kind of wrong step is seen.
func TestLadderCatches(t *testing.T) {
	table := rungs(t)
	for _, c := range []struct {
		path, imports, want string
	}{
		{"internal/rule", "m/internal/contract", "imports upward"},
		{"internal/lint", "m/internal/compat", "imports sideways"},
		{"store/sqlite", "m/broker/memory", "imports sideways"},
		{"internal/lint", "m/event", "crosses from the tool to the runtime"},
		{"broker/kafka", "m/internal/source", "crosses from the runtime to the tool"},
		{"internal/lint", "m", "data is for programs"},
		{"internal/source", "m/cmd/evcontract", "imports upward"},
		{"event", "github.com/google/uuid", "standard library only"},
		{"delivery", "golang.org/x/sync/errgroup", "standard library only"},
		{"internal/compat/walk", "", "no floor"},
		{"store/sqlite/migrations", "", "no floor"},
		{"internal/lint", "m/internal/lint/walk", "no floor"},
		{"examples/orders/util", "", "says nothing"},
		{"delivery", "m/event", ""},
		{"cmd/evcontract", "m/examples/orders/shop", ""},
		{"examples/orders/shop", "m/examples/orders/events", ""},
		{"examples/orders/shop", "m/store/sqlite", ""},
		{"internal/compat", "m/internal/compat/contain", ""},
	} {
		p := pkg{Path: c.path, Name: path.Base(c.path)}
		if c.imports != "" {
			p.Imports = []string{c.imports}
		}
		got := strings.Join(climb(table, []pkg{p}, "m"), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s importing %q: %q, want %q", c.path, c.imports, got, c.want)
		}
	}
}

// climb finds every step that the ladder does not allow.
func climb(table []rung, packages []pkg, module string) []string {
	var problems []string
	for _, p := range packages {
		if slices.Contains(dumpingGrounds, p.Name) || slices.Contains(dumpingGrounds, path.Base(p.Path)) {
			problems = append(problems, fmt.Sprintf("%s: the name says nothing of what it is for", p.Path))
		}
		from, ok := find(table, p.Path)
		if !ok {
			problems = append(problems, fmt.Sprintf("%s has no floor: give it one in ladder_test.go", p.Path))
			continue
		}
		for _, imported := range p.Imports {
			if wrong := step(table, from, p.Path, imported, module); wrong != "" {
				problems = append(problems, fmt.Sprintf("%s -> %s: %s", p.Path, imported, wrong))
			}
		}
	}
	return problems
}

// step says what is wrong with one import, "" where nothing is.
func step(table []rung, from rung, importer, imported, module string) string {
	inside, ours := strings.CutPrefix(imported, module+"/")
	if imported == module {
		inside, ours = ".", true
	}
	if !ours {
		first, _, _ := strings.Cut(imported, "/")
		if slices.Contains(standardOnly, importer) && strings.Contains(first, ".") {
			return "imports the standard library only"
		}
		return ""
	}
	to, ok := find(table, inside)
	switch {
	case !ok:
		return "has no floor"
	case from.floor == programs:
		return ""
	case to.floor > from.floor:
		return fmt.Sprintf("imports upward, from floor %d to %d", from.floor, to.floor)
	case to.floor == from.floor:
		return fmt.Sprintf("imports sideways, on floor %d", from.floor)
	case to.stair == "":
		return "data is for programs"
	case to.stair != from.stair:
		return fmt.Sprintf("crosses from the %s to the %s", from.stair, to.stair)
	}
	return ""
}

// rungs reads the table.
func rungs(t *testing.T) []rung {
	var table []rung
	for line := range strings.Lines(strings.TrimSpace(ladder)) {
		var floor int
		if _, err := fmt.Sscan(line, &floor); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		tool, runtime, _ := strings.Cut(strings.TrimLeft(line, "0123456789"), "|")
		left := "tool"
		if floor == programs || floor == 0 {
			left = ""
		}
		for _, pattern := range strings.Fields(tool) {
			table = append(table, rung{pattern, floor, left})
		}
		for _, pattern := range strings.Fields(runtime) {
			table = append(table, rung{pattern, floor, "runtime"})
		}
	}
	return table
}

func find(table []rung, name string) (rung, bool) {
	for _, r := range table {
		tree, below := strings.CutSuffix(r.pattern, "/...")
		if below && (name == tree || strings.HasPrefix(name, tree+"/")) {
			return r, true
		}
		if ok, _ := path.Match(r.pattern, name); ok {
			return r, true
		}
	}
	return rung{}, false
}

// list reads the imports of every package that has code besides tests, whatever
// it is built for. It reads the files itself and does not ask go list, so that go
// test knows what the result depends on and never shows a stale one.
func list(t *testing.T) ([]pkg, string) {
	module := moduleName(t)
	byPath := map[string]*pkg{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && file != "." && elsewhere(file, name):
			return filepath.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		at := filepath.ToSlash(filepath.Dir(file))
		if byPath[at] == nil {
			byPath[at] = &pkg{Path: at, Name: f.Name.Name}
		}
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			byPath[at].Imports = append(byPath[at].Imports, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(byPath) < 10 {
		t.Fatalf("found %d packages only", len(byPath))
	}
	var packages []pkg
	for _, at := range slices.Sorted(maps.Keys(byPath)) {
		p := *byPath[at]
		slices.Sort(p.Imports)
		p.Imports = slices.Compact(p.Imports)
		packages = append(packages, p)
	}
	return packages, module
}

// elsewhere reports whether a folder is none of the module's packages.
func elsewhere(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || name == "testdata" || name == "vendor" || strings.ContainsAny(name[:1], "._")
}

func moduleName(t *testing.T) string {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name)
		}
	}
	t.Fatal("go.mod names no module")
	return ""
}
