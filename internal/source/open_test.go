package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenDirectoryAndFile(t *testing.T) {
	dir := t.TempDir()
	repository{t, dir}.write("a/x.json", "{}")
	repository{t, dir}.write("y.json", "[]")
	t.Chdir(dir)
	tree, got, err := read(t, "a", "x.json", Options{})
	if err != nil || got != "{}" || tree.Dir != filepath.Join(dir, "a") || tree.Name != "a" || tree.File != "" || tree.Commit != "" {
		t.Errorf("got %q as %+v: %v", got, tree, err)
	}
	tree, got, err = read(t, "a/x.json", "x.json", Options{})
	if err != nil || got != "{}" || tree.Dir != filepath.Join(dir, "a") || tree.File != "x.json" {
		t.Errorf("got %q as %+v: %v", got, tree, err)
	}
	tree, got, err = read(t, "y.json", "a/x.json", Options{})
	if err != nil || got != "{}" || tree.File != "y.json" {
		t.Errorf("got %q as %+v: %v", got, tree, err)
	}
	if _, err := tree.ReadFile("nope"); !errors.Is(err, fs.ErrNotExist) || err.Error() != "nope: no such file in y.json" {
		t.Errorf("got %v", err)
	}
}

func TestOpenLinkedFile(t *testing.T) {
	dir := t.TempDir()
	repository{t, dir}.write("real/x.json", "{}")
	repository{t, dir}.write("real/neighbour.json", "1")
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(filepath.Join(dir, "real/x.json"), link); err != nil {
		t.Skip(err)
	}
	tree, got, err := read(t, link, "neighbour.json", Options{})
	if err != nil || got != "1" || tree.File != "x.json" || tree.Name != link {
		t.Errorf("got %q as %+v: %v", got, tree, err)
	}
}

func TestDirectoryLimits(t *testing.T) {
	dir := t.TempDir()
	repository{t, dir}.write("large", strings.Repeat("x", 11))
	repository{t, dir}.write("exact", strings.Repeat("x", 10))
	tree, _, err := read(t, dir, "exact", Options{Limits: Limits{File: 10}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tree.ReadFile("large")
	wantError(t, err, "large: larger than the 10 bytes that are read")
	_, err = tree.ReadFile(".")
	wantError(t, err, "a directory where a file is wanted")
	_, err = tree.ReadFile("/etc/passwd")
	wantError(t, err, "not a path inside")
}

func TestDirectoryLinksOut(t *testing.T) {
	dir := t.TempDir()
	repository{t, dir}.write("f", "")
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	tree, _, err := read(t, dir, "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tree.ReadFile("out/x")
	wantError(t, err, "out/x: a symbolic link leads out of the tree, where it is not followed")
}

func TestOpenMistyped(t *testing.T) {
	r := emptyRepository(t)
	r.commit("1")
	r.write("contracts/order.json", "{}")
	if err := os.Symlink("moved.json", filepath.Join(r.dir, "gone.json")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(r.dir)
	for ref, want := range map[string]string{
		"contrcts":              `: did you mean "contracts"?`,
		"./contrcts":            `./contrcts: no such file or directory: did you mean "./contracts"?`,
		"contracts/oder.json":   `contracts/oder.json: no such file or directory: did you mean "contracts/order.json"?`,
		"nowhere/x/y/oder.json": "nowhere/x/y/oder.json: no such file or directory",
		"./gone.json":           "./gone.json: a link to moved.json, which is not there",
	} {
		_, err := Open(t.Context(), ref, Options{})
		wantError(t, err, want)
	}
}
