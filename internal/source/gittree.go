package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// maxCommit is how many bytes of a commit are read to find its parent.
const maxCommit = 16 << 20

// commit resolves a name to a commit's id and its first parent's, "" where it
// has none.
func (r *repo) commit(name string) (id, parent string, err error) {
	o, err := r.batch.get(name+"^{commit}", maxCommit)
	if err != nil {
		return "", "", err
	}
	for line := range bytes.Lines(o.data) {
		if p, ok := bytes.CutPrefix(line, []byte("parent ")); ok {
			return o.id, string(bytes.TrimSpace(p)), nil
		}
		if len(line) <= 1 { // the message begins
			break
		}
	}
	return o.id, "", nil
}

// committed is when a commit was made, as its committer says; zero where that
// cannot be read.
func (r *repo) committed(id string) time.Time {
	o, err := r.batch.get(id, maxCommit)
	if err != nil || o.kind != "commit" {
		return time.Time{}
	}
	for line := range bytes.Lines(o.data) {
		if len(line) <= 1 { // the message begins
			break
		}
		words := bytes.Fields(line)
		if n := len(words); n > 3 && string(words[0]) == "committer" {
			if seconds, err := strconv.ParseInt(string(words[n-2]), 10, 64); err == nil {
				return time.Unix(seconds, 0).UTC()
			}
		}
	}
	return time.Time{}
}

// list reads the names of a commit's files below a directory. The files
// themselves are read when somebody asks for them.
func (r *repo) list(ctx context.Context, commit, dir, name string, limits Limits) (*listFS, error) {
	treeish := commit + ":" + dir
	o, err := r.batch.get(treeish, 0)
	switch {
	case errors.Is(err, errMissing) && dir != "":
		return nil, &pathError{name, fmt.Sprintf("has no directory %s", dir), fs.ErrNotExist}
	case errors.Is(err, errMissing), errors.Is(err, errPartial):
		return nil, &pathError{name, "its list of files" + incomplete, err}
	case err != nil:
		return nil, err
	case o.kind != "tree":
		return nil, &pathError{name, fmt.Sprintf("has a file %s where a directory is wanted", dir), fs.ErrInvalid}
	}
	out, err := runGit(ctx, r.dir, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", o.id)
	var failed *gitError
	switch {
	case errors.As(err, &failed) && isPartial(failed.stderr):
		return nil, &pathError{name, "its list of files" + incomplete, err}
	case err != nil:
		return nil, err
	}
	files, err := parseList(out)
	if err != nil {
		return nil, err
	}
	return newListFS(files, func(p string, e *entry) ([]byte, error) { return r.blob(p, e, limits.File) })
}

// parseList reads "MODE TYPE ID\tPATH\0" for each file.
func parseList(out []byte) (map[string]*entry, error) {
	files := make(map[string]*entry, bytes.Count(out, []byte{0}))
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		about, p, _ := strings.Cut(line, "\t")
		f := strings.Fields(about)
		if len(f) != 3 {
			return nil, fmt.Errorf("git ls-tree: a line that is not understood: %q", line)
		}
		// Git takes names that are not UTF-8, and forged trees have steps such as
		// ..; nothing could refer to such a file.
		if fs.ValidPath(p) {
			files[p] = &entry{mode: gitMode(f[0]), id: f[2]}
		}
	}
	return files, nil
}

func gitMode(mode string) fs.FileMode {
	switch mode {
	case "120000":
		return fs.ModeSymlink | 0o444
	case "160000": // a submodule
		return fs.ModeIrregular | 0o444
	case "100755":
		return 0o555
	}
	return 0o444
}

func (r *repo) blob(p string, e *entry, limit int64) ([]byte, error) {
	o, err := r.batch.get(e.id, limit)
	switch {
	case errors.Is(err, errMissing), errors.Is(err, errPartial):
		return nil, &pathError{p, "its content" + incomplete, err}
	case err != nil:
		return nil, err
	case o.size > limit:
		return nil, tooLarge(p, limit)
	}
	return o.data, nil
}

// incomplete says that the clone lacks objects, which are never fetched here.
const incomplete = " is not in this clone, which is a partial one: run\n  git fetch --refetch --no-filter"
