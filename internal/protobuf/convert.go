package protobuf

import (
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// convert gives a compiled closure as descriptors of the Protobuf library
// itself: only they tell its parsers what an edition's features say (whether a
// string is checked, for one).
func (l *scope) convert(fd protoreflect.FileDescriptor) (protoreflect.FileDescriptor, error) {
	built := &imports{loader: l}
	for _, f := range dependenciesFirst(fd) {
		name := f.Path()
		if err := built.add(name, func() *descriptorpb.FileDescriptorProto { return protoOf(f) }); err != nil {
			return nil, err
		}
	}
	return l.compiled[fd.Path()], nil
}

// linkable gives a file that was converted in the form in which others are linked
// against it, nil where there is none. The form that the compiler made is larger by
// far, and is let go.
func (l *scope) linkable(name string) linker.File {
	if f := l.linked[name]; f != nil {
		return f
	}
	fd := l.recall(name)
	if fd == nil {
		return nil
	}
	var imports linker.Files
	for i := range fd.Imports().Len() {
		f := l.linkable(fd.Imports().Get(i).Path())
		if f == nil {
			return nil
		}
		imports = append(imports, f)
	}
	f, err := linker.NewFile(fd, imports)
	if err != nil {
		return nil
	}
	l.linked[name] = f
	return f
}

// convertProtos does the same with descriptions, dependencies first.
func (l *scope) convertProtos(files []*descriptorpb.FileDescriptorProto) (protoreflect.FileDescriptor, error) {
	built := &imports{loader: l}
	for _, f := range files {
		if err := built.add(f.GetName(), func() *descriptorpb.FileDescriptorProto { return f }); err != nil {
			return nil, err
		}
	}
	return l.compiled[files[len(files)-1].GetName()], nil
}

func protoOf(fd protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	if r, ok := fd.(linker.Result); ok {
		return r.FileDescriptorProto()
	}
	return protodesc.ToFileDescriptorProto(fd)
}

// imports is where protodesc looks things up: what was converted before.
type imports struct {
	loader *scope
	done   []protoreflect.FileDescriptor
}

// add converts a file, unless it was before.
func (i *imports) add(name string, describe func() *descriptorpb.FileDescriptorProto) error {
	if i.loader.recall(name) == nil {
		converted, err := i.convert(name, describe)
		if err != nil {
			return err
		}
		i.loader.compiled[name] = converted
	}
	i.done = append(i.done, i.loader.compiled[name])
	return nil
}

func (i *imports) convert(name string, describe func() *descriptorpb.FileDescriptorProto) (protoreflect.FileDescriptor, error) {
	if i.loader.files[name] == "" { // it is not the tree's
		if fd := standard(name); fd != nil {
			return fd, nil
		}
	}
	return protodesc.NewFile(describe(), i)
}

// standard is the library's own descriptor of a well-known type's file, nil where
// there is none.
func standard(name string) protoreflect.FileDescriptor {
	found, err := protocompile.WithStandardImports(nothing).FindFileByPath(name)
	if err != nil || found.Desc == nil {
		return nil
	}
	if wrapped, ok := found.Desc.(interface {
		Unwrap() protoreflect.FileDescriptor
	}); ok {
		return wrapped.Unwrap()
	}
	return found.Desc
}

// FindFileByPath finds a file by the name by which it is imported.
func (i *imports) FindFileByPath(name string) (protoreflect.FileDescriptor, error) {
	if fd := i.loader.compiled[name]; fd != nil {
		return fd, nil
	}
	return nil, protoregistry.NotFound
}

// FindDescriptorByName finds a type of one of the files. Two files of a tree may
// declare one name as long as no third imports both.
func (i *imports) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	for _, fd := range i.done {
		if d := lookUp(fd, name); d != nil {
			return d, nil
		}
	}
	return nil, protoregistry.NotFound
}

// lookUp finds a message, an enum or an extension that a file declares.
func lookUp(fd protoreflect.FileDescriptor, name protoreflect.FullName) protoreflect.Descriptor {
	rest, ok := string(name), true
	if fd.Package() != "" {
		rest, ok = strings.CutPrefix(rest, string(fd.Package())+".")
	}
	if !ok {
		return nil
	}
	var in declarations = fd
	for {
		part, tail, more := strings.Cut(rest, ".")
		if !more {
			return declared(in, protoreflect.Name(part))
		}
		m := in.Messages().ByName(protoreflect.Name(part))
		if m == nil {
			return nil
		}
		in, rest = m, tail
	}
}

// declarations is what a file and a message have in common.
type declarations interface {
	Messages() protoreflect.MessageDescriptors
	Enums() protoreflect.EnumDescriptors
	Extensions() protoreflect.ExtensionDescriptors
}

func declared(in declarations, name protoreflect.Name) protoreflect.Descriptor {
	if m := in.Messages().ByName(name); m != nil {
		return m
	}
	if e := in.Enums().ByName(name); e != nil {
		return e
	}
	if x := in.Extensions().ByName(name); x != nil {
		return x
	}
	return nil
}
