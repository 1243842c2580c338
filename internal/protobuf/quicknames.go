package protobuf

import (
	"iter"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// names are what the imported files of a tree declare, by full name: messages,
// enums, services, extensions, and values of enums that stand outside of messages.
// With the compilations it is locked.
type names struct {
	declared   map[protoreflect.FullName]protoreflect.Descriptor
	packages   map[protoreflect.FullName]bool // with all that they lie in
	registered map[protoreflect.FileDescriptor]bool
	clashing   map[protoreflect.FileDescriptor]bool // files that share a name: no third may import both
	confused   bool                                 // a package has the name of a declaration somewhere
	options    map[string][]byte                    // what a custom option says in bytes, by its declaration and text
}

func newNames() *names {
	return &names{
		declared:   map[protoreflect.FullName]protoreflect.Descriptor{},
		packages:   map[protoreflect.FullName]bool{},
		registered: map[protoreflect.FileDescriptor]bool{},
		clashing:   map[protoreflect.FileDescriptor]bool{},
		options:    map[string][]byte{},
	}
}

// register enters what a file and its imports declare. It is false for one that
// could not be found.
func (n *names) register(fd protoreflect.FileDescriptor) bool {
	switch {
	case n.registered[fd]:
		return true
	case fd.IsPlaceholder():
		return false
	}
	n.registered[fd] = true
	for _, imported := range importsOf(fd) {
		if !n.register(imported) {
			return false
		}
	}
	for p := fd.Package(); p != "" && !n.packages[p]; p = p.Parent() {
		n.packages[p] = true
		n.confused = n.confused || n.declared[p] != nil
	}
	n.enter(fd)
	for i := range fd.Services().Len() {
		n.put(fd.Services().Get(i))
	}
	for i := range fd.Enums().Len() {
		for j := range fd.Enums().Get(i).Values().Len() {
			n.put(fd.Enums().Get(i).Values().Get(j))
		}
	}
	return true
}

func (n *names) enter(in declarations) {
	for i := range in.Enums().Len() {
		n.put(in.Enums().Get(i))
	}
	for i := range in.Extensions().Len() {
		n.put(in.Extensions().Get(i))
	}
	for i := range in.Messages().Len() {
		if m := in.Messages().Get(i); !m.IsMapEntry() {
			n.put(m)
			n.enter(m)
		}
	}
}

func (n *names) put(d protoreflect.Descriptor) {
	name := d.FullName()
	if other := n.declared[name]; other != nil {
		if here, there := d.ParentFile(), other.ParentFile(); here.Path() != there.Path() { // one of two files of one name is imported
			n.clashing[here], n.clashing[there] = true, true
		}
		return
	}
	n.declared[name] = d
	n.confused = n.confused || n.packages[name]
}

// closure are all files that a file can reach.
func (v *visible) closure() iter.Seq[protoreflect.FileDescriptor] {
	return func(yield func(protoreflect.FileDescriptor) bool) {
		seen := map[protoreflect.FileDescriptor]bool{}
		var visit func(protoreflect.FileDescriptor) bool
		visit = func(fd protoreflect.FileDescriptor) bool {
			if seen[fd] {
				return true
			}
			seen[fd] = true
			for _, imported := range importsOf(fd) {
				if !visit(imported) {
					return false
				}
			}
			return yield(fd)
		}
		for fd := range v.files {
			if !visit(fd) {
				return
			}
		}
	}
}

// typeRef is a name that stands where a type is wanted.
type typeRef struct {
	name  string
	scope string                             // the full name of the message, the service or the package around it
	to    *string                            // receives the full name
	field *descriptorpb.FieldDescriptorProto // whose kind it decides; nil for a method
}

// meaning is what a full name stands for in a file.
type meaning uint8

const (
	nothingNamed meaning = iota
	aMessage
	anEnum
	anExtension
	aPackage
	aService
	aLeaf // nothing can lie in it, and it is no type
)

// means tells what a full name stands for.
func (v *visible) means(p *plain, name []byte) meaning {
	if m := p.declared[string(name)]; m != nothingNamed {
		return m
	}
	if d := v.declared[protoreflect.FullName(name)]; d != nil && v.files[d.ParentFile()] {
		switch d.(type) {
		case protoreflect.MessageDescriptor:
			return aMessage
		case protoreflect.EnumDescriptor:
			return anEnum
		case protoreflect.ServiceDescriptor:
			return aService
		case protoreflect.ExtensionDescriptor:
			return anExtension
		}
		return aLeaf
	}
	if v.packages[string(name)] {
		return aPackage
	}
	return nothingNamed
}

// find resolves a name as the language does: from the inside out, and the scope
// that knows its first part is the one that counts. It gives nothing where a
// compiler would complain, or where only it can tell.
func (v *visible) find(p *plain, scope, name string, types bool) (string, meaning) {
	if full, ok := strings.CutPrefix(name, "."); ok {
		return full, v.means(p, []byte(full))
	}
	first, _, several := strings.Cut(name, ".")
	for {
		p.buffer = append(p.buffer[:0], scope...)
		if scope != "" {
			p.buffer = append(p.buffer, '.')
		}
		begin := len(p.buffer)
		m := v.means(p, append(p.buffer, first...))
		switch {
		case !several && (m == aMessage || m == anEnum), !several && !types && m != nothingNamed:
			return string(append(p.buffer[:begin], name...)), m
		case several && (m == aMessage || m == anEnum || m == aPackage || m == aService):
			full := append(p.buffer[:begin], name...)
			return string(full), v.means(p, full)
		case scope == "":
			return "", nothingNamed
		}
		scope = scope[:max(strings.LastIndexByte(scope, '.'), 0)]
	}
}

// resolve gives all types of a file their full names.
func (v *visible) resolve(p *plain) bool {
	for _, r := range p.refs {
		full, m := v.find(p, r.scope, r.name, r.field != nil)
		switch {
		case m == aMessage && r.field.GetOptions().GetPacked():
			return false
		case m == aMessage && r.field != nil:
			r.field.Type = types[descriptorpb.FieldDescriptorProto_TYPE_MESSAGE]
		case m == anEnum && r.field != nil:
			r.field.Type = types[descriptorpb.FieldDescriptorProto_TYPE_ENUM]
		case m == aMessage:
		default:
			return false
		}
		*r.to = "." + full
	}
	return true
}

// extension finds the declaration of a custom option.
func (v *visible) extension(p *plain, scope, name string) protoreflect.ExtensionTypeDescriptor {
	if !strings.Contains(name, ".") {
		return nil // it could be a field of the message around it
	}
	full, m := v.find(p, scope, name, false)
	if m != anExtension {
		return nil
	}
	x, ok := v.declared[protoreflect.FullName(full)].(protoreflect.ExtensionDescriptor)
	if !ok {
		return nil
	}
	if o, ok := x.Options().(*descriptorpb.FieldOptions); ok && (len(o.GetTargets()) > 0 || o.GetFeatureSupport() != nil) {
		return nil // where it may stand is for the compiler to say
	}
	return dynamicpb.NewExtensionType(x).TypeDescriptor()
}
