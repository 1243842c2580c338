package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Repository is a git repository on disk, for reading several of its commits.
// All its trees share one reader; they end with it and with the context that it
// was opened with. It may be used from several goroutines at once.
type Repository struct {
	Dir     string // as it was named; trees are of this directory, as it was in their commit
	Shallow bool   // part of the history, and with it tags, may not be here

	repo   *repo
	limits Limits
}

// Tag is a release: a tag that leads to a commit.
type Tag struct {
	Name   string
	Commit string
	Date   time.Time // of the tag where it has one of its own, else of its commit
}

// OpenRepository opens the repository that holds a directory.
func OpenRepository(ctx context.Context, dir string) (*Repository, error) {
	r, err := openRepo(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &Repository{Dir: dir, Shallow: r.shallow, repo: r, limits: Limits{}.orDefaults()}, nil
}

// IsNoRepository reports whether an error says that a directory lies in no git
// repository.
func IsNoRepository(err error) bool {
	var none *noRepoError
	return errors.As(err, &none)
}

// Close ends the reader.
func (r *Repository) Close() error { return r.repo.batch.close() }

// Tree gives the directory as it was in the commit that a ref names. A branch
// means its tip here: what runs somewhere has no merge base.
func (r *Repository) Tree(ctx context.Context, ref string) (*Tree, error) {
	if err := checkWord(ref); err != nil {
		return nil, err
	}
	f, err := r.repo.resolve(ref, namespaces)
	switch {
	case errors.Is(err, errMissing):
		return nil, r.unknown(ctx, ref)
	case err != nil:
		return nil, err
	}
	t, err := r.repo.tree(ctx, f, ref, r.repo.prefix, r.limits)
	if err != nil {
		return nil, err
	}
	t.Ref, t.limits, t.close = ref, r.limits, nil
	return t, nil
}

// Moves reports whether a ref may mean another commit tomorrow: a branch and HEAD
// do, a tag and the id of a commit don't.
func (r *Repository) Moves(ref string) (bool, error) {
	f, err := r.repo.resolve(ref, namespaces)
	fixed := strings.HasPrefix(f.ref, "refs/tags/") || f.ref == "" && strings.HasPrefix(f.commit, ref)
	return err == nil && !fixed, err
}

func (r *Repository) unknown(ctx context.Context, ref string) error {
	what := fmt.Sprintf("%q is no branch, tag or commit of the repository at %s", ref, r.Dir)
	if near := nearest(ref, r.repo.names(ctx)); near != "" {
		return errors.New(what + didYouMean(near))
	}
	remote := r.repo.remote(ctx)
	if command := r.repo.fetch(ctx, remote, ref); remote != "" && command != "" {
		return fmt.Errorf("%s: if it is on the remote, run there\n  %s", what, command)
	}
	return errors.New(what)
}

// Tags lists the tags whose name fits a glob (path.Match; empty: every tag) in
// the order of their dates, the oldest first. Of two on one day of equal time
// the one with the smaller version goes first. Tags of what is no commit are
// left out.
func (r *Repository) Tags(ctx context.Context, glob string) ([]Tag, error) {
	if _, err := path.Match(glob, ""); err != nil {
		return nil, fmt.Errorf("%q is no glob: write v*, or release-[0-9]*", glob)
	}
	out, err := runGit(ctx, r.repo.dir, "for-each-ref", "--format=%(refname:strip=2) %(creatordate:unix)", "refs/tags")
	if err != nil {
		return nil, err
	}
	var tags []Tag
	for line := range strings.Lines(string(out)) {
		name, unix, _ := strings.Cut(strings.TrimSpace(line), " ")
		if fits, _ := path.Match(glob, name); !fits && glob != "" {
			continue
		}
		id, _, err := r.repo.commit("refs/tags/" + name)
		if errors.Is(err, errMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		seconds, err := strconv.ParseInt(unix, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the tag %s of the repository at %s has no date", name, r.Dir)
		}
		tags = append(tags, Tag{Name: name, Commit: id, Date: time.Unix(seconds, 0).UTC()})
	}
	slices.SortStableFunc(tags, func(a, b Tag) int {
		return cmp.Or(a.Date.Compare(b.Date), compareVersions(a.Name, b.Name))
	})
	return tags, nil
}

// Released is when a tag of this name was made, false where it names no tag.
func (r *Repository) Released(ctx context.Context, name string) (time.Time, bool, error) {
	tags, err := r.Tags(ctx, "")
	for _, t := range tags {
		if t.Name == strings.TrimPrefix(strings.TrimPrefix(name, "refs/"), "tags/") {
			return t.Date, true, nil
		}
	}
	return time.Time{}, false, err
}

// Merged tells the tags whose commits a commit builds on, itself among them.
func (r *Repository) Merged(ctx context.Context, commit string) (map[string]bool, error) {
	out, err := runGit(ctx, r.repo.dir, "for-each-ref", "--merged="+commit, "--format=%(refname:strip=2)", "refs/tags")
	if err != nil {
		return nil, err
	}
	merged := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		merged[strings.TrimSpace(line)] = true
	}
	return merged, nil
}

// compareVersions orders names by the numbers in them: v1.9 before v1.10, and
// v2-rc.1 before v2.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		a, b = a[len(x):], b[len(y):]
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if order := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); order != 0 {
			return order
		}
	}
	switch {
	case strings.HasPrefix(a, "-"):
		return -1
	case strings.HasPrefix(b, "-"):
		return 1
	}
	return cmp.Compare(len(a), len(b))
}

func leadingDigits(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return s
	}
	return s[:end]
}
