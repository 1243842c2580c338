package source

import (
	"slices"
	"strings"
	"testing"
)

func TestTags(t *testing.T) {
	r := emptyRepository(t)
	commit := func(date, tag string, annotate string) {
		t.Setenv("GIT_COMMITTER_DATE", date)
		r.commit(date + tag)
		if annotate == "" {
			r.git("tag", tag)
			return
		}
		t.Setenv("GIT_COMMITTER_DATE", annotate)
		r.git("tag", "-a", tag, "-m", tag)
	}
	commit("2026-10-01T00:00:00Z", "v1.10.0", "")
	commit("2026-10-02T00:00:00Z", "v1.9.0", "2026-09-30T00:00:00Z") // dated before, as the tag itself says
	commit("2026-10-03T00:00:00Z", "other", "")
	r.git("tag", "v2.0.0", "HEAD")
	r.git("tag", "v2.0.0-rc.10", "HEAD")
	r.git("tag", "v2.0.0-rc.9", "HEAD")
	r.git("tag", "orders/v1", "HEAD")
	r.git("tag", "v-tree", "HEAD^{tree}")
	repo, err := OpenRepository(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	for glob, want := range map[string]string{
		"v*":       "v1.9.0 v1.10.0 v2.0.0-rc.9 v2.0.0-rc.10 v2.0.0",
		"orders/*": "orders/v1",
		"w*":       "",
		"":         "v1.9.0 v1.10.0 orders/v1 other v2.0.0-rc.9 v2.0.0-rc.10 v2.0.0",
	} {
		tags, err := repo.Tags(t.Context(), glob)
		var names []string
		for _, tag := range tags {
			names = append(names, tag.Name)
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("tags %q: %v, %v, want %s", glob, names, err, want)
		}
	}
	if _, err := repo.Tags(t.Context(), "v["); err == nil || !strings.Contains(err.Error(), "is no glob") {
		t.Errorf("a broken glob: %v", err)
	}
	if tags, err := repo.Tags(t.Context(), "v1.9*"); err != nil || tags[0].Date.Format("2006-01-02") != "2026-09-30" {
		t.Errorf("the date of an annotated tag: %v, %v", tags, err)
	}
}

// TestRepositoryTree shows that a branch means its tip, and that trees share a
// reader which outlives each of them.
func TestRepositoryTree(t *testing.T) {
	r := emptyRepository(t)
	r.commit("one")
	r.git("tag", "v1")
	two := r.commit("two")
	repo, err := OpenRepository(t.Context(), r.dir+"/sub")
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	for ref, want := range map[string]string{"v1": "one", "main": "two", "HEAD~1": "one", two[:8]: "two"} {
		tree, err := repo.Tree(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		data, err := tree.ReadFile("f")
		if err != nil || string(data) != want || tree.Ref != ref || tree.Commit == "" {
			t.Errorf("%s: %q, %v", ref, data, err)
		}
		tree.Close()
	}
	for ref, moves := range map[string]bool{"v1": false, "refs/tags/v1": false, "main": true, "HEAD": true, "HEAD~1": true, two: false, two[:8]: false} {
		if got, err := repo.Moves(ref); err != nil || got != moves {
			t.Errorf("%s moves: %v, %v", ref, got, err)
		}
	}
	for ref, want := range map[string]string{"maim": `did you mean "main"?`, "nothing-like-it": "is no branch, tag or commit of the repository at", "-x": "begins with a dash", "v1..main": "range"} {
		if _, err := repo.Tree(t.Context(), ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
	if _, err := OpenRepository(t.Context(), t.TempDir()); !IsNoRepository(err) {
		t.Errorf("a folder without a repository: %v", err)
	}
}

func TestCompareVersions(t *testing.T) {
	want := []string{"a", "v1", "v1.2", "v1.9", "v1.010", "v1.10.1", "v2-rc.2", "v2-rc.11", "v2", "v10"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, compareVersions)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestChanges(t *testing.T) {
	r := emptyRepository(t)
	history := func(file string) string {
		t.Helper()
		repo, err := OpenRepository(t.Context(), r.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		changes, err := repo.Changes(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		var days []string
		for _, c := range changes {
			days = append(days, c.Date.Format("02"))
			if tree, err := repo.Tree(t.Context(), c.Commit); err != nil || tree.Commit != c.Commit {
				t.Errorf("%s: %v", c.Commit, err)
			}
		}
		return strings.Join(days, " ")
	}
	if got := history("prod.yaml"); got != "" {
		t.Errorf("without a commit: %q", got)
	}
	commit := func(day, file, text string) {
		t.Setenv("GIT_COMMITTER_DATE", "2026-10-"+day+"T00:00:00Z")
		r.write(file, text)
		r.git("add", ".")
		r.git("commit", "-q", "-m", day)
	}
	commit("01", "prod.yaml", "a: v1")
	commit("02", "other.yaml", "a: v1")
	commit("03", "prod.yaml", "a: v2")
	r.git("switch", "-q", "-c", "side")
	commit("04", "prod.yaml", "a: v3")
	r.git("switch", "-q", "-")
	t.Setenv("GIT_COMMITTER_DATE", "2026-10-09T00:00:00Z")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	if got := history("prod.yaml"); got != "09 03 01" {
		t.Errorf("changes of %q, want those of the 9th, with the merge, the 3rd and the 1st", got)
	}
	if got := history(":(glob)*.yaml"); got != "" {
		t.Errorf("a name is taken for a pattern: %q", got)
	}
}
