package source

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// repository is a real git repository in a temporary directory.
type repository struct {
	t   testing.TB
	dir string
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	// Housekeeping in the background would race with the removal of the directory.
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repository) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// commit writes sub/f and commits it.
func (r repository) commit(text string) string {
	r.t.Helper()
	r.write("sub/f", text)
	r.git("add", "-A")
	r.git("commit", "-qm", text)
	return r.git("rev-parse", "HEAD")
}

func emptyRepository(t testing.TB, args ...string) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r := repository{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// history is
//
//	1 ─ 2 (v1.0.0) ─ 3 (main, origin/trunk)
//	     └ 4 ─ 5 (feature, HEAD)
func history(t *testing.T) repository {
	r := emptyRepository(t)
	r.commit("1")
	r.commit("2")
	r.git("tag", "-a", "-m", "x", "v1.0.0")
	r.git("checkout", "-qb", "feature")
	r.commit("4")
	r.commit("5")
	r.git("checkout", "-q", "main")
	r.commit("3")
	r.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
	r.git("checkout", "-q", "feature")
	return r
}

func (r repository) clone(args ...string) repository {
	r.t.Helper()
	to := r.t.TempDir()
	r.git(append(append([]string{"clone", "-q"}, args...), "file://"+r.dir, to)...)
	return repository{r.t, to}
}

// read opens a ref and gives the content of a file.
func read(t *testing.T, ref, file string, o Options) (*Tree, string, error) {
	t.Helper()
	tree, err := Open(t.Context(), ref, o)
	if err != nil {
		return nil, "", err
	}
	t.Cleanup(func() { tree.Close() })
	data, err := tree.ReadFile(file)
	return tree, string(data), err
}

func TestOpenGitRefs(t *testing.T) {
	r := history(t)
	t.Chdir(r.dir)
	for _, c := range []struct{ ref, want, name string }{
		{"main", "2", "main (merge base)"},
		{"heads/main", "2", "heads/main (merge base)"},
		{"refs/heads/main", "2", "refs/heads/main (merge base)"},
		{"trunk", "2", "trunk (merge base)"},
		{"origin/trunk", "2", "origin/trunk (merge base)"},
		{"v1.0.0", "2", "v1.0.0"},
		{"HEAD", "5", "HEAD"},
		{"@", "5", "@"},
		{"HEAD~3", "1", "HEAD~3"},
		{"main~0", "3", "main~0"},
		{"feature", "4", "feature (HEAD's parent)"},
		{r.git("rev-parse", "main"), "3", r.git("rev-parse", "main")},
		{r.git("rev-parse", "--short=8", "main"), "3", r.git("rev-parse", "--short=8", "main")},
		{".git#branch=main", "2", ".git#branch=main (merge base)"},
		{".git#tag=v1.0.0", "2", ".git#tag=v1.0.0"},
		{".git#ref=HEAD~1", "4", ".git#ref=HEAD~1"},
	} {
		tree, got, err := read(t, c.ref, "sub/f", Options{})
		if err != nil || got != c.want || tree.Name != c.name || tree.Ref != c.ref {
			t.Errorf("%s: got %q as %+v, want %q as %q: %v", c.ref, got, tree, c.want, c.name, err)
		}
	}
}

func TestOpenGitSubdirectory(t *testing.T) {
	r := history(t)
	sub := filepath.Join(r.dir, "sub")
	for _, c := range []struct {
		ref, file string
		o         Options
	}{
		{"v1.0.0", "f", Options{Dir: sub}},
		{filepath.Join(r.dir, ".git") + "#tag=v1.0.0,subdir=sub", "f", Options{}},
		{r.dir + "#tag=v1.0.0,subdir=./sub/", "f", Options{}},
		{".git#tag=v1.0.0", "sub/f", Options{Dir: sub}},
	} {
		if _, got, err := read(t, c.ref, c.file, c.o); got != "2" || err != nil {
			t.Errorf("%s: got %q, %v", c.ref, got, err)
		}
	}
	r.write("new/f", "x")
	_, err := Open(t.Context(), "main", Options{Dir: filepath.Join(r.dir, "new")})
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "main (merge base): has no directory new" {
		t.Errorf("got %v", err)
	}
}

func TestOpenGitWhere(t *testing.T) {
	r := history(t)
	other := r.clone()
	bare := r.clone("--bare")
	work := repository{t, filepath.Join(t.TempDir(), "work")}
	r.git("worktree", "add", "-q", "-b", "side", work.dir, "main")
	for _, c := range []struct {
		ref  string
		dir  string
		want string
	}{
		{"v1.0.0", work.dir, "2"},
		{"feature", work.dir, "2"}, // the merge base of side and feature
		{"v1.0.0", bare.dir, "2"},
		{bare.dir + "#branch=main", r.dir, "3"},  // another repository: its tip
		{other.dir + "#branch=main", r.dir, "3"}, // origin's, the clone has feature only
		{filepath.Join(work.dir, ".git") + "#branch=main", r.dir, "2"},
	} {
		if _, got, err := read(t, c.ref, "sub/f", Options{Dir: c.dir}); got != c.want || err != nil {
			t.Errorf("%s in %s: got %q, %v, want %q", c.ref, c.dir, got, err, c.want)
		}
	}
}

func TestOpenGitOwnTip(t *testing.T) {
	r := history(t)
	o := Options{Dir: r.dir}
	r.git("checkout", "-q", "--detach", "main")
	if _, got, err := read(t, "main", "sub/f", o); got != "2" || err != nil {
		t.Errorf("detached at main: got %q, %v", got, err)
	}
	r.git("checkout", "-q", "-b", "fresh")
	if _, got, err := read(t, "main", "sub/f", o); got != "3" || err != nil {
		t.Errorf("a new branch at main's tip: got %q, %v", got, err)
	}
}

func TestOpenGitErrors(t *testing.T) {
	r := history(t)
	r.git("update-ref", "refs/remotes/upstream/next", "HEAD")
	r.git("remote", "add", "origin", "https://example.org/x.git")
	r.git("checkout", "-q", "--orphan", "alone")
	r.commit("6")
	o := Options{Dir: r.dir}
	t.Chdir(t.TempDir())
	for ref, want := range map[string]string{
		"":                            "an empty ref",
		"-x":                          `"-x" begins with a dash`,
		"--output=x":                  "begins with a dash",
		"main..feature":               "is a range",
		"main:sub":                    "has a colon",
		"a b":                         "neither a path that exists nor a git ref",
		"man":                         `did you mean "main"?`,
		"next":                        `did you mean "upstream/next"?`,
		"nope/nope":                   "\n  git fetch origin +refs/heads/nope/nope:refs/remotes/origin/nope/nope",
		"origin/release":              "\n  git fetch origin +refs/heads/release:refs/remotes/origin/release",
		"$(x)":                        "\n  git fetch origin '+refs/heads/$(x):refs/remotes/origin/$(x)'",
		"v9.9.9":                      "\n  git fetch origin +refs/tags/v9.9.9:refs/tags/v9.9.9",
		strings.Repeat("0f", 20):      "\n  git fetch origin 0f0f",
		"HEAD~99":                     "its history is not that long",
		"main":                        "main and HEAD have no commit in common",
		"alone":                       "HEAD is the tip of alone and its first commit",
		"./main":                      "./main: no such file or directory",
		"x.json":                      "x.json: no such file or directory",
		r.dir + "#brunch=x":           `unknown key "brunch": did you mean "branch"?`,
		r.dir + "#branch":             `"branch" is not KEY=VALUE`,
		r.dir + "#branch=a,tag=b":     "names both a branch and a tag",
		r.dir + "#subdir=../x":        `the subdir "../x" is not a path`,
		r.dir + "#subdir=/etc/passwd": "has no directory etc/passwd",
		r.dir + "#subdir=sub/f":       "has a file sub/f where a directory is wanted",
		r.dir + "#commit=main":        "commit=main is no commit's id",
		r.dir + "#tag=HEAD":           `"HEAD" is no tag`,
		r.dir + "#ref=-x":             "begins with a dash",
		"nowhere/.git#branch=main":    "nowhere/.git: no such file or directory",
	} {
		_, err := Open(t.Context(), ref, o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want …%s", ref, err, want)
		}
	}
}

func TestOpenGitWithout(t *testing.T) {
	unborn := emptyRepository(t)
	_, err := Open(t.Context(), "main", Options{Dir: unborn.dir})
	wantError(t, err, `"main" means nothing yet: the repository at `+unborn.dir+" has no commit")
	_, err = Open(t.Context(), "main", Options{Dir: t.TempDir()})
	wantError(t, err, `"main" is no file or directory here, and`)
	wantError(t, err, "is not in a git repository")

	r := history(t)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err = Open(t.Context(), "main", Options{Dir: r.dir})
	wantError(t, err, "\n  git config --global --add safe.directory "+r.dir)
	t.Setenv("PATH", "")
	_, err = Open(t.Context(), "main", Options{Dir: r.dir})
	wantError(t, err, "git is not installed")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestOpenGitShallow runs the command that each error prints, and tries again.
func TestOpenGitShallow(t *testing.T) {
	r := history(t)
	for _, c := range []struct{ ref, want, command, then string }{
		{"main", "merge base", "git fetch --unshallow origin +refs/heads/main:refs/remotes/origin/main", "2"},
		{"feature", "HEAD is the tip of feature", "git fetch --deepen=1", "4"},
		{"HEAD~2", "HEAD~2", "git fetch --unshallow origin", "2"},
		{"v1.0.0", "v1.0.0", "git fetch --depth=1 origin +refs/tags/v1.0.0:refs/tags/v1.0.0", "2"},
		{r.git("rev-parse", "main"), "", "git fetch --depth=1 origin " + r.git("rev-parse", "main"), "3"},
	} {
		clone := r.clone("--depth=1")
		_, _, err := read(t, c.ref, "sub/f", Options{Dir: clone.dir})
		wantError(t, err, "\n  "+c.command)
		clone.git(strings.Fields(c.command)[1:]...)
		if _, got, err := read(t, c.ref, "sub/f", Options{Dir: clone.dir}); got != c.then || err != nil {
			t.Errorf("%s after %s: got %q, %v", c.ref, c.command, got, err)
		}
	}
}

func TestOpenGitShallowWithoutMergeBase(t *testing.T) {
	clone := history(t).clone("--depth=1", "--no-single-branch")
	_, _, err := read(t, "main", "sub/f", Options{Dir: clone.dir})
	wantError(t, err, "\n  git fetch --unshallow")
	clone.git("fetch", "--unshallow")
	if _, got, err := read(t, "main", "sub/f", Options{Dir: clone.dir}); got != "2" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOpenGitPartial(t *testing.T) {
	r := history(t)
	r.git("config", "uploadpack.allowFilter", "true")
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	clone := r.clone("--filter=blob:none")
	_, _, err := read(t, "v1.0.0", "sub/f", Options{Dir: clone.dir})
	wantError(t, err, "its content is not in this clone, which is a partial one: run\n  git fetch --refetch --no-filter")
	clone.git("fetch", "-q", "--refetch", "--no-filter")
	if _, got, err := read(t, "v1.0.0", "sub/f", Options{Dir: clone.dir}); got != "2" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOpenEither(t *testing.T) {
	r := history(t)
	r.write("main/sub/f", "a directory")
	r.write("deadbeef/sub/f", "looks like an id")
	t.Chdir(r.dir)
	for _, c := range []struct{ ref, name, want string }{
		{"main", "main (merge base, the git ref; for the path write ./main)", "2"},
		{"./main", "./main", "a directory"},
		{"deadbeef", "deadbeef", "looks like an id"},
		{"sub/../main", "sub/../main", "a directory"},
	} {
		tree, got, err := read(t, c.ref, "sub/f", Options{})
		if err != nil || got != c.want || tree.Name != c.name {
			t.Errorf("%s: got %q as %+v: %v", c.ref, got, tree, err)
		}
	}
	if _, got, err := read(t, "main", "sub/f", Options{PathOnly: true}); got != "a directory" || err != nil {
		t.Errorf("PathOnly: got %q, %v", got, err)
	}
}

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
