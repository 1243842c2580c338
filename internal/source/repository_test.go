package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
