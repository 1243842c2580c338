package source

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Tree is a tree of files, wherever it came from. It may be used from several
// goroutines at once; after Close, and after the end of the context that it was
// opened with, nothing more can be read.
//
// Symbolic links are followed inside the tree and never out of it. A submodule
// has no files in a tree that comes from git.
type Tree struct {
	Name   string // for messages: the ref, and what it was taken for where that isn't plain
	Ref    string // as it was given to Open
	FS     fs.FS
	File   string // path in FS where the ref was one file, whose directory is the root; else ""
	Dir    string // the root's directory on disk; "" where the tree is not on disk
	Commit string // the full id of the commit; "" where the tree is not from git

	Committed time.Time // when the commit was made, as it says; zero where the tree is not from git

	disk   *os.Root // where the tree is on disk; else nil
	limits Limits
	close  func() error
}

// Close frees what the tree holds: a process, a file handle. Calling it twice
// does no harm.
func (t *Tree) Close() error {
	end := t.close
	if end == nil {
		return nil
	}
	t.close = nil
	return end()
}

// pathError is an error about a file of a tree, in words of its own; what it
// wraps answers errors.Is(err, fs.ErrNotExist).
type pathError struct {
	path, msg string
	err       error
}

func (e *pathError) Error() string { return e.path + ": " + e.msg }
func (e *pathError) Unwrap() error { return e.err }

// ReadFile gives a file's content. It refuses what is no regular file and what
// is larger than the limit.
func (t *Tree) ReadFile(path string) ([]byte, error) {
	if !fs.ValidPath(path) {
		return nil, &pathError{path, "not a path inside " + t.Name, fs.ErrInvalid}
	}
	data, err := t.read(path)
	if limit := t.limits.orDefaults().File; err == nil && int64(len(data)) > limit {
		err = tooLarge(path, limit)
	}
	if err != nil {
		return nil, t.explain(path, err)
	}
	return data, nil
}

// read gives a file's content, one byte more than the limit at most.
func (t *Tree) read(path string) ([]byte, error) {
	if l, ok := t.FS.(*listFS); ok {
		return l.ReadFile(path)
	}
	f, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, isDirectory(path)
	case !info.Mode().IsRegular():
		return nil, &pathError{path, "not a regular file", fs.ErrInvalid}
	}
	limit := t.limits.orDefaults().File + 1
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
	_, err = data.ReadFrom(io.LimitReader(f, limit))
	return data.Bytes(), err
}

// open opens a file in a way that does not wait for who writes into a named pipe.
// A path is walked step by step, so that none leads out of the tree: it is not
// looked at before, which would walk it twice.
func (t *Tree) open(path string) (fs.File, error) {
	if t.disk == nil {
		return t.FS.Open(path)
	}
	return t.disk.OpenFile(filepath.FromSlash(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func isDirectory(path string) error {
	return &pathError{path, "a directory where a file is wanted", fs.ErrInvalid}
}

// explain says an error of the file system in our words.
func (t *Tree) explain(path string, err error) error {
	var known *pathError
	var system *fs.PathError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, fs.ErrNotExist):
		return &pathError{path, "no such file in " + t.Name, err}
	case strings.Contains(err.Error(), "escapes from parent"): // os.Root has no name for this error
		return &pathError{path, "a symbolic link leads out of the tree, where it is not followed", err}
	case errors.As(err, &system):
		err = system.Err
	}
	return &pathError{path, fmt.Sprintf("cannot be read from %s: %v", t.Name, err), err}
}

func tooLarge(path string, limit int64) error {
	return &pathError{path, fmt.Sprintf("larger than the %s that are read", size(limit)), fs.ErrInvalid}
}

// size writes a number of bytes in the largest unit that divides it.
func size(n int64) string {
	if n > 0 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Hash identifies a file's content: it is the id that git gives to a blob
// (SHA-1), whatever the tree came from, so that equal contents have equal ids.
// A tree from git knows it without reading the file.
func (t *Tree) Hash(path string) (string, error) {
	id, _, err := t.Peek(path)
	return id, err
}

// Peek gives a file's hash, and its content where that had to be read for it.
func (t *Tree) Peek(path string) (id string, data []byte, err error) {
	if l, ok := t.FS.(*listFS); ok {
		e, err := l.find("open", path)
		if err != nil {
			return "", nil, t.explain(path, err)
		}
		if e.mode.IsRegular() && len(e.id) == hex.EncodedLen(sha1.Size) { // a repository may use SHA-256
			return e.id, nil, nil
		}
	}
	if data, err = t.ReadFile(path); err != nil {
		return "", nil, err
	}
	return blobID(data), data, nil
}

func blobID(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
