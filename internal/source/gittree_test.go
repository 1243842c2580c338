package source

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

func TestGitTreeLinks(t *testing.T) {
	r := emptyRepository(t)
	r.write("a/b/f", "text")
	for link, to := range map[string]string{
		"a/file": "b/f", "a/dir": "b", "up": "a/dir/../b", "a/out": "../../etc/passwd", "abs": "/etc/passwd", "ring": "ring", "broken": "nope",
	} {
		if err := os.Symlink(to, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	r.write("sub/f", "1")
	r.git("add", "-A")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	r.git("commit", "-qm", "1")
	tree, _, err := read(t, "HEAD", "sub/f", Options{Dir: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	onDisk, _, err := read(t, r.dir, "sub/f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a/file": "text", "a/dir/f": "text", "up/f": "text"} {
		for _, tree := range []*Tree{tree, onDisk} {
			if got, err := tree.ReadFile(path); string(got) != want || err != nil {
				t.Errorf("%s in %s: got %q, %v", path, tree.Name, got, err)
			}
		}
	}
	for path, want := range map[string]string{
		"a/out": "a/out: the symbolic link a/out leads out of the tree", "abs": "leads out of the tree", "ring": "lead to each other",
		"broken": "no such file in HEAD", "module": "a submodule", "a": "a directory where a file is wanted", "../x": "not a path inside HEAD",
	} {
		_, err := tree.ReadFile(path)
		wantError(t, err, want)
		if path != "module" {
			if _, err := onDisk.ReadFile(path); err == nil {
				t.Errorf("%s on disk was read", path)
			}
		}
	}
}

func TestGitTreeIsAFileSystem(t *testing.T) {
	r := history(t)
	tree, _, err := read(t, "HEAD", "sub/f", Options{Dir: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree.FS, "sub/f"); err != nil {
		t.Error(err)
	}
	onDisk, _, err := read(t, r.dir, "sub/f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, errA := tree.Hash("sub/f")
	b, errB := onDisk.Hash("sub/f")
	if want := r.git("hash-object", "sub/f"); a != want || b != want {
		t.Errorf("got %s (%v) and %s (%v), want %s", a, errA, b, errB, want)
	}
}

// TestGitTreeForged reads a tree that names files as no honest tree does.
func TestGitTreeForged(t *testing.T) {
	r := emptyRepository(t)
	blob := r.git("hash-object", "-w", "--stdin") // of nothing
	raw, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	var tree bytes.Buffer
	for _, name := range []string{"..", "f", "\xff"} {
		fmt.Fprintf(&tree, "100644 %s\x00%s", name, raw)
	}
	r.write("tree", tree.String())
	id := r.git("hash-object", "-w", "--literally", "-t", "tree", "tree")
	r.git("update-ref", "refs/heads/main", r.git("commit-tree", "-m", "1", id))
	got, _, err := read(t, "HEAD", "f", Options{Dir: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	if list := paths(t, got.FS); list != "f" {
		t.Errorf("got %q", list)
	}
}

func TestGitTreeTogether(t *testing.T) {
	r := emptyRepository(t)
	for i := range 20 {
		r.write(string(rune('a'+i)), strings.Repeat(string(rune('a'+i)), 1000*i))
	}
	r.commit("1")
	tree, _, err := read(t, "HEAD", "sub/f", Options{Dir: r.dir, Limits: Limits{File: 18_000}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			name := string(rune('a' + i%20))
			got, err := tree.ReadFile(name)
			switch {
			case i%20 == 19:
				wantError(t, err, "t: larger than the 18000 bytes that are read")
			case string(got) != strings.Repeat(name, 1000*(i%20)) || err != nil:
				t.Errorf("%s: got %d bytes, %v", name, len(got), err)
			}
		})
	}
	wg.Wait()
	tree.Close()
	tree.Close()
	_, err = tree.ReadFile("b")
	wantError(t, err, "the tree was closed")
}

func TestGitTreeEndsWithItsContext(t *testing.T) {
	r := history(t)
	ctx, cancel := context.WithCancel(t.Context())
	tree, err := Open(ctx, "HEAD", Options{Dir: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	cancel()
	if _, err := tree.FS.(*listFS).read("x", &entry{id: strings.Repeat("0", 40)}); err == nil {
		_, err = tree.ReadFile("sub/f")
		t.Logf("ended later: %v", err)
	}
	if _, err := Open(ctx, "HEAD", Options{Dir: r.dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
