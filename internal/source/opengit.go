package source

import (
	"context"
	"strings"
)

// openWord opens a git ref of the repository that holds o.Dir.
func openWord(ctx context.Context, word string, o Options) (*Tree, error) {
	if err := checkWord(word); err != nil {
		return nil, err
	}
	r, err := openRepo(ctx, dirOf(o))
	if err != nil {
		return nil, err
	}
	f, err := r.lookUp(ctx, word, namespaces)
	if err != nil {
		r.batch.close()
		return nil, err
	}
	return r.open(ctx, f, word, "", o)
}

// openEither opens a word that exists as a path: a branch or tag of that name
// goes first.
func openEither(ctx context.Context, word string, o Options) (*Tree, error) {
	if checkWord(word) != nil {
		return openPath(word, o)
	}
	r, err := openRepo(ctx, dirOf(o))
	if err != nil {
		return openPath(word, o)
	}
	f, err := r.resolve(word, namespaces)
	if err != nil || !f.named(word) {
		r.batch.close()
		return openPath(word, o)
	}
	return r.open(ctx, f, word, "the git ref; for the path write ./"+word, o)
}

func dirOf(o Options) string {
	if o.Dir == "" {
		return "."
	}
	return o.Dir
}

// open gives the tree of what a word was resolved to; where that fails, the
// repository is closed.
func (r *repo) open(ctx context.Context, f found, word, note string, o Options) (*Tree, error) {
	f, err := r.meaning(ctx, f)
	if err != nil {
		r.batch.close()
		return nil, err
	}
	f.note = strings.Trim(f.note+", "+note, ", ")
	t, err := r.tree(ctx, f, word, r.prefix, o.Limits)
	if err != nil {
		r.batch.close()
	}
	return t, err
}

// tree lists a directory of a commit; closing the tree ends the repository's
// reader.
func (r *repo) tree(ctx context.Context, f found, name, dir string, limits Limits) (*Tree, error) {
	if f.note != "" {
		name += " (" + f.note + ")"
	}
	files, err := r.list(ctx, f.commit, dir, name, limits)
	if err != nil {
		return nil, err
	}
	return &Tree{Name: name, FS: files, Commit: f.commit, Committed: r.committed(f.commit), close: r.batch.close}, nil
}
