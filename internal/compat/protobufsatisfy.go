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
		if demanded(to) {
			fillNeeds(m, []protoreflect.FieldDescriptor{f})
		}
		if inner := takenMessage(f, to); m.Has(f) && heldMessage(f) != nil && inner != nil {
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

// takenMessage is what a reader's field takes the messages of another for. A list
// that is read as a map is one of entries, and so the other way round.
func takenMessage(f, to protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	switch {
	case f.IsMap() == to.IsMap():
		return heldMessage(to)
	case to.IsMap() || to.Message() == nil:
		return to.Message()
	}
	if value := to.Message().Fields().ByNumber(f.MapValue().Number()); value != nil {
		return heldMessage(value)
	}
	return nil
}

// demanded reports whether a reader refuses a message without this field: it is
// required, or it is the value of a map's entry, which there always is, and whose
// message is never complete when it is empty.
func demanded(r protoreflect.FieldDescriptor) bool {
	if r.ContainingMessage().IsMapEntry() {
		return r.Number() == 2 && r.Message() != nil && r.Message().RequiredNumbers().Len() > 0
	}
	return r.Cardinality() == protoreflect.Required
}

// always reports whether a writer never leaves a field out.
func always(f protoreflect.FieldDescriptor) bool {
	return constant(f) || neverLeftOut(f)
}

// constant reports whether no message is without a field, whatever rules say.
func constant(f protoreflect.FieldDescriptor) bool {
	return f.Cardinality() == protoreflect.Required || f.ContainingMessage().IsMapEntry()
}
