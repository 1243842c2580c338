package source

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// locator is PATH/.git#branch=main,subdir=x.
type locator struct {
	path, subdir string
	kind, word   string // branch, tag, commit or ref, and which
}

var locatorKeys = []string{"branch", "tag", "commit", "ref", "subdir"}

func parseLocator(text string) (locator, error) {
	l := locator{kind: "ref", word: "HEAD"}
	var rest string
	l.path, rest, _ = strings.Cut(text, "#")
	named := ""
	for pair := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || value == "":
			return l, fmt.Errorf("%q: %q is not KEY=VALUE, with a key of %s", text, pair, strings.Join(locatorKeys, ", "))
		case key == "subdir":
			l.subdir = strings.Trim(filepath.ToSlash(value), "/")
			if l.subdir = strings.TrimPrefix(l.subdir, "./"); l.subdir == "." {
				l.subdir = ""
			}
			if l.subdir != "" && !fs.ValidPath(l.subdir) {
				return l, fmt.Errorf("%q: the subdir %q is not a path below the repository's root", text, value)
			}
		case !slices.Contains(locatorKeys, key):
			return l, unknownLocatorKey(text, key)
		case named != "":
			return l, fmt.Errorf("%q names both a %s and a %s: name one", text, named, key)
		default:
			l.kind, l.word, named = key, value, key
		}
	}
	return l, nil
}

func unknownLocatorKey(text, key string) error {
	if near := Suggest(key, locatorKeys); near != "" {
		return fmt.Errorf("%q: unknown key %q: did you mean %q?", text, key, near)
	}
	return fmt.Errorf("%q: unknown key %q: it may be %s", text, key, strings.Join(locatorKeys, ", "))
}

// spacesOf are the namespaces that each key of a locator looks in.
var spacesOf = map[string][]string{
	"branch": {"refs/heads/", "refs/remotes/origin/", "refs/remotes/"},
	"tag":    {"refs/tags/"},
	"commit": {},
	"ref":    namespaces,
}

func openLocator(ctx context.Context, text string, o Options) (*Tree, error) {
	l, err := parseLocator(text)
	if err != nil {
		return nil, err
	}
	dir, err := l.dir(o)
	if err != nil {
		return nil, err
	}
	r, err := openRepo(ctx, dir)
	if err != nil {
		return nil, err
	}
	t, err := r.located(ctx, l, text, o)
	if err != nil {
		r.batch.close()
	}
	return t, err
}

// dir is where git has to run to find the repository. .git alone means the
// repository of the options' directory, also from a directory below its root.
func (l locator) dir(o Options) (string, error) {
	name := filepath.Clean(l.path)
	if l.path == ".git" && !exists(name) {
		return dirOf(o), nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", explainDisk(l.path, err)
	}
	if filepath.Base(name) == ".git" || !info.IsDir() {
		return filepath.Dir(name), nil
	}
	return name, nil
}

func (r *repo) located(ctx context.Context, l locator, text string, o Options) (*Tree, error) {
	f, err := r.resolveLocator(ctx, l)
	if err != nil {
		return nil, err
	}
	if f, err = r.compared(ctx, f, o); err != nil {
		return nil, err
	}
	return r.tree(ctx, f, text, l.subdir, o.Limits)
}

// compared gives a branch its meaning if this is the repository of the options'
// directory, whose HEAD is what is compared; it may be that of another worktree.
func (r *repo) compared(ctx context.Context, f found, o Options) (found, error) {
	if f.branch() == "" {
		return f, nil
	}
	own, err := openRepo(ctx, dirOf(o))
	if err != nil { // compared with what is in no repository: the tip is meant
		return f, nil
	}
	defer own.batch.close()
	if own.common != r.common {
		return f, nil
	}
	return own.meaning(ctx, f)
}

func (r *repo) resolveLocator(ctx context.Context, l locator) (found, error) {
	f, err := r.lookUp(ctx, l.word, spacesOf[l.kind])
	switch {
	case err != nil:
		return f, err
	case l.kind == "commit" && !fullID.MatchString(l.word) && !shortID.MatchString(l.word):
		return f, fmt.Errorf("commit=%s is no commit's id of 7 digits or more: for anything else write ref=%s", l.word, l.word)
	case (l.kind == "branch" || l.kind == "tag") && f.ref == "":
		return f, fmt.Errorf("%q is no %s of the repository at %s: for a commit write commit=%s", l.word, l.kind, r.dir, l.word)
	}
	return f, nil
}
