package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options say where a ref is looked for. The zero value is the directory that
// the program runs in.
type Options struct {
	// Dir lies in the repository that git refs are read from, and they give the
	// same directory of their commit: the workspace's root, usually. Paths do
	// not depend on it; they are relative to where the program runs.
	Dir string
	// PathOnly says that the ref is a path whatever git says: for the tree that
	// is judged, and for what a manifest names.
	PathOnly bool
	Limits   Limits
}

// Open gives the tree that a ref names:
//
//	contracts  ./a/b  /a/b    a directory
//	order.schema.json         one file; the root is its directory, so that it can refer to its neighbours
//	a.tar  a.tar.gz  a.tgz  a.zip
//	main  v1.4.0  HEAD~3  0a1b2c3    a branch, a tag, a commit: the directory o.Dir as it was there
//	PATH/.git#branch=main,subdir=x   the same of another repository, or of another directory;
//	                                 with branch=, tag=, commit= or ref=, and HEAD without
//
// A branch means its merge base with HEAD, and where HEAD is that branch's tip,
// HEAD's parent; origin's branch counts where there is no local one. A branch of
// another repository means its tip. A tag or a commit means itself.
//
// A word that is a path and a branch or tag as well is taken for the git ref,
// and the tree's name says so; ./x, absolute paths, archives and files that end in
// .json, .yaml, .yml or .proto are always paths. git trees are read from the object database, without a checkout and
// without the network. The tree ends with the context.
func Open(ctx context.Context, ref string, o Options) (*Tree, error) {
	o.Limits = o.Limits.orDefaults()
	t, err := open(ctx, ref, o)
	if err != nil {
		return nil, err
	}
	t.Ref, t.limits = ref, o.Limits
	return t, nil
}

func open(ctx context.Context, ref string, o Options) (*Tree, error) {
	exists := exists(ref)
	switch {
	case ref == "":
		return nil, errors.New("an empty ref: name a directory, a file, an archive or a git ref")
	case strings.Contains(ref, "#") && !exists && !o.PathOnly:
		return openLocator(ctx, ref, o)
	case o.PathOnly || isPath(ref):
		return openPath(ref, o)
	case exists:
		return openEither(ctx, ref, o)
	}
	t, err := openWord(ctx, ref, o)
	if none := (*noRepoError)(nil); errors.As(err, &none) {
		return nil, fmt.Errorf("%q is no file or directory here, and %w, so that it cannot be a git ref", ref, err)
	}
	return t, err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// isPath reports whether a ref can only be meant as a path.
func isPath(ref string) bool {
	slash := filepath.ToSlash(ref)
	return filepath.IsAbs(ref) || slash == "." || slash == ".." || strings.HasPrefix(slash, "./") ||
		strings.HasPrefix(slash, "../") || unpackerFor(ref) != nil || slices.Contains(fileEndings, filepath.Ext(ref))
}

// fileEndings are those of what a single file can be. No branch is named so, and
// a mistyped file is not looked for on a remote.
var fileEndings = []string{".json", ".yaml", ".yml", ".proto"}

// openPath opens a directory, a file or an archive on disk.
func openPath(name string, o Options) (*Tree, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, explainDisk(name, err)
	}
	if info.IsDir() {
		return openDirectory(name)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is neither a directory nor a regular file: save it to a file first", name)
	}
	if unpack := unpackerFor(name); unpack != nil {
		files, err := openArchive(name, unpack, o.Limits)
		if err != nil {
			return nil, err
		}
		return &Tree{Name: name, FS: files}, nil
	}
	return openFileTree(name)
}

// openDirectory opens a directory so that no link in it can lead out of it.
func openDirectory(name string) (*Tree, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, explainDisk(name, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, explainDisk(name, err)
	}
	return &Tree{Name: name, FS: root.FS(), Dir: abs, disk: root, close: root.Close}, nil
}

// openFileTree opens a file's directory. A link is followed first: the
// neighbours of a file are those of the place where it really is.
func openFileTree(name string) (*Tree, error) {
	real := name
	if info, err := os.Lstat(name); err == nil && info.Mode().Type() == fs.ModeSymlink {
		if real, err = filepath.EvalSymlinks(name); err != nil {
			return nil, explainDisk(name, err)
		}
	}
	t, err := openDirectory(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	t.Name, t.File = name, filepath.Base(real)
	return t, nil
}

func notThere(name string, err error) error {
	if to, linked := os.Readlink(name); linked == nil {
		return &pathError{name, "a link to " + to + ", which is not there", err}
	}
	return &pathError{name, "no such file or directory" + didYouMean(nearPath(name)), err}
}

func explainDisk(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return notThere(name, err)
	}
	var system *fs.PathError
	if errors.As(err, &system) {
		return &pathError{name, "cannot be opened: " + system.Err.Error(), err}
	}
	return &pathError{name, "cannot be opened: " + err.Error(), err}
}

// nearPath is what a mistyped path's neighbours suggest, "" where none is near.
func nearPath(name string) string {
	dir, base := filepath.Split(name)
	list, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return ""
	}
	names := make([]string, len(list))
	for i, entry := range list {
		names[i] = entry.Name()
	}
	if near := Suggest(base, names); near != "" {
		return dir + near
	}
	return ""
}

func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %q?", near)
}
