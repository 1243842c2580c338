package source

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

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

// TestOpenGitAlone has no remote: whoever named another branch is told which there are.
func TestOpenGitAlone(t *testing.T) {
	r := history(t)
	o := Options{Dir: r.dir}
	_, err := Open(t.Context(), "elsewhere", o)
	wantError(t, err, "no branch, tag or commit of the repository, which has no remote to fetch it from: its branches are ")
	_, err = Open(t.Context(), "HEAD~99", o)
	wantError(t, err, "its history is not that long")
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		r.git("branch", name)
	}
	_, err = Open(t.Context(), "elsewhere", o)
	wantError(t, err, ", …")
	if got := CurrentBranch(t.Context(), r.dir); got == "" {
		t.Error("no branch is current")
	}
	if got := CurrentBranch(t.Context(), t.TempDir()); got != "" {
		t.Errorf("%s is current where there is no repository", got)
	}
}

// TestOpenGitInHook has the variables that git sets for the hooks of another
// repository.
func TestOpenGitInHook(t *testing.T) {
	r := history(t)
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "nowhere"))
	t.Setenv("GIT_INDEX_FILE", "nowhere")
	if _, got, err := read(t, "main", "sub/f", Options{Dir: r.dir}); got != "2" || err != nil {
		t.Errorf("got %q, %v", got, err)
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
