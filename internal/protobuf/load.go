package protobuf

import (
	"path"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/source"
)

// Options say where imports are looked for.
type Options struct {
	ProtoPaths []string // slash paths in the tree; the file's own directory is tried too
	Transient  bool     // schemas are used one after the other: of files that none imports, only the last are kept
}

// Load reads the schema that a ref names:
//
//	orders/v1/events.proto#orders.v1.OrderPaid    a message
//	orders/v1/events.proto#pkg.Envelope.paid      one arm of an envelope's oneof
//	orders/v1/events.proto                        the file's only top-level message
//
// To load several refs of one tree, a Loader is faster.
func Load(tree *source.Tree, ref string, o Options) (*Schema, []*source.Error) {
	return NewLoader(tree, o).Load(ref)
}

// Messages lists the full names of a file's top-level messages.
func Messages(tree *source.Tree, file string, o Options) ([]string, []*source.Error) {
	return NewLoader(tree, o).Messages(file)
}

// Load is the function Load.
func (l *Loader) Load(ref string) (*Schema, []*source.Error) {
	file, name, named := strings.Cut(ref, "#")
	file = path.Clean(file)
	return l.scopeOf(file).load(file, name, named)
}

func (l *scope) load(file, name string, named bool) (*Schema, []*source.Error) {
	fd, problems := l.compile(file)
	if fd == nil {
		return nil, problems
	}
	if !named {
		return l.only(fd)
	}
	root, arm, problem := find(fd, name)
	if problem != "" {
		return nil, l.at(fd, "%s", problem)
	}
	return l.schema(fd, root, arm), nil
}

// Messages is the function Messages.
func (l *Loader) Messages(file string) ([]string, []*source.Error) {
	file = path.Clean(file)
	fd, problems := l.scopeOf(file).compile(file)
	if fd == nil {
		return nil, problems
	}
	return topLevel(fd), nil
}

// Content identifies what a ref names, with all that it may mean of what it
// imports, by the text of the declarations: of two trees, what has one content
// says the same to a reader. It is "" where that cannot be told without compiling
// it; then something may be wrong with it.
func (l *Loader) Content(ref string) string {
	file, name, _ := strings.Cut(ref, "#")
	file = path.Clean(file)
	s := l.scopeOf(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	compiled.building.Lock()
	defer compiled.building.Unlock()
	imported := s.nameOf(file)
	if s.keyOf(imported) == "" || s.files[imported] != file {
		return ""
	}
	return s.readKey(imported) + "#" + name
}

// Outline lists the full names of a file's top-level messages without compiling
// it, and reports whether it can tell.
func (l *Loader) Outline(file string) ([]string, bool) {
	f := l.look(path.Clean(file))
	if f.err != nil || f.odd {
		return nil, false
	}
	return f.messages, true
}

// only takes the message of a file that has just one.
func (l *scope) only(fd protoreflect.FileDescriptor) (*Schema, []*source.Error) {
	switch names := topLevel(fd); len(names) {
	case 0:
		return nil, l.at(fd, "declares no message, so there is no event in it")
	case 1:
		return l.schema(fd, fd.Messages().Get(0), nil), nil
	default:
		return nil, l.at(fd, "declares %d messages, and which one is the event is not said: append # and one of %s", len(names), listed(names))
	}
}

func (l *scope) at(fd protoreflect.FileDescriptor, format string, args ...any) []*source.Error {
	file, _ := l.inTree(fd.Path())
	return []*source.Error{source.Errorf(source.Pos{File: file}, format, args...)}
}

func topLevel(fd protoreflect.FileDescriptor) []string {
	messages := fd.Messages()
	names := make([]string, messages.Len())
	for i := range names {
		names[i] = string(messages.Get(i).FullName())
	}
	return names
}

// listed writes candidates for a message, not endlessly many.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
