package compat

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// isNull reports whether a field's values are all null in JSON: it, or its
// elements or a map's values, are a NullValue.
func isNull(f protoreflect.FieldDescriptor) bool {
	if f.IsMap() {
		f = f.MapValue()
	}
	return f.Enum() != nil && f.Enum().FullName() == "google.protobuf.NullValue"
}

// takesNull reports whether a field takes the nulls of another for values: a
// NullValue or a Value does, and what holds them.
func takesNull(f, r protoreflect.FieldDescriptor) bool {
	if r.IsMap() {
		return f.IsMap() && takesNull(f.MapValue(), r.MapValue())
	}
	if r.Message() == nil {
		return isNull(r)
	}
	switch r.Message().FullName() {
	case "google.protobuf.Value":
		return true
	case "google.protobuf.ListValue":
		return f.IsList() && !r.IsList()
	case "google.protobuf.Struct":
		return f.IsMap() && !r.IsList()
	}
	return false
}

// jsonNull judges null that is sent where the reader expects something: alone it
// stands for a field that was left out, in a list or a map it is refused.
func (w *protoWalk) jsonNull(p fieldPair) {
	zero := p.set(protoreflect.ValueOfEnum(0))
	switch {
	case p.writer.IsMap() && jsonShapeOf(p.reader) == objectShape:
		w.jsonMapAsObject(p)
	case p.writer.IsList() && !p.reader.IsList():
		w.refuse(p, "shape-refused", zero, "a list is no single value, and the reader refuses the event")
	case p.writer.IsList() || p.writer.IsMap():
		w.refuse(p, "type-refused", zero, "what it holds is null, and the reader refuses the event")
	case demanded(p.reader):
		w.refuse(p, "field-missing", zero, "null stands for a field that was left out, and the reader requires it")
	case p.reader.HasPresence() || p.reader.IsList() || p.reader.IsMap():
		w.refuse(p, "field-lost", zero, "null stands for a field that was left out, and the reader sees nothing")
	}
}
