package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// found is what a word means in a repository.
type found struct {
	commit string
	parent string
	ref    string // the full name of the branch or tag, "" for HEAD~3, ids and the like
	note   string // what a branch was taken for
}

// branch is the short name of a branch, of a remote too; "" for all else.
func (f found) branch() string {
	if short, ok := strings.CutPrefix(f.ref, "refs/heads/"); ok {
		return short
	}
	if remote, ok := strings.CutPrefix(f.ref, "refs/remotes/"); ok {
		_, short, _ := strings.Cut(remote, "/")
		return short
	}
	return ""
}

// named reports whether a word is somebody's choice, and not an id that a path
// may look like by accident.
func (f found) named(word string) bool {
	return f.ref != "" || word == "@" || strings.HasPrefix(word, "HEAD")
}

// namespaces are where a word is looked for, as git does it (gitrevisions), and
// last among the branches of origin.
var namespaces = []string{"refs/", "refs/tags/", "refs/heads/", "refs/remotes/", "refs/remotes/origin/"}

// checkWord refuses what cannot be a ref, before git sees it.
func checkWord(word string) error {
	switch {
	case strings.HasPrefix(word, "-"):
		return fmt.Errorf("%q begins with a dash: a git ref does not; for a path write ./%s", word, word)
	case strings.Contains(word, ".."):
		return fmt.Errorf("%q is a range: name one commit", word)
	case strings.Contains(word, ":"):
		return fmt.Errorf("%q has a colon: for a directory of a commit write .git#ref=REF,subdir=DIR", word)
	case strings.IndexFunc(word, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`?*[\`, r) }) >= 0:
		return fmt.Errorf("%q is neither a path that exists nor a git ref", word)
	}
	return nil
}

// resolve finds out what a word means, looking in the given namespaces first.
// errMissing says that it means nothing.
func (r *repo) resolve(word string, spaces []string) (found, error) {
	head := word == "HEAD" || word == "@"
	if !head && !strings.ContainsAny(word, "~^") && !strings.Contains(word, "@{") {
		if strings.HasPrefix(word, "refs/") {
			spaces = []string{""}
		}
		for _, space := range spaces {
			id, parent, err := r.commit(space + word)
			if err == nil {
				return found{commit: id, parent: parent, ref: space + word}, nil
			}
			if !errors.Is(err, errMissing) {
				return found{}, err
			}
		}
	}
	id, parent, err := r.commit(word)
	return found{commit: id, parent: parent}, err
}

// meaning replaces a branch by its merge base with HEAD, and on its own tip by
// HEAD's parent: what is compared with a branch is what was done since.
func (r *repo) meaning(ctx context.Context, f found) (found, error) {
	branch := f.branch()
	if branch == "" {
		return f, nil
	}
	head, parent, err := r.commit("HEAD")
	switch {
	case errors.Is(err, errMissing):
		return f, &noPastError{fmt.Sprintf("HEAD has no commit yet, so that it has no merge base with %s: commit first, or name a tag or a commit", branch)}
	case err != nil:
		return f, err
	case head == f.commit && r.on(branch):
		return r.parent(f, branch, parent)
	}
	return r.mergeBase(ctx, f, branch, head)
}

// noPastError says that a repository is too young to have what a branch means.
type noPastError struct{ msg string }

func (e *noPastError) Error() string { return e.msg }

// IsNoPast reports whether an error says that a repository has no commit yet, or
// only its first, so that there is nothing to compare with.
func IsNoPast(err error) bool {
	var young *noPastError
	return errors.As(err, &young)
}

// on reports whether work goes on on a branch: it is checked out, or none is, as
// in most CI systems.
func (r *repo) on(branch string) bool {
	return r.headRef == "HEAD" || r.headRef == "refs/heads/"+branch
}

func (r *repo) parent(f found, branch, parent string) (found, error) {
	if parent == "" {
		return f, &noPastError{fmt.Sprintf("HEAD is the tip of %s and its first commit, so that there is nothing before it: name a tag or a commit", branch)}
	}
	id, before, err := r.commit(parent)
	if errors.Is(err, errMissing) {
		return f, fmt.Errorf("HEAD is the tip of %s, and its parent is not in this shallow clone: run\n  git fetch --deepen=1", branch)
	}
	return found{commit: id, parent: before, ref: f.ref, note: "HEAD's parent"}, err
}

func (r *repo) mergeBase(ctx context.Context, f found, branch, head string) (found, error) {
	out, err := runGit(ctx, r.dir, "merge-base", f.commit, head)
	var failed *gitError
	switch {
	case errors.As(err, &failed) && failed.code == 1 && r.shallow:
		return f, fmt.Errorf("the merge base of %s and HEAD is not in this shallow clone: run\n  git fetch --unshallow", branch)
	case errors.As(err, &failed) && failed.code == 1:
		return f, fmt.Errorf("%s and HEAD have no commit in common: name a tag or a commit", branch)
	case err != nil:
		return f, err
	}
	f.commit, f.note = strings.TrimSpace(string(out)), "merge base"
	return f, nil
}

// CurrentBranch is the branch that a folder's repository is on, "" where there
// is none.
func CurrentBranch(ctx context.Context, dir string) string {
	out, err := runGit(ctx, dir, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
