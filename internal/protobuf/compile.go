package protobuf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/evcontract/evcontract/internal/source"
)

// compilation compiles one file and what it imports.
type compilation struct {
	loader *scope

	mu       sync.Mutex
	over     bool              // what the compiler still does counts no more
	sources  map[string][]byte // by import name; what comes from the tree
	problems []*source.Error
}

// run compiles a file, and gives it as the Protobuf library describes it.
func (c *compilation) run(name string) (fd protoreflect.FileDescriptor, problems []*source.Error) {
	defer func() {
		if r := recover(); r != nil {
			c.loader.later, c.loader.loader.later = nil, nil // half done
			fd, problems = nil, c.crashed(name, r)
		}
	}()
	fd, err := c.descriptor(name)
	if fd == nil && len(c.problems) == 0 {
		c.give(name, err)
	}
	if slices.ContainsFunc(c.problems, func(p *source.Error) bool { return strings.Contains(p.Msg, "already defined") }) {
		c.again(name)
	}
	if len(c.problems) > 0 {
		return nil, sorted(c.problems)
	}
	return fd, nil
}

// again compiles a file and its imports once more, all of them from their text: what
// is described already has no places, and a clash of names has two.
func (c *compilation) again(name string) {
	alone := &compilation{loader: newScope(c.loader.loader, c.loader.dirs)}
	if _, err := alone.classic(name); err != nil && len(alone.problems) == 0 {
		alone.give(name, err)
	}
	if len(alone.problems) > 0 {
		c.problems = alone.problems
	}
}

// descriptor compiles a file with the first compiler that knows its edition, and
// that of all that it imports.
func (c *compilation) descriptor(name string) (protoreflect.FileDescriptor, error) {
	if fd := c.tryQuick(name); fd != nil {
		return fd, nil
	}
	fd := c.tryDirect(name)
	if fd != nil {
		return c.loader.convert(fd)
	}
	if later := c.loader.laterFor(name); later != nil {
		return c.compileLater(later, name)
	}
	fd, err := c.classic(name)
	if fd == nil {
		return nil, err
	}
	return c.loader.convert(fd)
}

func (c *compilation) compileLater(compiler *later, name string) (protoreflect.FileDescriptor, error) {
	files := compiler.run(c, name)
	if files == nil {
		return nil, nil
	}
	if !c.loader.imported[name] {
		compiler.forget(name)
	}
	return c.loader.convertProtos(files)
}

func (c *compilation) classic(name string) (protoreflect.FileDescriptor, error) {
	compiler := protocompile.Compiler{
		Resolver: protocompile.ResolverFunc(c.find),
		Reporter: reporter.NewReporter(c.note, nil),
	}
	files, err := compiler.Compile(context.Background(), name)
	c.finish()
	if err != nil || len(files) == 0 || len(c.problems) > 0 {
		return nil, err
	}
	return files[0], nil
}

// finish is for when the compiler has returned: after a cycle of imports its
// goroutines may still be at work.
func (c *compilation) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// find is the compiler's resolver. A file that was compiled before is shared;
// a well-known type that the tree doesn't have is built in.
func (c *compilation) find(name string) (protocompile.SearchResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return protocompile.SearchResult{}, protoregistry.NotFound
	}
	if fd := c.loader.linkable(name); fd != nil {
		return protocompile.SearchResult{Desc: fd}, nil
	}
	data, err := c.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return protocompile.WithStandardImports(nothing).FindFileByPath(name)
	}
	if err != nil {
		return protocompile.SearchResult{}, fmt.Errorf("the import %q cannot be read: %w", name, err)
	}
	return protocompile.SearchResult{Source: bytes.NewReader(data)}, nil
}

var nothing = protocompile.ResolverFunc(func(string) (protocompile.SearchResult, error) {
	return protocompile.SearchResult{}, protoregistry.NotFound
})

// read gives the source of an imported file.
func (c *compilation) read(name string) ([]byte, error) {
	file, f := c.loader.locate(name)
	if f.err != nil {
		return nil, f.err
	}
	data, err := c.loader.loader.text(file)
	if err != nil {
		return nil, err
	}
	if c.sources == nil {
		c.sources = map[string][]byte{}
	}
	c.loader.files[name], c.sources[name] = file, data
	return data, nil
}

// note keeps an error and lets the compiler look for more.
func (c *compilation) note(err reporter.ErrorWithPos) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.keep(err)
	}
	return nil
}

func (c *compilation) keep(err reporter.ErrorWithPos) {
	at := err.GetPosition()
	pos := source.Pos{File: c.loader.fileOf(at.Filename), Line: at.Line}
	if data := c.sources[at.Filename]; data != nil && at.Line > 0 {
		pos = posAt(pos.File, data, at.Offset)
	}
	pos, complaint := c.inOrder(pos, at.Filename, err.Unwrap().Error())
	c.problems = append(c.problems, source.Errorf(pos, "%s", c.words(complaint)))
}

var definedAt = regexp.MustCompile(`^(.* already defined at )(.+):(\d+):(\d+)$`)

// inOrder turns a clash of two files around, if need be, so that it is that of the
// later one in their order: the compiler reads them at the same time, and tells
// of the one that it happened to read last.
func (c *compilation) inOrder(pos source.Pos, file, complaint string) (source.Pos, string) {
	m := definedAt.FindStringSubmatch(complaint)
	if m == nil || m[2] <= file {
		return pos, complaint
	}
	turned := fmt.Sprintf("%s%s:%d:%d", m[1], file, pos.Line, pos.Column)
	line, _ := strconv.Atoi(m[3]) // digits, as the compiler wrote them
	column, _ := strconv.Atoi(m[4])
	return source.Pos{File: c.loader.fileOf(m[2]), Line: line, Column: column}, turned
}

// give keeps the error that compilation ended with. A missing import is not
// reported before.
func (c *compilation) give(name string, err error) {
	var placed reporter.ErrorWithPos
	if errors.As(err, &placed) {
		c.keep(placed)
		return
	}
	c.problems = append(c.problems, c.explain(name, err))
}

// explain says an error that has no place.
func (c *compilation) explain(name string, err error) *source.Error {
	if err == nil {
		err = errors.New("cannot be compiled")
	}
	return source.Errorf(source.Pos{File: c.loader.fileOf(name)}, "%s", c.words(err.Error()))
}

// remedies say what to do about a complaint of the compiler. The first that is
// part of it counts.
var remedies = []struct{ complaint, remedy string }{
	{"not yet fully supported", "write the file in edition 2024 or 2023, proto3 or proto2"},
	{"should be one of [\"2023\"]", "write the file in edition 2024 or 2023, proto3 or proto2"},
	{"cycle found in imports", "move what both files need into a third one"},
	{"cyclic import", "move what both files need into a third one"},
	{"cannot find `", "import the file that declares it, or correct the name"},
	{"unexported", "put export before its declaration, or what uses it into the same file"},
	{"unknown type", "import the file that declares it, or correct the name"},
	{"unknown extendee type", "import the file that declares it, or correct the name"},
	{"unknown extension", "import the file that declares the option"},
	{"could not resolve", "import the file that declares it, or correct the name"},
	{"value numeric value zero", "let the enum begin with a value 0, NAME_UNSPECIFIED = 0"},
	{"first value of enum have numeric value zero", "let the enum begin with a value 0, NAME_UNSPECIFIED = 0"},
	{"first value of open enum must be zero", "let the enum begin with a value 0, NAME_UNSPECIFIED = 0"},
	{"both have the same tag", "give one of them a number of its own"},
	{"used more than once", "give one of them a number of its own"},
	{"reserved range", "take another number: this one was used before"},
	{"using reserved name", "take another name: this one was used before"},
	{"use of reserved message field name", "take another name: this one was used before"},
	{"use of reserved", "take another number: this one was used before"},
	{"already defined at", "rename one of them, or import the file under one path only"},
	{"is a MessageSet", "take the option message_set_wire_format out, and make fields of what extends the message"},
	{"syntax error", "correct the line, or what stands before it"},
}

func (c *compilation) words(complaint string) string {
	if rest, ok := strings.CutPrefix(complaint, "could not resolve path "); ok {
		name, _, _ := strings.Cut(rest, ": ")
		return c.notThere(name)
	}
	if remedy := remedyFor(complaint); remedy != "" {
		return complaint + ": " + remedy
	}
	return complaint
}

func remedyFor(complaint string) string {
	for _, r := range remedies {
		if strings.Contains(complaint, r.complaint) {
			return r.remedy
		}
	}
	return ""
}

// notThere says where an import was looked for.
func (c *compilation) notThere(quoted string) string {
	return fmt.Sprintf("the import %s is not there: it was looked for in %s; correct the import, add the file, or add its root to proto_paths", quoted, strings.Join(c.loader.dirs, ", "))
}

// sorted puts errors in reading order, each once, and not more than somebody reads.
func sorted(problems []*source.Error) []*source.Error {
	const most = 100
	slices.SortStableFunc(problems, func(a, b *source.Error) int {
		switch {
		case a.Pos.Before(b.Pos):
			return -1
		case b.Pos.Before(a.Pos):
			return 1
		}
		return strings.Compare(a.Msg, b.Msg)
	})
	problems = slices.CompactFunc(problems, func(a, b *source.Error) bool { return *a == *b })
	return problems[:min(len(problems), most)]
}
