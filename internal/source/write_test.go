package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWriteFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dir")
	if err := WriteFiles(dir, map[string][]byte{"a": []byte("1"), "b/c/d": []byte("2")}); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"a", "b/c/d"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "b/c/d"), 0o751); err != nil {
		t.Fatal(err)
	}
	if err := WriteFiles(dir, map[string][]byte{"a": []byte("1"), "b/c/d": []byte("3")}); err != nil {
		t.Fatal(err)
	}
	if got := paths(t, os.DirFS(dir)); got != "a b/c/d" {
		t.Errorf("got the files %s", got)
	}
	a, _ := os.Stat(filepath.Join(dir, "a"))
	d, _ := os.Stat(filepath.Join(dir, "b/c/d"))
	if !a.ModTime().Equal(old) || d.ModTime().Equal(old) || d.Mode().Perm() != 0o751 {
		t.Errorf("got %v, %v and %v", a.ModTime(), d.ModTime(), d.Mode())
	}
}

func TestWriteFilesRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o777); err != nil {
		t.Fatal(err)
	}
	repository{t, dir}.write("file", "old")
	for bad, want := range map[string]string{
		"../x": "../x: not a path inside", "/x": "not a path inside", ".": "not a path inside", "a/../x": "not a path inside",
		"out/x": "cannot be written", "taken": "taken: cannot be written: something that is no file is in the way", "file/x": "file/x: cannot be written",
	} {
		err := WriteFiles(dir, map[string][]byte{"file": []byte("new"), "also/made": nil, bad: nil})
		wantError(t, err, want)
		if got, _ := os.ReadFile(filepath.Join(dir, "file")); string(got) != "old" {
			t.Errorf("%s: the other file was written", bad)
		}
		if got := paths(t, os.DirFS(dir)); got != "file out" {
			t.Errorf("%s: left %s", bad, got)
		}
		if _, err := os.Stat(filepath.Join(dir, "also")); err == nil {
			t.Errorf("%s: left a directory", bad)
		}
	}
}

// TestWriteFilesFailsHalfway has a rename fail after others succeeded.
func TestWriteFilesFailsHalfway(t *testing.T) {
	for good := range 4 {
		dir := t.TempDir()
		repository{t, dir}.write("a", "old a")
		repository{t, dir}.write("c", "old c")
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		left := good
		w := writer{root: root, rename: func(from, to string) error {
			if left--; left < 0 {
				return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrPermission}
			}
			return root.Rename(from, to)
		}}
		if err := w.all(map[string][]byte{"a": []byte("1"), "b": []byte("2"), "c": []byte("3"), "d/e": []byte("4")}); err == nil {
			t.Fatal("no error")
		}
		w.undo()
		if got := paths(t, os.DirFS(dir)); got != "a c" {
			t.Errorf("after %d renames: left %s", good, got)
		}
		for name, want := range map[string]string{"a": "old a", "c": "old c"} {
			if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
				t.Errorf("after %d renames: %s holds %q", good, name, got)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "d")); err == nil {
			t.Errorf("after %d renames: left a directory", good)
		}
	}
}

func TestWriteFilesWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, fs.FileMode(0o555)); err != nil {
		t.Fatal(err)
	}
	wantError(t, WriteFiles(dir, map[string][]byte{"a": nil}), "give write permission, or name another directory")
}

// TestWriteFilesNamesTheFile: whoever cannot write reads the name that was asked
// for, not that of the temporary file, which is too long here.
func TestWriteFilesNamesTheFile(t *testing.T) {
	dir, name := t.TempDir(), strings.Repeat("n", 250)
	err := WriteFiles(dir, map[string][]byte{name: []byte("1")})
	wantError(t, err, dir+"/"+name+": cannot be written: file name too long")
}
