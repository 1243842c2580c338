package protobuf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bufbuild/protocompile/experimental/incremental"
	"github.com/bufbuild/protocompile/experimental/incremental/queries"
	"github.com/bufbuild/protocompile/experimental/ir"
	"github.com/bufbuild/protocompile/experimental/report"
	experimental "github.com/bufbuild/protocompile/experimental/source"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"

	"github.com/evcontract/evcontract/internal/source"
)

// later is protocompile's second compiler, which knows edition 2024. Closures
// that have a file of it are compiled by it as a whole; nothing else is. What
// such files import in common is compiled once.
type later struct {
	executor *incremental.Executor
	session  *ir.Session
	files    *experimental.Openers
	unread   map[string]error // by import name: why a file cannot be read
	current  *compilation     // the one that runs; one at a time does
}

func newLater() *later {
	l := &later{executor: incremental.New(incremental.WithParallelism(1)), session: new(ir.Session), unread: map[string]error{}}
	l.files = &experimental.Openers{l, experimental.WKTs()}
	return l
}

// Open reads a file of the tree for the compiler.
func (l *later) Open(name string) (*experimental.File, error) {
	l.current.mu.Lock()
	defer l.current.mu.Unlock()
	data, err := l.current.read(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.unread[name] = err
		}
		return nil, err
	}
	return experimental.NewFile(name, string(data)), nil
}

// forget drops a file that nobody imports.
func (l *later) forget(name string) {
	l.executor.Evict(queries.File{Opener: l.files, Path: name})
}

// laterClosure is what a closure's outlines say to the second compiler.
type laterClosure struct {
	scope *scope
	seen  map[string]bool
	wants bool // a file is of an edition that only the second compiler knows
	own   bool // a file was found beside the one that imports it, not below the proto_paths
}

func (c *laterClosure) visit(name string) {
	if c.seen[name] {
		return
	}
	c.seen[name] = true
	file, f := c.scope.locate(name)
	if f.err != nil {
		// Some files for options of languages are built into the second one only.
		if _, err := experimental.WKTs().Open(name); err == nil && builtIn(name) == "" {
			c.wants = true
		}
		return
	}
	c.wants = c.wants || f.edition == "2024"
	c.own = c.own || !slices.ContainsFunc(c.scope.loader.paths, func(dir string) bool { return path.Join(dir, name) == file })
	for _, imported := range f.imports {
		c.visit(imported)
	}
}

// laterFor gives the second compiler for a file whose closure wants it, else
// nil. All scopes share one for what they all import by the same names.
func (l *scope) laterFor(name string) *later {
	c := laterClosure{scope: l, seen: map[string]bool{}}
	c.visit(name)
	compiler := &l.loader.later
	switch {
	case !c.wants:
		return nil
	case c.own:
		compiler = &l.later
	}
	if *compiler == nil {
		*compiler = newLater()
	}
	return *compiler
}

// run compiles a closure. It gives the files, dependencies first, and nothing
// where there was a problem: the compiler would describe a part of them.
func (l *later) run(c *compilation, name string) []*descriptorpb.FileDescriptorProto {
	l.current = c
	results, said, err := incremental.Run(context.Background(), l.executor,
		queries.FDS{Opener: l.files, Session: l.session, Workspace: experimental.NewWorkspace(name)})
	if said != nil {
		for i := range said.Diagnostics {
			l.note(&said.Diagnostics[i])
		}
	}
	if err == nil && len(results) == 1 {
		err = results[0].Fatal
	}
	if len(c.problems) == 0 && (err != nil || len(results) != 1 || results[0].Value == nil) {
		c.problems = append(c.problems, c.explain(name, err))
	}
	if len(c.problems) > 0 {
		return nil
	}
	return readOptions(results[0].Value.File)
}

// readOptions gives descriptions whose options are read: the compiler writes them as
// bytes. Features for Go are among them; options that are not the Protobuf
// library's own stay bytes.
func readOptions(files []*descriptorpb.FileDescriptorProto) []*descriptorpb.FileDescriptorProto {
	known := new(protoregistry.Types)
	_ = known.RegisterExtension(gofeaturespb.E_Go) // the first cannot clash
	read := make([]*descriptorpb.FileDescriptorProto, len(files))
	for i, f := range files {
		read[i] = &descriptorpb.FileDescriptorProto{}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(f)
		if err == nil {
			err = proto.UnmarshalOptions{Resolver: known}.Unmarshal(data, read[i])
		}
		if err != nil {
			read[i] = f
		}
	}
	return read
}

// note keeps an error of the compiler. Its warnings are of style.
func (l *later) note(d *report.Diagnostic) {
	if d.Level() > report.Error {
		return
	}
	c := l.current
	pos, words := source.Pos{File: c.loader.fileOf(d.File())}, d.Message()
	if span := d.Primary(); !span.IsZero() {
		at := span.Start
		if quote := strings.IndexAny(span.Text(), `"'`); strings.HasPrefix(span.Text(), "import") && quote > 0 {
			at += quote // the name of what is imported
			words = l.importWords(span.Text()[quote:], words)
		}
		pos = posAt(c.loader.fileOf(span.Path()), []byte(span.File.Text()), at)
	}
	if help := d.Help(); len(help) > 0 && remedyFor(words) == "" {
		words += ": " + strings.Join(help, ": ")
	}
	c.problems = append(c.problems, source.Errorf(pos, "%s", c.words(words)))
}

// importWords says in the words of the first compiler why an import cannot be
// had. The rest of the statement begins with its quoted name.
func (l *later) importWords(rest, words string) string {
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return words
	}
	name := rest[1 : end+1]
	if err := l.unread[name]; err != nil {
		return fmt.Sprintf("the import %q cannot be read: %v", name, err)
	}
	if strings.HasPrefix(words, "imported file does not exist") {
		return l.current.notThere(strconv.Quote(name))
	}
	return words
}
