package compat

import (
	"math/big"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// hop is one step of a witness's way down: into a message that a field holds,
// or into what an Any carries.
type hop struct {
	field   protoreflect.FieldDescriptor
	carries protoreflect.MessageDescriptor // of an Any that the field holds
	entry   bool                           // the field is a map, and the message is its entry
	needs   []protoreflect.FieldDescriptor // beside it: what the reader requires
}

// probe says how to build the smallest message that shows a break.
type probe struct {
	route []hop
	fill  func(protoreflect.Message)     // sets what matters in the message at the end
	mark  protoreflect.FieldDescriptor   // what matters, if it is one field
	needs []protoreflect.FieldDescriptor // beside it: what the reader requires
}

// build makes the message: along the route, with what the writer always sends.
func (p *probe) build(root protoreflect.MessageDescriptor, arm protoreflect.FieldDescriptor) *dynamicpb.Message {
	m := dynamicpb.NewMessage(root)
	fillRequired(m)
	p.into(m, p.route)
	if arm != nil && !m.Has(arm) {
		fillRequired(m.Mutable(arm).Message())
	}
	return m
}

func (p *probe) into(m protoreflect.Message, route []hop) {
	if len(route) == 0 {
		fillNeeds(m, without(p.needs, p.mark)) // fill sets that
		if p.fill != nil {
			p.fill(m)
		}
		return
	}
	fillNeeds(m, without(route[0].needs, route[0].field))
	if route[0].entry {
		p.entry(m, route)
		return
	}
	inner := enter(m, route[0].field)
	if carried := route[0].carries; carried != nil {
		content := dynamicpb.NewMessage(carried)
		fillRequired(content)
		p.into(content, route[1:])
		packAny(inner, content)
		return
	}
	fillRequired(inner)
	p.into(inner, route[1:])
}

// entry fills a map's entry as if it were a message.
func (p *probe) entry(m protoreflect.Message, route []hop) {
	f := route[0].field
	entry := dynamicpb.NewMessage(f.Message())
	p.into(entry, route[1:])
	values := m.Mutable(f).Map()
	value := values.NewValue()
	if entry.Has(f.MapValue()) {
		value = entry.Get(f.MapValue())
	} else if f.MapValue().Message() != nil {
		fillRequired(value.Message())
	}
	values.Set(entry.Get(f.MapKey()).MapKey(), value)
}

// entryOf sets a map to one entry under a key.
func entryOf(f protoreflect.FieldDescriptor, key protoreflect.MapKey) func(protoreflect.Message) {
	return func(m protoreflect.Message) {
		values := m.Mutable(f).Map()
		value := values.NewValue()
		if f.MapValue().Message() == nil {
			value = someValue(f.MapValue())
		} else {
			fillRequired(value.Message())
		}
		values.Set(key, value)
	}
}

// someEntry sets a map to one entry.
func someEntry(f protoreflect.FieldDescriptor) func(protoreflect.Message) {
	return entryOf(f, someKey(f.MapKey()))
}

// twoEntries sets a map to two entries, where its key has two values.
func twoEntries(f protoreflect.FieldDescriptor) func(protoreflect.Message) {
	return func(m protoreflect.Message) {
		entryOf(f, f.MapKey().Default().MapKey())(m)
		entryOf(f, someKey(f.MapKey()))(m)
	}
}

// enter gives the message that a field holds: its first element, or a map's
// value under some key.
func enter(m protoreflect.Message, f protoreflect.FieldDescriptor) protoreflect.Message {
	switch {
	case f.IsMap():
		values := m.Mutable(f).Map()
		key := someKey(f.MapKey())
		if !values.Has(key) {
			values.Set(key, values.NewValue())
		}
		return values.Get(key).Message()
	case f.IsList():
		list := m.Mutable(f).List()
		if list.Len() == 0 {
			list.AppendMutable()
		}
		return list.Get(0).Message()
	}
	return m.Mutable(f).Message()
}

func packAny(any, content protoreflect.Message) {
	fields := any.Descriptor().Fields()
	data, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(content.Interface())
	if err != nil {
		return
	}
	any.Set(fields.ByNumber(1), protoreflect.ValueOfString("type.googleapis.com/"+string(content.Descriptor().FullName())))
	any.Set(fields.ByNumber(2), protoreflect.ValueOfBytes(data))
}

// maxRequired ends a chain of required fields that was made to be endless.
const maxRequired = 8

// fillRequired sets what the writer always sends to its zero values. above are
// the messages around it: one that requires itself has no end, and never exists.
func fillRequired(m protoreflect.Message, above ...protoreflect.MessageDescriptor) {
	if len(above) > maxRequired || slices.Contains(above, m.Descriptor()) {
		return
	}
	above = append(above, m.Descriptor())
	fields := m.Descriptor().Fields()
	if m.Descriptor().FullName() == "google.protobuf.Value" && len(populated(m)) == 0 {
		m.Set(fields.ByName("bool_value"), protoreflect.ValueOfBool(true)) // JSON has no empty one
	}
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.Cardinality() != protoreflect.Required || m.Has(f):
		case f.Message() != nil:
			fillRequired(m.Mutable(f).Message(), above...)
		default:
			m.Set(f, f.Default())
		}
	}
}

// fillNeeds sets fields that the writer may leave out, so that the reader has
// only one thing to complain of.
func fillNeeds(m protoreflect.Message, needs []protoreflect.FieldDescriptor) {
	for _, f := range needs {
		switch {
		case m.Has(f):
		case f.HasPresence() && f.Message() == nil:
			m.Set(f, f.Default())
		case f.HasPresence():
			fillRequired(m.Mutable(f).Message())
		default:
			anyValues(f)(m)
		}
	}
}

func someKey(f protoreflect.FieldDescriptor) protoreflect.MapKey { return someValue(f).MapKey() }

// someValue is a value of a scalar field that is not its zero.
func someValue(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(boundsOf(f).allow(bigOne))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("x")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte("x"))
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		v, found := floatBoundsOf(f).find(func(v float64) bool { return v != 0 })
		if !found {
			v = 1.5
		}
		return floatValue(f.Kind(), v)
	case protoreflect.EnumKind:
		for _, n := range numbersOf(f) {
			if n.Sign() != 0 {
				return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n.Int64()))
			}
		}
		return protoreflect.ValueOfEnum(f.Enum().Values().Get(0).Number())
	}
	if limits := boundsOf(f); !limits.allow(big.NewInt(5)) {
		for _, n := range limits.edges() {
			if limits.allow(n) && n.Sign() != 0 {
				return intValue(f.Kind(), n)
			}
		}
	}
	return intValue(f.Kind(), big.NewInt(5))
}

// anyValues sets a field to something that is not its zero.
func anyValues(f protoreflect.FieldDescriptor) func(protoreflect.Message) {
	return func(m protoreflect.Message) {
		switch {
		case f.IsMap() && f.MapValue().Message() != nil, !f.IsMap() && f.Message() != nil:
			inner := enter(m, f)
			fillRequired(inner)
			fillSome(inner)
		case f.IsMap():
			m.Mutable(f).Map().Set(someKey(f.MapKey()), someValue(f.MapValue()))
		default:
			setValues(f, someValue(f))(m)
		}
	}
}

// fillSome makes a message one that can be told from an empty one, if it can be.
func fillSome(m protoreflect.Message) {
	switch m.Descriptor().FullName() {
	case "google.protobuf.Any":
		packAny(m, dynamicpb.NewMessage(m.Descriptor()))
		return
	case "google.protobuf.Struct", "google.protobuf.ListValue":
		fillSome(enter(m, m.Descriptor().Fields().ByNumber(1)))
		return
	case "google.protobuf.Value":
		m.Set(m.Descriptor().Fields().ByName("bool_value"), protoreflect.ValueOfBool(true))
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); f.Message() == nil {
			setValues(f, someValue(f))(m)
			return
		}
	}
	if fields.Len() == 0 {
		return
	}
	switch f := fields.Get(0); {
	case f.IsMap() && f.MapValue().Message() == nil:
		someEntry(f)(m)
	case f.Message() != m.Descriptor():
		fillRequired(enter(m, f))
	}
}

// setValues sets a field: the first value, or all as a list, or one under some
// key as a map.
func setValues(f protoreflect.FieldDescriptor, values ...protoreflect.Value) func(protoreflect.Message) {
	return func(m protoreflect.Message) {
		switch {
		case f.IsMap():
			m.Clear(f)
			m.Mutable(f).Map().Set(someKey(f.MapKey()), values[0])
		case f.IsList():
			m.Clear(f)
			list := m.Mutable(f).List()
			for _, v := range values {
				list.Append(v)
			}
		default:
			m.Set(f, values[0])
		}
	}
}

// probe shows a break of this field with what fill sets.
func (p fieldPair) probe(fill func(protoreflect.Message)) *probe {
	return &probe{route: p.route, fill: fill, mark: p.writer, needs: p.needs}
}
