package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	fullID      = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	shortID     = regexp.MustCompile(`^[0-9a-f]{7,39}$`)
	likeVersion = regexp.MustCompile(`^(.*/)?v?[0-9]+\.[0-9]`)
	numbers     = regexp.MustCompile(`[0-9]+`)
	step        = regexp.MustCompile(`[~^]|@\{`)
)

// missing says that a word means nothing in a repository, and the command that
// would change that: nothing is ever fetched here.
func (r *repo) missing(ctx context.Context, word string) error {
	what := fmt.Sprintf("%q is no path here, and no branch, tag or commit of the repository", word)
	if near := cmp.Or(nearest(word, r.names(ctx)), nearPath(word)); near != "" {
		return errors.New(what + didYouMean(near))
	}
	remote := r.remote(ctx)
	command := r.fetch(ctx, remote, word)
	switch {
	case command == "":
		return fmt.Errorf("%s: its history is not that long", what)
	case remote == "":
		return fmt.Errorf("%s, which has no remote to fetch it from%s", what, r.branches(ctx))
	}
	return fmt.Errorf("%s: if it is on the remote, run\n  %s", what, command)
}

// nearest is the branch of another remote that has this very name, else what
// was mistyped. Another version is no slip: of a word that looks like one, only
// the newest name is meant whose numbers are the same or go on, v1.3.2 for 1.3.
func nearest(word string, names []string) string {
	for _, name := range names {
		if _, branch, ok := strings.Cut(name, "/"); ok && branch == word {
			return name
		}
	}
	if !likeVersion.MatchString(word) {
		return Suggest(word, names)
	}
	best := ""
	for _, name := range names {
		if continues(numbers.FindAllString(name, -1), numbers.FindAllString(word, -1)) && (best == "" || compareVersions(name, best) > 0) {
			best = name
		}
	}
	return best
}

// continues reports whether a version's numbers begin with those of another.
func continues(version, with []string) bool {
	return len(version) >= len(with) && slices.Equal(version[:len(with)], with)
}

// names are the branches and tags that could have been meant.
func (r *repo) names(ctx context.Context) []string {
	out, err := runGit(ctx, r.dir, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		name := strings.TrimSpace(line)
		for _, space := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
			name = strings.TrimPrefix(name, space)
		}
		names = append(names, name)
	}
	return names
}

// maxBranches is how many branches are named to somebody who meant another.
const maxBranches = 5

// branches names the branches that there are.
func (r *repo) branches(ctx context.Context) string {
	out, err := runGit(ctx, r.dir, "for-each-ref", "--format=%(refname:lstrip=2)", "--sort=-committerdate", "--count="+strconv.Itoa(maxBranches+1), "refs/heads")
	names := strings.Fields(string(out))
	switch {
	case err != nil || len(names) == 0:
		return ""
	case len(names) == 1:
		return ": its branch is " + names[0]
	case len(names) > maxBranches:
		names[maxBranches] = "…"
	}
	return ": its branches are " + strings.Join(names, ", ")
}

// remote is the remote to fetch from: origin, else the first, else "".
func (r *repo) remote(ctx context.Context) string {
	out, err := runGit(ctx, r.dir, "remote")
	if err != nil {
		return ""
	}
	remotes := strings.Fields(string(out))
	for _, name := range remotes {
		if name == "origin" {
			return name
		}
	}
	return strings.Join(remotes[:min(1, len(remotes))], "")
}

// fetch is the command that brings a word into the repository, "" where none can.
func (r *repo) fetch(ctx context.Context, remote, word string) string {
	depth, all := "", ""
	if r.shallow {
		depth, all = " --depth=1", " --unshallow"
	}
	branch := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(word, "refs/"), "heads/"), "remotes/")
	branch = strings.TrimPrefix(branch, remote+"/")
	tag := strings.TrimPrefix(strings.TrimPrefix(word, "refs/"), "tags/")
	switch remote = shellQuote(remote); {
	case fullID.MatchString(word):
		return "git fetch" + depth + " " + remote + " " + word
	case step.MatchString(word) || shortID.MatchString(word):
		return r.fetchHistory(word, remote)
	case tag != word || likeVersion.MatchString(word):
		return "git fetch" + depth + " " + remote + " " + shellQuote("+refs/tags/"+tag+":refs/tags/"+tag)
	default:
		return "git fetch" + all + " " + remote + " " + shellQuote("+refs/heads/"+branch+":refs/remotes/"+remote+"/"+branch)
	}
}

// fetchHistory is for what lies behind the end of a shallow history, or nowhere.
func (r *repo) fetchHistory(word, remote string) string {
	switch {
	case r.shallow:
		return "git fetch --unshallow " + remote
	case shortID.MatchString(word):
		return "git fetch " + remote
	}
	return ""
}

// lookUp resolves a word, and explains where it means nothing.
func (r *repo) lookUp(ctx context.Context, word string, spaces []string) (found, error) {
	if err := checkWord(word); err != nil {
		return found{}, err
	}
	f, err := r.resolve(word, spaces)
	if errors.Is(err, errMissing) {
		if id, _, _ := r.commit("HEAD"); id == "" {
			return f, &noPastError{fmt.Sprintf("%q means nothing yet: the repository at %s has no commit", word, r.dir)}
		}
		return f, r.missing(ctx, word)
	}
	return f, err
}
