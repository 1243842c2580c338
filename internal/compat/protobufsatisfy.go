package compat

import "google.golang.org/protobuf/reflect/protoreflect"

// satisfy sets what the reader requires and the writer may leave out, wherever
// in a message that is, so that the reader has only one thing to complain of.
// The field that is to be missing stays out.
func (r *protoReader) satisfy(m protoreflect.Message, reader protoreflect.MessageDescriptor, but protoreflect.FieldDescriptor) {
	o := observer{protoReader: r}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		to := o.counterpart(reader, f)
		if to == nil || f == but {
			continue
		}
		if to.Cardinality() == protoreflect.Required {
			fillNeeds(m, []protoreflect.FieldDescriptor{f})
		}
		if inner := heldMessage(to); m.Has(f) && heldMessage(f) != nil && inner != nil && f.IsMap() == to.IsMap() {
			eachMessage(m.Get(f), f, func(held protoreflect.Message) { r.satisfy(held, inner, but) })
		}
	}
}

// heldMessage is the type of the messages that a field holds, a map's values.
func heldMessage(f protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if f.IsMap() {
		return f.MapValue().Message()
	}
	return f.Message()
}
