package source

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// archives are the endings of archives and how each is unpacked.
var archives = []struct {
	ending string
	unpack func(*unpacker, *os.File) error
}{
	{".tar", func(u *unpacker, f *os.File) error { return u.tar(f) }},
	{".tar.gz", func(u *unpacker, f *os.File) error { return u.gzip(f) }},
	{".tgz", func(u *unpacker, f *os.File) error { return u.gzip(f) }},
	{".zip", func(u *unpacker, f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return u.zip(f, info.Size())
	}},
}

// unpackerFor gives the unpacking of a file with an archive's name, else nil.
func unpackerFor(name string) func(*unpacker, *os.File) error {
	name = strings.ToLower(name)
	for _, a := range archives {
		if strings.HasSuffix(name, a.ending) {
			return a.unpack
		}
	}
	return nil
}

// InMemory gives a tree of files that are on no disk, by their slash-separated
// paths.
func InMemory(name string, files map[string][]byte) (*Tree, error) {
	entries := map[string]*entry{}
	for p, data := range files {
		if !fs.ValidPath(p) || p == "." {
			return nil, &pathError{p, "not a path inside " + name, fs.ErrInvalid}
		}
		entries[p] = &entry{mode: 0o444, data: data}
	}
	list, err := newListFS(entries, func(_ string, e *entry) ([]byte, error) { return e.data, nil })
	if err != nil {
		return nil, err
	}
	return &Tree{Name: name, Ref: name, FS: list, limits: Limits{}.orDefaults()}, nil
}

func openArchive(name string, unpack func(*unpacker, *os.File) error, limits Limits) (fs.FS, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	u := newUnpacker(limits)
	if err := unpack(u, f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	tree, err := u.tree()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tree, nil
}

func (u *unpacker) gzip(r io.Reader) error {
	packed := &counter{from: r}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("not a gzip file: %w", err)
	}
	return u.tar(&stream{from: z, packed: packed, limits: u.limits})
}

// counter counts the packed bytes that were used.
type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	return n, err
}

// stream watches what a gzip file unpacks to, headers of entries included.
type stream struct {
	from   io.Reader
	packed *counter
	limits Limits
	n      int64
}

func (s *stream) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	s.n += int64(n)
	switch {
	case s.n > ratioFrom && s.n/int64(s.limits.Ratio) > s.packed.n:
		return n, fmt.Errorf("the archive is refused: it unpacks to more than %d times its size", s.limits.Ratio)
	case s.n > 2*s.limits.Total:
		return n, fmt.Errorf("the archive is refused: it unpacks to more than %s", size(2*s.limits.Total))
	}
	return n, err
}

func (u *unpacker) tar(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a tar file, or a broken one: %w", err)
		}
		if err := u.tarEntry(t, h); err != nil {
			return err
		}
	}
}

func (u *unpacker) tarEntry(t *tar.Reader, h *tar.Header) error {
	if err := u.count(h.Name); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return u.add(h.Name, 0, t)
	case tar.TypeDir:
		return u.add(h.Name, fs.ModeDir, nil)
	case tar.TypeXGlobalHeader: // git archive keeps the commit's id there
		return nil
	case tar.TypeSymlink, tar.TypeLink:
		return refused(h.Name, "is a link")
	}
	return refused(h.Name, "is neither a file nor a directory")
}

func (u *unpacker) zip(r io.ReaderAt, length int64) error {
	z, err := zip.NewReader(r, length)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // paths are judged below
		return fmt.Errorf("not a zip file, or a broken one: %w", err)
	}
	for _, f := range z.File {
		if err := u.zipEntry(f); err != nil {
			return err
		}
		if u.total > ratioFrom && u.total/int64(u.limits.Ratio) > length {
			return refused(f.Name, "makes the archive unpack to more than %d times its size", u.limits.Ratio)
		}
	}
	return nil
}

func (u *unpacker) zipEntry(f *zip.File) error {
	if err := u.count(f.Name); err != nil {
		return err
	}
	mode := f.Mode()
	packed, unpacked := f.CompressedSize64, f.UncompressedSize64
	switch {
	case strings.HasSuffix(f.Name, "/") || mode.IsDir():
		return u.add(f.Name, fs.ModeDir, nil)
	case mode.Type() == fs.ModeSymlink:
		return refused(f.Name, "is a link")
	case !mode.IsRegular():
		return refused(f.Name, "is neither a file nor a directory")
	case f.Flags&1 != 0:
		return refused(f.Name, "is encrypted")
	case unpacked > ratioFrom && unpacked/uint64(u.limits.Ratio) > packed:
		return refused(f.Name, "unpacks to more than %d times its size", u.limits.Ratio)
	}
	r, err := f.Open()
	if err != nil {
		return refused(f.Name, "cannot be unpacked: %v", err)
	}
	defer r.Close()
	return u.add(f.Name, 0, r)
}
