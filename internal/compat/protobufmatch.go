package compat

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
)

// matched is a pair of messages whose fields have found each other.
type matched struct {
	visit
	pairs     []fieldPair
	strangers []protoreflect.FieldDescriptor // the writer's, that the reader doesn't know
	missing   []protoreflect.FieldDescriptor // the reader's, that the writer doesn't send
	needs     []protoreflect.FieldDescriptor // the writer's, that it may leave out and the reader requires
	constant  []fieldPair                    // of the pairs, those that every message has
}

// fieldPair is a field of the writer and the one of the reader that takes what
// it sends.
type fieldPair struct {
	reader, writer protoreflect.FieldDescriptor
	read, sent     protoreflect.FieldDescriptor // whose types count: the fields, or the keys or values of their maps
	key, value     bool                         // of a map
	boxed          bool                         // what is sent stands in a wrapper message
	fields         *fieldSet
	path           contract.Path // of the field, in the writer's names
	old            contract.Path // in the reader's names
	route          []hop         // to the message that holds the field
	needs          []protoreflect.FieldDescriptor
}

// mapKey and mapValue are the pairs within two maps.
func (p fieldPair) mapKey() fieldPair {
	p.read, p.sent, p.key = p.reader.MapKey(), p.writer.MapKey(), true
	return p
}

func (p fieldPair) mapValue() fieldPair {
	p.read, p.sent, p.value = p.reader.MapValue(), p.writer.MapValue(), true
	return p
}

// set fills the field with values, or its map with a key.
func (p fieldPair) set(values ...protoreflect.Value) func(protoreflect.Message) {
	if p.key {
		return p.entry(values[0].MapKey())
	}
	if p.boxed {
		return func(m protoreflect.Message) { enter(m, p.writer).Set(p.sent, values[0]) }
	}
	return setValues(p.writer, values...)
}

// entry sets the field, a map, to one entry under a key, with a value that the
// reader does not put aside.
func (p fieldPair) entry(key protoreflect.MapKey) func(protoreflect.Message) {
	fill := entryOf(p.writer, key)
	if p.writer.MapValue().Message() != nil || !p.reader.IsMap() {
		return fill
	}
	return func(m protoreflect.Message) {
		fill(m)
		m.Mutable(p.writer).Map().Set(key, elementOf(p.mapValue()))
	}
}

// inside is the path of what messages of the field hold: an element's, a value's.
func (p fieldPair) inside(path contract.Path) contract.Path {
	switch {
	case p.writer.IsMap():
		return path.Then(contract.Step{Kind: contract.ValueStep})
	case p.writer.IsList():
		return path.Then(contract.Step{Kind: contract.ElementStep})
	}
	return path
}

// match pairs the fields of two messages: by number in binary, by the name that
// travels in JSON.
func (w *protoWalk) match(v visit) *matched {
	m := &matched{visit: v}
	taken := map[protoreflect.FieldNumber]bool{}
	readers := fieldsOf(w.reader, v.reader)
	for _, f := range fieldsOf(w.writer, v.writer) {
		if otherArm(w.writer, f) {
			continue
		}
		r := w.takes(v.reader, readers, f)
		if r == nil {
			m.strangers = append(m.strangers, f)
			continue
		}
		if demanded(r) && !constant(f) {
			m.needs = append(m.needs, f)
		}
		taken[r.Number()] = true
		if fields, read := v.fields.in(r); read {
			m.pairs = append(m.pairs, m.pairOf(r, f, fields))
		}
	}
	for _, f := range readers {
		if _, read := v.fields.in(f); read && !taken[f.Number()] && !otherArm(w.reader, f) {
			m.missing = append(m.missing, f)
		}
	}
	for i := range m.pairs {
		m.pairs[i].needs = m.needs
		if f := m.pairs[i].writer; constant(f) {
			m.constant = append(m.constant, m.pairs[i])
		}
	}
	return m
}

func (m *matched) pairOf(r, f protoreflect.FieldDescriptor, fields *fieldSet) fieldPair {
	return fieldPair{reader: r, writer: f, read: r, sent: f, fields: fields, path: m.path.Field(fieldName(f)), old: m.old.Field(fieldName(r)), route: m.route}
}

// takes finds the reader's field for one of the writer's.
func (w *protoWalk) takes(reader protoreflect.MessageDescriptor, fields []protoreflect.FieldDescriptor, f protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if w.wire == binaryWire {
		i := slices.IndexFunc(fields, func(r protoreflect.FieldDescriptor) bool { return r.Number() == f.Number() })
		if i < 0 {
			return nil
		}
		return fields[i]
	}
	key := jsonKey(f)
	for _, known := range []func(protoreflect.FieldDescriptor) string{jsonKey, fieldName} {
		for _, r := range fields {
			if known(r) == key {
				return r
			}
		}
	}
	return nil
}

// fieldsOf lists the fields of a message and its extensions, by number.
func fieldsOf(s *protobuf.Schema, m protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	fields := make([]protoreflect.FieldDescriptor, 0, m.Fields().Len())
	for i := range m.Fields().Len() {
		fields = append(fields, m.Fields().Get(i))
	}
	if m.ExtensionRanges().Len() > 0 {
		s.Types().RangeExtensionsByMessage(m.FullName(), func(x protoreflect.ExtensionType) bool {
			fields = append(fields, x.TypeDescriptor())
			return true
		})
	}
	slices.SortFunc(fields, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	return fields
}

// jsonKey is the name under which a field travels in JSON.
func jsonKey(f protoreflect.FieldDescriptor) string {
	if f.IsExtension() {
		return "[" + string(f.FullName()) + "]"
	}
	return f.JSONName()
}

// fieldName is what a path calls a field. A group is called by its field.
func fieldName(f protoreflect.FieldDescriptor) string {
	if f.IsExtension() {
		return "[" + string(f.FullName()) + "]"
	}
	return string(f.Name())
}

// otherArm reports whether a field is another event of an envelope.
func otherArm(s *protobuf.Schema, f protoreflect.FieldDescriptor) bool {
	arm := s.Arm()
	return arm != nil && f.FullName() != arm.FullName() && f.ContainingOneof() != nil && f.ContainingOneof() == arm.ContainingOneof()
}

// oneofOf is the oneof that the user wrote around a field.
func oneofOf(f protoreflect.FieldDescriptor) protoreflect.OneofDescriptor {
	if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o
	}
	return nil
}
