package protobuf

import (
	"slices"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// quick describes a file without a compiler: it reads the text in one pass, gives
// names and options their meaning and lets the Protobuf library check the rest.
// It keeps no syntax tree, no places and no table of what every name might be,
// which is what a compiler spends its time on.
//
// It gives what the compiler gives, or nothing. Whatever it does not know well (an
// edition, a group, an extension, a number that is not plain), and whatever is wrong
// with a file, is left to the compiler, whose words are the ones that are shown. The
// one difference: custom options stay bytes, as from the second compiler.
type quick struct {
	*compilation
	direct direct // compiles what quick does not describe
}

// tryQuick gives a file's descriptor, nil where a compiler is to say what is wrong
// with it or with what it imports.
func (c *compilation) tryQuick(name string) protoreflect.FileDescriptor {
	l := c.loader
	if !l.loader.transient || l.keys[name] == "" || l.keyOf(descriptorProto) != builtIn(descriptorProto) {
		return nil
	}
	if l.loader.names == nil {
		l.loader.names = newNames()
	}
	q := quick{c, newDirect(c)}
	return q.file(name)
}

// file describes a file, what it imports first, by whichever way serves.
func (q *quick) file(name string) protoreflect.FileDescriptor {
	l := q.loader
	if fd := l.recall(name); fd != nil {
		return fd
	}
	_, f := l.locate(name)
	if f.err != nil {
		return q.standard(name)
	}
	for _, imported := range f.imports {
		if q.file(imported) == nil {
			return nil
		}
	}
	fd := q.describe(name)
	if fd == nil {
		return q.compile(name)
	}
	l.compiled[name] = fd
	return fd
}

// standard takes a well-known type's file that the tree does not have.
func (q *quick) standard(name string) protoreflect.FileDescriptor {
	fd := standard(name)
	if fd != nil {
		q.loader.compiled[name] = fd
	}
	return fd
}

func (q *quick) compile(name string) protoreflect.FileDescriptor {
	file, err := q.direct.file(name)
	if err != nil {
		return nil
	}
	fd, err := q.loader.convert(file)
	if err != nil {
		return nil
	}
	return fd
}

// describe reads one file, nil where it is not plain or something is wrong.
func (q *quick) describe(name string) protoreflect.FileDescriptor {
	data, err := q.read(name)
	if err != nil {
		return nil
	}
	p := newPlain(name, data)
	if !p.parse() {
		return nil
	}
	in := q.importsOf(p.file)
	if in == nil || in.clashes(p) || !in.resolve(p) || !in.interpret(p) {
		return nil
	}
	fd, err := protodesc.NewFile(p.file, in)
	if err != nil {
		return nil
	}
	return fd
}

// importsOf gathers what a file can name, nil where its imports are of a kind that
// the compiler has something to say about.
func (q *quick) importsOf(file *descriptorpb.FileDescriptorProto) *visible {
	v := &visible{names: q.loader.loader.names, scope: q.loader, files: map[protoreflect.FileDescriptor]bool{}, packages: map[string]bool{}}
	v.addPackage(protoreflect.FullName(file.GetPackage()))
	for _, imported := range file.Dependency {
		fd := q.loader.compiled[imported]
		if o, ok := fd.Options().(*descriptorpb.FileOptions); ok && o.GetOptimizeFor() == descriptorpb.FileOptions_LITE_RUNTIME {
			return nil
		}
		if !v.names.register(fd) {
			return nil
		}
		v.add(fd)
	}
	return v
}

// visible is what one file can name of what it imports. It is where the Protobuf
// library looks it up too.
type visible struct {
	*names
	scope    *scope
	files    map[protoreflect.FileDescriptor]bool // those it imports, and what they hand on
	packages map[string]bool                      // of these, and of the file itself, with all that they lie in
}

func (v *visible) add(fd protoreflect.FileDescriptor) {
	if v.files[fd] {
		return
	}
	v.files[fd] = true
	v.addPackage(fd.Package())
	for i := range fd.Imports().Len() {
		if imported := fd.Imports().Get(i); imported.IsPublic {
			v.add(imported.FileDescriptor)
		}
	}
}

func (v *visible) addPackage(name protoreflect.FullName) {
	for ; name != "" && !v.packages[string(name)]; name = name.Parent() {
		v.packages[string(name)] = true
	}
}

// FindFileByPath finds a file by the name by which it is imported.
func (v *visible) FindFileByPath(name string) (protoreflect.FileDescriptor, error) {
	if fd := v.scope.compiled[name]; fd != nil {
		return fd, nil
	}
	return nil, protoregistry.NotFound
}

// FindDescriptorByName finds what a file of the closure declares.
func (v *visible) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d := v.declared[name]; d != nil {
		return d, nil
	}
	return nil, protoregistry.NotFound
}

// clashes reports whether two files of the closure declare one name, or may do so:
// the compiler then tells.
func (v *visible) clashes(p *plain) bool {
	if v.confused || len(v.clashing) > 0 && slices.ContainsFunc(slices.Collect(v.closure()), func(fd protoreflect.FileDescriptor) bool { return v.clashing[fd] }) {
		return true
	}
	for name := range p.declared {
		other := v.declared[protoreflect.FullName(name)]
		if other != nil && other.ParentFile().Path() != p.file.GetName() || v.names.packages[protoreflect.FullName(name)] {
			return true
		}
	}
	for name := protoreflect.FullName(p.file.GetPackage()); name != ""; name = name.Parent() {
		if v.declared[name] != nil {
			return true
		}
	}
	return false
}
