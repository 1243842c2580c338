package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// item is one entry of an archive that a test makes.
type item struct {
	name string
	kind byte // a tar type flag; 0 is a file
	text string
}

func makeTar(t testing.TB, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, i := range items {
		h := &tar.Header{Name: i.name, Typeflag: i.kind, Mode: 0o644, Size: int64(len(i.text))}
		if i.kind == tar.TypeSymlink || i.kind == tar.TypeLink {
			h.Linkname, h.Size = i.text, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			fmt.Fprint(w, i.text)
		}
	}
	w.Close()
	return b.Bytes()
}

func makeGzip(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func makeZip(t testing.TB, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, i := range items {
		h := &zip.FileHeader{Name: i.name, Method: zip.Deflate}
		if i.kind == tar.TypeSymlink {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, i.text)
	}
	w.Close()
	return b.Bytes()
}

func saved(t *testing.T, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// paths lists the files of a tree.
func paths(t testing.TB, tree fs.FS) string {
	t.Helper()
	var list []string
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestOpenArchive(t *testing.T) {
	plain := []item{{"a.json", 0, "1"}, {"b/", tar.TypeDir, ""}, {"b/c.json", 0, "2"}, {"d/e/f.json", 0, "3"}}
	prefixed := []item{{"top/", tar.TypeDir, ""}, {"top/a.json", 0, "1"}, {"top/b/c.json", 0, "2"}}
	dotted := []item{{"./", tar.TypeDir, ""}, {"./a.json", 0, "1"}}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"x.tar", makeTar(t, plain...), "a.json b/c.json d/e/f.json"},
		{"x.tar.gz", makeGzip(makeTar(t, plain...)), "a.json b/c.json d/e/f.json"},
		{"x.TGZ", makeGzip(makeTar(t, prefixed...)), "a.json b/c.json"},
		{"x.zip", makeZip(t, plain...), "a.json b/c.json d/e/f.json"},
		{"x.zip", makeZip(t, prefixed...), "a.json b/c.json"},
		{"x.tar", makeTar(t, dotted...), "a.json"},
		{"x.tar", makeTar(t, item{"top/a.json", 0, "1"}, item{"b", 0, ""}), "b top/a.json"},
	} {
		tree, err := Open(t.Context(), saved(t, c.name, c.data), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := paths(t, tree.FS); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if err := fstest.TestFS(tree.FS, strings.Fields(c.want)...); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenArchiveOfGit(t *testing.T) {
	r := history(t)
	for _, name := range []string{"x.tar", "x.tgz", "x.zip"} {
		to := filepath.Join(t.TempDir(), name)
		r.git("archive", "--prefix=some/", "-o", to, "v1.0.0")
		_, got, err := read(t, to, "some/sub/f", Options{})
		if err == nil || got != "" {
			t.Errorf("%s: the prefix was not entered", name)
		}
		tree, got, err := read(t, to, "f", Options{}) // some/ and sub/ are the only directories... of their level
		if err == nil {
			t.Errorf("%s: %s was read through two directories of %s", name, got, tree.Name)
		}
		_, got, err = read(t, to, "sub/f", Options{})
		if got != "2" || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestOpenArchiveRefuses(t *testing.T) {
	blanks := strings.Repeat(" ", 3<<20)
	limits := Limits{File: 4 << 20, Total: 6 << 20, Entries: 5}
	for name, c := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"absolute":       {"x.tar", makeTar(t, item{"/etc/x", 0, "1"}), `its entry "/etc/x" has an absolute path`},
		"drive":          {"x.tar", makeTar(t, item{"C:/x", 0, "1"}), "has an absolute path"},
		"upwards":        {"x.tar", makeTar(t, item{"a/../../x", 0, "1"}), `its entry "a/../../x" leads out`},
		"backslash":      {"x.zip", makeZip(t, item{`..\x`, 0, "1"}), "has a backslash"},
		"upwards in zip": {"x.zip", makeZip(t, item{"../x", 0, "1"}), `its entry "../x" leads out`},
		"directory out":  {"x.zip", makeZip(t, item{"../", 0, ""}), `its entry "../" leads out`},
		"symlink":        {"x.tar", makeTar(t, item{"l", tar.TypeSymlink, "a"}), `its entry "l" is a link`},
		"symlink in zip": {"x.zip", makeZip(t, item{"l", tar.TypeSymlink, "a"}), `its entry "l" is a link`},
		"hard link":      {"x.tar", makeTar(t, item{"l", tar.TypeLink, "a"}), "is a link"},
		"device":         {"x.tar", makeTar(t, item{"d", tar.TypeChar, ""}), `its entry "d" is neither a file nor a directory`},
		"pipe":           {"x.tar", makeTar(t, item{"d", tar.TypeFifo, ""}), "is neither a file nor a directory"},
		"twice":          {"x.tar", makeTar(t, item{"a", 0, "1"}, item{"./a", 0, "2"}), `its entry "./a" is there twice`},
		"twice in zip":   {"x.zip", makeZip(t, item{"a", 0, "1"}, item{"a", 0, "2"}), `its entry "a" is there twice`},
		"file and dir":   {"x.tar", makeTar(t, item{"a", 0, "1"}, item{"a/b", 0, "2"}), "a: both a file and a directory"},
		"many":           {"x.tar", makeTar(t, slices.Repeat([]item{{"a/", tar.TypeDir, ""}}, 6)...), `is one more than the 5 that are read`},
		"large file":     {"x.tar", makeTar(t, item{"a", 0, blanks + blanks}), `its entry "a" is larger than the 4 MiB`},
		"large together": {"x.tar", makeTar(t, item{"a", 0, blanks}, item{"b", 0, blanks}, item{"c", 0, " "}), `its entry "c" makes the files larger than the 6 MiB`},
		"ratio":          {"x.tgz", makeGzip(makeTar(t, item{"a", 0, blanks})), "it unpacks to more than 200 times its size"},
		"ratio in zip":   {"x.zip", makeZip(t, item{"a", 0, blanks}), `its entry "a" unpacks to more than 200 times its size`},
		"cut off":        {"x.tar", makeTar(t, item{"a", 0, "1234"})[:514], `the archive is broken at its entry "a"`},
		"no tar":         {"x.tar", []byte(strings.Repeat("x", 1024)), "not a tar file"},
		"no gzip":        {"x.tgz", []byte("x"), "not a gzip file"},
		"no zip":         {"x.zip", []byte("x"), "not a zip file"},
		"empty":          {"x.tar", makeTar(t), "the archive is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), saved(t, c.file, c.data), Options{Limits: limits})
			wantError(t, err, c.want)
		})
	}
}

func TestOpenArchiveHash(t *testing.T) {
	tree, _, err := read(t, saved(t, "x.zip", makeZip(t, item{"a", 0, "1\n"})), "a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tree.Hash("a"); got != "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// FuzzArchive looks for panics, for paths that lead out, and for more bytes than
// the limits allow.
func FuzzArchive(f *testing.F) {
	items := []item{{"top/", tar.TypeDir, ""}, {"top/a.json", 0, "{}"}, {"top/b/c.yaml", 0, "a: 1"}}
	f.Add(makeTar(f, items...))
	f.Add(makeGzip(makeTar(f, items...)))
	f.Add(makeZip(f, items...))
	f.Add(makeTar(f, item{"../x", 0, "1"}, item{"l", tar.TypeSymlink, "/"}))
	limits := Limits{File: 1 << 10, Total: 1 << 12, Entries: 20}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, unpack := range []func(*unpacker) error{
			func(u *unpacker) error { return u.tar(bytes.NewReader(data)) },
			func(u *unpacker) error { return u.gzip(bytes.NewReader(data)) },
			func(u *unpacker) error { return u.zip(bytes.NewReader(data), int64(len(data))) },
		} {
			u := newUnpacker(limits)
			if unpack(u) != nil {
				continue
			}
			if u.total > limits.Total || len(u.files) > limits.Entries {
				t.Fatalf("%d bytes in %d entries", u.total, len(u.files))
			}
			if tree, err := u.tree(); err == nil {
				paths(t, tree)
			}
		}
	})
}
