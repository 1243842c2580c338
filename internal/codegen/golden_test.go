package codegen

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
)

const generated = "../../testdata/gen"

// TestGolden holds what is generated for every workspace of testdata/gen
// against the files there, which the other tests compile and run.
func TestGolden(t *testing.T) {
	for _, name := range []string{"shop", "parcels", "speed", "options", "vendored"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(generated, name)
			files, warnings := generate(t, loadSet(t, dir), name)
			files["warnings.txt"] = []byte(strings.Join(warnings, "\n") + "\n")
			compareFiles(t, filepath.Join(dir, "events"), files)
		})
	}
}

func generate(t *testing.T, set *contract.Set, name string) (files map[string][]byte, warnings []string) {
	t.Helper()
	o := Options{Module: "github.com/evcontract/evcontract", Package: "events"}
	o.Import = o.Module + "/testdata/gen/" + name + "/events"
	files, found, err := Go(set, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		warnings = append(warnings, f.New.String()+": "+f.Severity.String()+": "+f.Path+": "+f.Message)
	}
	if files == nil {
		t.Fatal(strings.Join(warnings, "\n"))
	}
	again, _, _ := Go(set, o)
	if !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("a second run gives something else")
	}
	return files, warnings
}

// TestExamples holds the generated code of the examples, which evcontract
// generate wrote, in the same way.
func TestExamples(t *testing.T) {
	const module = "github.com/evcontract/evcontract"
	for _, c := range []struct{ workspace, out, path string }{
		{"../..", "examples/orders/events", module + "/examples/orders/events"},
		{"../../examples/warehouse", "events", "example.com/warehouse/events"},
	} {
		files, findings, err := Go(loadSet(t, c.workspace), Options{Module: module, Package: "events", Import: c.path})
		if err != nil || files == nil {
			t.Fatal(err, findings)
		}
		compareFiles(t, filepath.Join(c.workspace, c.out), files)
	}
}

// compareFiles holds files against those in a directory, and writes them with
// UPDATE=1. Files that are there and were not generated are stale, except for
// tests.
func compareFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	update := os.Getenv("UPDATE") != ""
	if update {
		for _, path := range generatedIn(t, dir) {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, files[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(files[name], want) {
			t.Errorf("%s is stale (UPDATE=1 rewrites it): %v", path, err)
		}
	}
	for _, path := range generatedIn(t, dir) {
		if info, _ := os.Stat(path); files[filepath.Base(path)] == nil && !info.IsDir() {
			t.Errorf("%s is no longer generated", path)
		}
	}
}

// generatedIn lists what lies in a directory, except for tests.
func generatedIn(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
}

// TestVendored holds that a copy of another repository's contract is read here
// and never published, and that one without a reader makes no code.
func TestVendored(t *testing.T) {
	files, _ := generate(t, loadSet(t, filepath.Join(generated, "vendored")), "vendored")
	for _, want := range []string{"order_paid_v1.go", "parcel_sent_v1.go", "courier.go"} {
		if files[want] == nil {
			t.Errorf("there is no %s", want)
		}
	}
	for name, data := range files {
		for _, unwanted := range []string{"func Publish", "func Draft", "OrderPaidV1Key", "ParcelSentV1Key", "identifyParcelLostV1"} {
			if bytes.Contains(data, []byte(unwanted)) {
				t.Errorf("%s has %s", name, unwanted)
			}
		}
	}
}

// TestGenerated compiles, vets and runs what is generated: the tests stand
// beside the generated code, so that code that doesn't compile cannot keep
// these tests from rewriting it.
func TestGenerated(t *testing.T) {
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = generated
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
