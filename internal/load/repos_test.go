package load

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// worktree is a folder on disk, perhaps with a repository in it.
type worktree struct {
	t   *testing.T
	dir string
}

func (w worktree) write(name, text string) worktree {
	w.t.Helper()
	full := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o777), os.WriteFile(full, []byte(text), 0o666)); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// release commits all files and tags them, annotated, on a day.
func (w worktree) release(tag, date string) worktree {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.dir, ".git")); err != nil {
		w.git(date, "init", "-q", "-b", "main")
	}
	w.git(date, "add", "-A")
	w.git(date, "commit", "-q", "--allow-empty", "-m", tag)
	w.git(date, "tag", "-a", tag, "-m", tag)
	return w
}

func (w worktree) git(date string, args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

const (
	paid    = "event: Paid.v1\nsummary: s\nowner: o\nproducer: orders\nschema: paid.schema.json\n"
	loyalty = "consumer: loyalty\nowner: o\nreads: [{event: Paid.v1}]\n"
)

func paidSchema(field string) string {
	return `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"` + field + `": {"type": "string"}}}`
}

// twoRepositories are orders, with a workspace, and loyalty, with a manifest only.
func twoRepositories(t *testing.T, workspace string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	worktree{t, filepath.Join(root, "loyalty")}.write("loyalty.consumer.yaml", loyalty).release("v0.1", "2026-10-01T00:00:00Z").
		write("loyalty.consumer.yaml", strings.Replace(loyalty, "Paid.v1", "Paid.v1, fields: [a]", 1)).release("v0.2", "2026-10-02T00:00:00Z")
	orders := worktree{t, filepath.Join(root, "orders")}
	orders.write("evcontract.yaml", workspace).write("contracts/paid.event.yaml", paid).
		write("contracts/paid.schema.json", paidSchema("a")).release("v1.0", "2026-10-01T00:00:00Z").
		write("contracts/paid.schema.json", paidSchema("b")).release("v1.1", "2026-10-05T00:00:00Z")
	return orders.dir
}

func openRepos(t *testing.T, dir string) (*Repos, error) {
	t.Helper()
	tree, err := source.Open(t.Context(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	set, err := Set(t.Context(), tree, Options{})
	if err != nil || len(set.Findings) > 0 {
		t.Fatal(err, set.Findings)
	}
	repos, err := OpenRepos(t.Context(), set, Options{})
	if err == nil {
		t.Cleanup(repos.Close)
	}
	return repos, err
}

const bothRepos = "repos:\n  loyalty: {path: ../loyalty, tags: \"v*\"}\nenvironments: {prod: prod.yaml}\n"

func TestReleases(t *testing.T) {
	repos, err := openRepos(t, twoRepositories(t, bothRepos))
	if err != nil {
		t.Fatal(err)
	}
	var walked []string
	for r, err := range repos.Releases(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, fmt.Sprintf("%s %s %d+%d", r.Repo.Path, r.Name, len(r.Set.Events), len(r.Set.Consumers)))
		if r.Name == "v0.2" {
			break // the older ones are not wanted
		}
	}
	want := []string{". v1.1 1+0", ". v1.0 1+0", "../loyalty v0.2 0+1"}
	if !slices.Equal(walked, want) {
		t.Errorf("%q, want %q", walked, want)
	}
}

func TestRunning(t *testing.T) {
	dir := twoRepositories(t, bothRepos)
	worktree{t, dir}.write("prod.yaml", "# what runs\norders: v1.0\nloyalty: [v0.1, v0.2]\n")
	repos, err := openRepos(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	env, err := Environment(repos.own, "prod")
	if err != nil {
		t.Fatal(err)
	}
	running, err := repos.Running(t.Context(), env)
	if err != nil || len(running) != 2 {
		t.Fatal(running, err)
	}
	orders, loyalty := running[0], running[1]
	if events := orders.Produces(orders.Instances[0]); len(events) != 1 || events[0].Schema.Fields()[0].Path.String() != "a" {
		t.Errorf("orders v1.0 produces %v", events)
	}
	if len(loyalty.Instances) != 2 || loyalty.Repo.Name != "loyalty" {
		t.Fatalf("loyalty: %+v", loyalty)
	}
	for i, fields := range []int{0, 1} {
		if c := loyalty.Consumer(loyalty.Instances[i]); c == nil || len(c.Reads[0].Fields) != fields {
			t.Errorf("loyalty %s reads %+v", loyalty.Instances[i].Ref.Value, c)
		}
	}
	if again, err := repos.Own().Set(t.Context(), "v1.0^{}"); err != nil || again != orders.Instances[0].Set {
		t.Errorf("one commit is loaded twice: %v", err)
	}
	tags, err := repos.Repo("loyalty").Tags(t.Context())
	if err != nil || len(tags) != 2 || tags[1].Name != "v0.2" || tags[1].Date.Format("2006-01-02") != "2026-10-02" {
		t.Errorf("tags: %v, %v", tags, err)
	}
}

// TestRunningErrors holds wrong input to an error that tells the place.
func TestRunningErrors(t *testing.T) {
	for _, c := range []struct{ workspace, prod, want string }{
		{bothRepos, "orders: v9\n", `prod.yaml:1:9: orders: "v9" is no branch, tag or commit of the repository at `},
		{bothRepos, "loyalty: v0.3\n", `"v0.3" is no branch, tag or commit of the repository at`},
		{bothRepos, "order: v1.0\n", `prod.yaml:1:1: order: v1.0 of . declares neither a producer nor a consumer of this name: did you mean "orders"?`},
		{bothRepos, "orders:\n", "prod.yaml:1:8: orders: is empty"},
		{bothRepos, "orders: []\n", "prod.yaml:1:9: orders: an empty list"},
		{bothRepos, "orders: 1.0\n", `prod.yaml:1:9: orders: want a string, this is the number 1.0: put it in quotes, "1.0"`},
		{bothRepos, "- orders\n", "prod.yaml:1:1: want a line for each service"},
		{strings.Replace(bothRepos, "loyalty: {", "customers: {", 1), "loyalty: v0.1\n", `prod.yaml:1:10: loyalty: . has no v0.1: the service is in customers, write {repo: customers, runs: v0.1}`},
		{bothRepos, "orders: {runs: v1.0, repo: loyalti}\n", `prod.yaml:1:28: orders: there is no repository "loyalti": did you mean "loyalty"?`},
		{bothRepos, "orders: {rums: v1.0}\n", `did you mean "runs"?`},
		{bothRepos, "orders: {repo: loyalty}\n", "runs: is missing"},
		{bothRepos, "orders: --upload-pack=x\n", "begins with a dash"},
		{bothRepos, "", "environments.prod: there is no file prod.yaml: write it with evcontract deployed set"},
		{"environments: {production: prod.yaml}\n", "a: b\n", `there is no environment "prod": it names production`},
		{"environments: {prods: prod.yaml}\n", "a: b\n", `there is no environment "prod": did you mean "prods"?`},
		{"against: main\n", "a: b\n", `there is no environment "prod": write environments: {prod: environments/prod.yaml}`},
		{"environments: {prod: ../prod.yaml}\n", "a: b\n", `is no path below the workspace`},
		{"repos: {loyalty: {path: ../royalty}}\n", "a: b\n", "evcontract.yaml:1:25: repos.loyalty: there is no ../royalty: clone the repository there"},
		{"repos: {loyalty: {tags: v*}}\n", "a: b\n", "evcontract.yaml:1:18: repos.loyalty: path: is missing"},
		{"repos: {x: {path: ../loyalt*}, loyalty: {path: ../loyalty}}\n", "a: b\n", "is named like"},
	} {
		dir := twoRepositories(t, c.workspace)
		if c.prod != "" {
			worktree{t, dir}.write("prod.yaml", c.prod)
		}
		if err := runningError(t, dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %q: %v, want %s", c.workspace, c.prod, err, c.want)
		}
	}
}

func runningError(t *testing.T, dir string) error {
	repos, err := openRepos(t, dir)
	if err != nil {
		return err
	}
	env, err := Environment(repos.own, "prod")
	if err != nil {
		return err
	}
	_, err = repos.Running(t.Context(), env)
	return err
}

// TestReposWithoutGit shows that folders, archives and manifests found by a glob
// are repositories without refs.
func TestReposWithoutGit(t *testing.T) {
	dir := twoRepositories(t, "repos:\n  all: {path: ../plain/*}\n")
	plain := worktree{t, filepath.Join(filepath.Dir(dir), "plain")}
	plain.write("audit/audit.consumer.yaml", strings.Replace(loyalty, "loyalty", "audit", 1)).
		write("billing.consumer.yaml", strings.Replace(loyalty, "loyalty", "billing", 1))
	plain.git("2026-10-01T00:00:00Z", "-C", filepath.Join(filepath.Dir(dir), "loyalty"), "archive", "-o", filepath.Join(plain.dir, "points.tar.gz"), "v0.2")
	repos, err := openRepos(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, consumer := range map[string]string{"audit": "audit", "billing": "billing", "points": "loyalty"} {
		repo := repos.Repo(name)
		if repo == nil || repo.HasRefs() {
			t.Fatalf("%s: %+v", name, repo)
		}
		set, err := repo.Set(t.Context(), "")
		if err != nil || len(set.Consumers) != 1 || set.Consumers[0].Name.Value != consumer {
			t.Errorf("%s: %v, %+v", name, err, set)
		}
		if _, err := repo.Set(t.Context(), "v1"); err == nil || !strings.Contains(err.Error(), "in no git repository") {
			t.Errorf("%s has a ref: %v", name, err)
		}
		service := contract.Service{Name: source.At[string]{Value: name}, Runs: []source.At[string]{{Value: "v1"}}}
		env := &contract.Environment{Services: []contract.Service{service}}
		if _, err := repos.Running(t.Context(), env); err == nil || !strings.Contains(err.Error(), "in no git repository") {
			t.Errorf("%s runs a ref: %v", name, err)
		}
	}
}
