package protobuf

import (
	"strings"

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
		// What nobody imports is not linked against: the compiler's own form of it,
		// which is large, can go.
		if l.linked[name] == nil && (f != fd || l.imported[name]) {
			l.linked[name], _ = f.(linker.File)
		}
	}
	return l.compiled[fd.Path()], nil
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
	if i.loader.compiled[name] == nil {
		converted, err := protodesc.NewFile(describe(), i)
		if err != nil {
			return err
		}
		i.loader.compiled[name] = converted
	}
	i.done = append(i.done, i.loader.compiled[name])
	return nil
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
