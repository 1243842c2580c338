package codegen

import (
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// timestamp is the message that stands for a point in time.
const timestamp protoreflect.FullName = "google.protobuf.Timestamp"

var protoScalars = map[protoreflect.Kind]string{
	protoreflect.BoolKind: "bool", protoreflect.StringKind: "string", protoreflect.BytesKind: "[]byte",
	protoreflect.Int32Kind: "int32", protoreflect.Sint32Kind: "int32", protoreflect.Sfixed32Kind: "int32",
	protoreflect.Int64Kind: "int64", protoreflect.Sint64Kind: "int64", protoreflect.Sfixed64Kind: "int64",
	protoreflect.Uint32Kind: "uint32", protoreflect.Fixed32Kind: "uint32",
	protoreflect.Uint64Kind: "uint64", protoreflect.Fixed64Kind: "uint64",
	protoreflect.FloatKind: "float32", protoreflect.DoubleKind: "float64",
}

// single is the Go type of one value of a field, as the official generator
// writes it.
func (p *protoFiles) single(f *protogen.Field) string {
	switch {
	case f.Message != nil:
		return "*" + p.ident(f.Message.GoIdent)
	case f.Enum != nil:
		return p.ident(f.Enum.GoIdent)
	}
	return protoScalars[f.Desc.Kind()]
}

// whole is the Go type of a field, as the official generator writes it; a
// member of a oneof is a pointer.
func (p *protoFiles) whole(f *protogen.Field) string {
	switch {
	case f.Desc.IsMap():
		return "map[" + p.single(f.Message.Fields[0]) + "]" + p.single(f.Message.Fields[1])
	case f.Desc.IsList():
		return "[]" + p.single(f)
	case pointed(f):
		return "*" + p.single(f)
	}
	return p.single(f)
}

// pointed reports whether a field's presence is told by a pointer to a scalar.
func pointed(f *protogen.Field) bool {
	return f.Desc.HasPresence() && f.Message == nil && f.Desc.Kind() != protoreflect.BytesKind
}

// inOneof reports whether a field is a member of a oneof that was written as one.
func inOneof(f *protogen.Field) bool { return f.Oneof != nil && !f.Oneof.Desc.IsSynthetic() }

func isTimestamp(f *protogen.Field) bool {
	return f.Message != nil && f.Message.Desc.FullName() == timestamp && !f.Desc.IsList() && !f.Desc.IsMap()
}
