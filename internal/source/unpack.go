package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// unpacker collects the entries of an archive, which is never trusted: whatever
// could lead out of the tree or use up the machine ends the unpacking.
type unpacker struct {
	limits  Limits
	files   map[string]*entry
	entries int
	total   int64 // bytes of the files together
}

func newUnpacker(limits Limits) *unpacker {
	return &unpacker{limits: limits.orDefaults(), files: map[string]*entry{}}
}

func refused(name, format string, args ...any) error {
	return fmt.Errorf("the archive is refused: its entry %q %s", name, fmt.Sprintf(format, args...))
}

// count notes one more entry, whatever it is.
func (u *unpacker) count(name string) error {
	if u.entries++; u.entries > u.limits.Entries {
		return refused(name, "is one more than the %d that are read", u.limits.Entries)
	}
	return nil
}

// clean gives the path of an entry in the tree. Writers put ./ in front of a
// name and / after a directory's; everything else must be a plain path.
func clean(name string) (string, error) {
	p := strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	switch {
	case p == "" || p == ".":
		return ".", nil
	case strings.ContainsAny(p, "\\\x00"):
		return "", refused(name, "has a backslash or a NUL in its name")
	case !utf8.ValidString(p):
		return "", refused(name, "has a name that is not UTF-8")
	case strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':':
		return "", refused(name, "has an absolute path")
	case !fs.ValidPath(p):
		return "", refused(name, "leads out of the archive, or is not written plainly")
	}
	return p, nil
}

// add takes a directory or the bytes of a file.
func (u *unpacker) add(name string, mode fs.FileMode, r io.Reader) error {
	p, err := clean(name)
	if err != nil {
		return err
	}
	old := u.files[p]
	switch {
	case mode.IsDir():
		if old != nil && !old.mode.IsDir() {
			return refused(name, "is there twice")
		}
		u.files[p] = &entry{mode: fs.ModeDir | 0o555}
		return nil
	case old != nil || p == ".":
		return refused(name, "is there twice")
	}
	data, err := io.ReadAll(&counted{from: r, u: u, name: name})
	if err != nil {
		return err
	}
	u.files[p] = &entry{mode: 0o444, data: data}
	return nil
}

// counted reads one entry and stops where the limits are reached: what the
// archive says about its sizes is not believed.
type counted struct {
	from io.Reader
	u    *unpacker
	name string
	size int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.size += int64(n)
	c.u.total += int64(n)
	switch l := c.u.limits; {
	case c.size > l.File:
		return n, refused(c.name, "is larger than the %s that a file may have", size(l.File))
	case c.u.total > l.Total:
		return n, refused(c.name, "makes the files larger than the %s that they may have together", size(l.Total))
	case err != nil && err != io.EOF:
		return n, fmt.Errorf("the archive is broken at its entry %q: %w", c.name, err)
	}
	return n, err
}

// tree gives what was unpacked. One directory that holds everything, as
// git archive --prefix makes it, is entered.
func (u *unpacker) tree() (*listFS, error) {
	delete(u.files, ".")
	if len(u.files) == 0 {
		return nil, errors.New("the archive is empty")
	}
	if top := u.top(); top != "" {
		inside := make(map[string]*entry, len(u.files))
		for p, e := range u.files {
			if rest, ok := strings.CutPrefix(p, top+"/"); ok {
				inside[rest] = e
			}
		}
		u.files = inside
	}
	return newListFS(u.files, func(_ string, e *entry) ([]byte, error) { return e.data, nil })
}

// top is the only directory in the archive's root, "" where there is more.
func (u *unpacker) top() string {
	top := ""
	for p, e := range u.files {
		first, _, below := strings.Cut(p, "/")
		if !below && !e.mode.IsDir() || top != "" && first != top {
			return ""
		}
		top = first
	}
	return top
}
