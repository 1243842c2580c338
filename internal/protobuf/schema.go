package protobuf

import (
	"sync"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Schema is a Protobuf message as the schema of an event, or one arm of an
// envelope's oneof: then the event on the wire is the envelope, and paths begin
// there.
type Schema struct {
	loader *scope
	file   protoreflect.FileDescriptor
	root   protoreflect.MessageDescriptor
	arm    protoreflect.FieldDescriptor

	digest func() digests
	types  func() *resolver
}

var _ contract.Schema = (*Schema)(nil)

func (l *scope) schema(fd protoreflect.FileDescriptor, root protoreflect.MessageDescriptor, arm protoreflect.FieldDescriptor) *Schema {
	s := &Schema{loader: l, file: fd, root: root, arm: arm}
	s.digest = sync.OnceValue(s.computeDigest)
	s.types = sync.OnceValue(func() *resolver { return newResolver(closure(fd)) })
	return s
}

// Descriptor is the root message: what is on the wire.
func (s *Schema) Descriptor() protoreflect.MessageDescriptor { return s.root }

// Arm is the member of the envelope's oneof that is the event, nil where the
// event is a message of its own.
func (s *Schema) Arm() protoreflect.FieldDescriptor { return s.arm }

// File is the file that was named: the closure is what it imports.
func (s *Schema) File() protoreflect.FileDescriptor { return s.file }

// FileDescriptors is the closure, dependencies first.
func (s *Schema) FileDescriptors() []protoreflect.FileDescriptor { return dependenciesFirst(s.file) }

// FileProtos is the closure as a code generator wants it, dependencies first,
// with places and comments for the files of the tree.
func (s *Schema) FileProtos() []*descriptorpb.FileDescriptorProto {
	var protos []*descriptorpb.FileDescriptorProto
	for _, fd := range s.FileDescriptors() {
		p := protodesc.ToFileDescriptorProto(fd)
		p.SourceCodeInfo = s.loader.sourceInfo(fd.Path())
		protos = append(protos, p)
	}
	return protos
}

// PosOf is where something of the closure was declared.
func (s *Schema) PosOf(d protoreflect.Descriptor) source.Pos { return s.loader.posOf(d) }

// DocOf is the comment above a declaration of the closure.
func (s *Schema) DocOf(d protoreflect.Descriptor) string { return s.loader.place(d).doc }

// Format is protobuf.
func (s *Schema) Format() contract.Format { return contract.ProtobufFormat }

// Pos is where the root, or the arm, was declared.
func (s *Schema) Pos() source.Pos {
	if s.arm != nil {
		return s.PosOf(s.arm)
	}
	return s.PosOf(s.root)
}

// Root is the full name of the message, or of the arm.
func (s *Schema) Root() string {
	if s.arm != nil {
		return string(s.arm.FullName())
	}
	return string(s.root.FullName())
}

// Files lists the files of the tree in the closure, the root's first.
func (s *Schema) Files() []string {
	var files []string
	for _, fd := range closure(s.file) {
		if file, ok := s.loader.inTree(fd.Path()); ok {
			files = append(files, file)
		}
	}
	return files
}
