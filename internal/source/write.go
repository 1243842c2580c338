package source

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// WriteFiles writes files below a directory, which is made if it isn't there;
// the paths are slash-separated and cannot lead out of it, through links neither.
// All files are written and synced under temporary names before the first one
// gets its own, and what a new file replaces is kept until the last one has, so
// that an error leaves everything as it was and a crash leaves each file whole,
// old or new. A file that has this content already is not
// touched, and one that is replaced keeps its permissions.
func WriteFiles(dir string, files map[string][]byte) error {
	for p := range files {
		if p == "." || !fs.ValidPath(p) || !filepath.IsLocal(filepath.FromSlash(p)) {
			return &pathError{p, "not a path inside " + dir, fs.ErrInvalid}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return explainWrite(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return explainWrite(dir, err)
	}
	defer root.Close()
	w := writer{root: root, rename: root.Rename}
	if err := w.all(files); err != nil {
		w.undo()
		return explainWrite(dir, err)
	}
	return nil
}

// writer is one call of WriteFiles under way.
type writer struct {
	root   *os.Root
	rename func(from, to string) error
	temps  []renaming // written, and not yet renamed
	done   []renaming // renamed
	dirs   []string   // that were made
}

type renaming struct {
	temp, name string
	old        string // where what it replaces is kept; empty where it replaces nothing
}

func (w *writer) all(files map[string][]byte) error {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if err := w.prepare(p, files[p]); err != nil {
			return err
		}
	}
	changed := map[string]bool{}
	for len(w.temps) > 0 {
		if err := w.replace(&w.temps[0]); err != nil {
			return about(w.temps[0].name, err)
		}
		changed[path.Dir(w.temps[0].name)] = true
		w.done, w.temps = append(w.done, w.temps[0]), w.temps[1:]
	}
	for _, r := range w.done {
		if r.old != "" {
			_ = w.root.Remove(r.old)
		}
	}
	for dir := range changed {
		w.sync(dir)
	}
	return nil
}

// replace gives a file its name, and keeps what had the name before.
func (w *writer) replace(r *renaming) error {
	if r.old != "" {
		if err := w.keep(r.name, r.old); err != nil {
			r.old = ""
			return err
		}
	}
	return w.rename(r.temp, r.name)
}

// keep gives a file a second name, or copies it where the file system has no links.
func (w *writer) keep(name, old string) error {
	if w.root.Link(name, old) == nil {
		return nil
	}
	data, err := w.root.ReadFile(name)
	if err != nil {
		return err
	}
	info, err := w.root.Stat(name)
	if err != nil {
		return err
	}
	return w.root.WriteFile(old, data, info.Mode().Perm())
}

// prepare writes a file under a temporary name, unless it is there already.
func (w *writer) prepare(p string, data []byte) error {
	mode := fs.FileMode(0o666) // less what the umask takes
	replaces := false
	switch info, err := w.root.Stat(p); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "write", Path: p, Err: errors.New("something that is no file is in the way")}
	default:
		mode, replaces = info.Mode().Perm(), true
		if old, err := w.root.ReadFile(p); err == nil && bytes.Equal(old, data) {
			return nil
		}
	}
	if err := w.mkdir(path.Dir(p)); err != nil {
		return err
	}
	return about(p, w.write(p, data, mode, replaces))
}

// mkdir makes a directory and its parents, and remembers which were not there.
func (w *writer) mkdir(dir string) error {
	if dir == "." {
		return nil
	}
	if err := w.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	err := w.root.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		w.dirs = append(w.dirs, dir)
	}
	return err
}

func (w *writer) write(p string, data []byte, mode fs.FileMode, replaces bool) error {
	temp := path.Join(path.Dir(p), "."+path.Base(p)+"."+rand.Text()[:8])
	r := renaming{temp: temp + ".tmp", name: p}
	if replaces {
		r.old = temp + ".old"
	}
	temp = r.temp
	f, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	w.temps = append(w.temps, r)
	_, err = f.Write(data)
	if err == nil && replaces {
		err = f.Chmod(mode) // the umask does not count for a file that was there
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sync makes the renames of a directory last. Some file systems cannot, and
// then nothing better can be done.
func (w *writer) sync(dir string) {
	if f, err := w.root.Open(dir); err == nil {
		_ = f.Sync()
		f.Close()
	}
}

// undo gives files that were replaced their names back and removes what is new.
func (w *writer) undo() {
	for _, r := range w.done {
		if r.old == "" {
			_ = w.root.Remove(r.name)
		} else {
			_ = w.root.Rename(r.old, r.name)
		}
	}
	for _, r := range w.temps {
		_ = w.root.Remove(r.temp)
		if r.old != "" {
			_ = w.root.Remove(r.old)
		}
	}
	for _, dir := range slices.Backward(w.dirs) {
		_ = w.root.Remove(dir)
	}
}

// about gives an error the name that the user knows in place of a temporary one.
func about(p string, err error) error {
	var system *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &system):
		return &fs.PathError{Op: system.Op, Path: p, Err: system.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: p, Err: link.Err}
	}
	return err
}

// explainWrite says what kept a file from being written.
func explainWrite(dir string, err error) error {
	name := dir
	var system *fs.PathError
	if errors.As(err, &system) {
		err = system.Err
		if system.Path != dir {
			name = path.Join(filepath.ToSlash(dir), system.Path)
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s: cannot be written: %w: give write permission, or name another directory", name, err)
	}
	return fmt.Errorf("%s: cannot be written: %w", name, err)
}
