package protobuf

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// resolver finds the message types and extensions of a closure, and nothing
// that happens to be linked into the program.
type resolver struct {
	*dynamicpb.Types
	files *protoregistry.Files
}

func newResolver(files []protoreflect.FileDescriptor) *resolver {
	registry := new(protoregistry.Files)
	for _, fd := range files {
		// A clash of names was an error of the compiler before.
		_ = registry.RegisterFile(fd)
	}
	return &resolver{dynamicpb.NewTypes(registry), registry}
}

// Resolver finds messages and extensions by name in the schema's closure.
type Resolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
	RangeExtensionsByMessage(message protoreflect.FullName, f func(protoreflect.ExtensionType) bool)
}

// Types resolves what Any and extensions name, within the closure.
func (s *Schema) Types() Resolver { return s.types() }

// RangeExtensionsByMessage calls f for each extension of a message.
func (r *resolver) RangeExtensionsByMessage(message protoreflect.FullName, f func(protoreflect.ExtensionType) bool) {
	r.files.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		return rangeExtensions(fd, message, f)
	})
}

func rangeExtensions(in declarations, message protoreflect.FullName, f func(protoreflect.ExtensionType) bool) bool {
	for i := range in.Extensions().Len() {
		x := in.Extensions().Get(i)
		if x.ContainingMessage().FullName() == message && !f(dynamicpb.NewExtensionType(x)) {
			return false
		}
	}
	for i := range in.Messages().Len() {
		if !rangeExtensions(in.Messages().Get(i), message, f) {
			return false
		}
	}
	return true
}
