package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// listFS is a file system made from a list of paths, as git and archives give
// it. Files are read when they are asked for.
type listFS struct {
	entries map[string]*entry
	read    func(path string, e *entry) ([]byte, error)
}

// entry is a file, a directory, or what can stand in a list beside them.
type entry struct {
	name     string // the last step of its path
	mode     fs.FileMode
	id       string   // the blob's id in git, else ""
	data     []byte   // of a file from an archive
	children []*entry // of a directory, by name
}

// newListFS makes the directories that the paths imply. It refuses a path that
// is a file for one entry and a directory for another.
func newListFS(files map[string]*entry, read func(string, *entry) ([]byte, error)) (*listFS, error) {
	l := &listFS{entries: make(map[string]*entry, len(files)+len(files)/4), read: read}
	l.entries["."] = &entry{name: ".", mode: fs.ModeDir | 0o555}
	for p, e := range files {
		e.name = path.Base(p)
		if old := l.entries[p]; old != nil && !(old.mode.IsDir() && e.mode.IsDir()) {
			return nil, &pathError{p, "both a file and a directory", fs.ErrInvalid}
		} else if old == nil {
			l.entries[p] = e
			if err := l.hang(p, e); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range l.entries {
		slices.SortFunc(e.children, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	}
	return l, nil
}

// hang puts an entry into its directory, which is made if it isn't there.
func (l *listFS) hang(p string, e *entry) error {
	dir := path.Dir(p)
	parent := l.entries[dir]
	if parent == nil {
		parent = &entry{name: path.Base(dir), mode: fs.ModeDir | 0o555}
		l.entries[dir] = parent
		if err := l.hang(dir, parent); err != nil {
			return err
		}
	}
	if !parent.mode.IsDir() {
		return &pathError{dir, "both a file and a directory", fs.ErrInvalid}
	}
	parent.children = append(parent.children, e)
	return nil
}

// maxLinks is how many links may lead to each other; more are taken for a ring.
const maxLinks = 40

// find gives the entry of a path, links followed.
func (l *listFS) find(op, name string) (*entry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	p := name
	for range maxLinks {
		if e := l.entries[p]; e != nil && e.mode.Type() != fs.ModeSymlink {
			return e, nil
		}
		next, err := l.follow(name, p)
		if err != nil {
			return nil, err
		}
		if next == "" {
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		p = next
	}
	return nil, &pathError{name, "symbolic links that lead to each other", fs.ErrInvalid}
}

// follow replaces the first link in a path by what it points to, "" where the
// path has no link.
func (l *listFS) follow(name, p string) (string, error) {
	at := ""
	steps := strings.Split(p, "/")
	for i, step := range steps {
		link := path.Join(at, step)
		e := l.entries[link]
		if e == nil {
			return "", nil
		}
		if e.mode.Type() == fs.ModeSymlink {
			target, err := l.read(link, e)
			if err != nil {
				return "", err
			}
			to := path.Join(at, string(target), path.Join(steps[i+1:]...))
			if path.IsAbs(string(target)) || !fs.ValidPath(to) {
				return "", &pathError{name, fmt.Sprintf("the symbolic link %s leads out of the tree, where it is not followed", link), fs.ErrNotExist}
			}
			return to, nil
		}
		at = link
	}
	return "", nil
}

// content gives the bytes of a file.
func (l *listFS) content(op, name string) (*entry, []byte, error) {
	e, err := l.find(op, name)
	switch {
	case err != nil:
		return nil, nil, err
	case e.mode.IsDir():
		return nil, nil, isDirectory(name)
	case !e.mode.IsRegular():
		return nil, nil, &pathError{name, "a submodule, whose files are in another repository", fs.ErrInvalid}
	}
	data, err := l.read(name, e)
	return e, data, err
}

func (l *listFS) ReadFile(name string) ([]byte, error) {
	e, data, err := l.content("open", name)
	if err == nil && e.data != nil { // kept here, and the caller may change what is given
		data = bytes.Clone(data)
	}
	return data, err
}

func (l *listFS) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := l.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.mode.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	list := make([]fs.DirEntry, len(e.children))
	for i, child := range e.children {
		list[i] = dirEntry{l, path.Join(name, child.name), child}
	}
	return list, nil
}

func (l *listFS) Stat(name string) (fs.FileInfo, error) {
	e, err := l.find("stat", name)
	if err != nil {
		return nil, err
	}
	return l.info(name, e)
}

// info reads a file to know its size, which git's list of a tree does not tell.
func (l *listFS) info(name string, e *entry) (fs.FileInfo, error) {
	i := fileInfo{e: e, name: path.Base(name)}
	if e.mode.IsRegular() || e.mode.Type() == fs.ModeSymlink {
		data, err := l.read(name, e)
		if err != nil {
			return nil, err
		}
		i.size = int64(len(data))
	}
	return i, nil
}

func (l *listFS) Open(name string) (fs.File, error) {
	e, err := l.find("open", name)
	if err != nil {
		return nil, err
	}
	if e.mode.IsDir() {
		list, err := l.ReadDir(name)
		return &openDir{info: fileInfo{e: e, name: path.Base(name)}, list: list}, err
	}
	e, data, err := l.content("open", name)
	if err != nil {
		return nil, err
	}
	return &openFile{bytes.NewReader(data), fileInfo{e, path.Base(name), int64(len(data))}}, nil
}

type fileInfo struct {
	e    *entry
	name string // as it was asked for, which a link makes another than the entry's
	size int64
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.e.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.e.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

type dirEntry struct {
	l    *listFS
	path string
	e    *entry
}

func (d dirEntry) Name() string               { return d.e.name }
func (d dirEntry) IsDir() bool                { return d.e.mode.IsDir() }
func (d dirEntry) Type() fs.FileMode          { return d.e.mode.Type() }
func (d dirEntry) Info() (fs.FileInfo, error) { return d.l.info(d.path, d.e) }
