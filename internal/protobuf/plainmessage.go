package protobuf

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// kinds are the types that are no names.
var kinds = map[string]descriptorpb.FieldDescriptorProto_Type{
	"double": descriptorpb.FieldDescriptorProto_TYPE_DOUBLE, "float": descriptorpb.FieldDescriptorProto_TYPE_FLOAT,
	"int32": descriptorpb.FieldDescriptorProto_TYPE_INT32, "int64": descriptorpb.FieldDescriptorProto_TYPE_INT64,
	"uint32": descriptorpb.FieldDescriptorProto_TYPE_UINT32, "uint64": descriptorpb.FieldDescriptorProto_TYPE_UINT64,
	"sint32": descriptorpb.FieldDescriptorProto_TYPE_SINT32, "sint64": descriptorpb.FieldDescriptorProto_TYPE_SINT64,
	"fixed32": descriptorpb.FieldDescriptorProto_TYPE_FIXED32, "fixed64": descriptorpb.FieldDescriptorProto_TYPE_FIXED64,
	"sfixed32": descriptorpb.FieldDescriptorProto_TYPE_SFIXED32, "sfixed64": descriptorpb.FieldDescriptorProto_TYPE_SFIXED64,
	"bool": descriptorpb.FieldDescriptorProto_TYPE_BOOL, "string": descriptorpb.FieldDescriptorProto_TYPE_STRING,
	"bytes": descriptorpb.FieldDescriptorProto_TYPE_BYTES,
}

// types and labels are values that all descriptions share: nobody changes them.
var (
	types  = pointersTo(descriptorpb.FieldDescriptorProto_TYPE_SINT64)
	labels = pointersTo(descriptorpb.FieldDescriptorProto_LABEL_REPEATED)
)

func pointersTo[T ~int32](last T) []*T {
	all := make([]*T, last+1)
	for i := range all {
		all[i] = new(T)
		*all[i] = T(i)
	}
	return all
}

func (p *plain) message(scope string, depth int) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: proto.String(p.name())}
	full := p.declare(scope, m.GetName(), aMessage)
	if depth > maxInside {
		p.fail()
	}
	for p.sign("{"); !p.is("}") && !p.failed; {
		p.member(m, full, depth)
	}
	p.sign("}")
	if p.proto3 {
		p.addSynthetic(m)
	}
	if !p.failed && sameJSON(m.Field) {
		p.fail()
	}
	return m
}

// member reads one statement of a message.
func (p *plain) member(m *descriptorpb.DescriptorProto, full string, depth int) {
	switch {
	case p.has(";"):
	case p.has("message"):
		m.NestedType = append(m.NestedType, p.message(full, depth+1))
	case p.has("enum"):
		m.EnumType = append(m.EnumType, p.enum(full, false))
	case p.has("option"):
		if m.Options == nil {
			m.Options = &descriptorpb.MessageOptions{}
		}
		p.option(m.Options, full, nil)
		p.sign(";")
	case p.has("reserved"):
		p.reserved(&m.ReservedName, func(from, to int32) {
			to++ // it is the first that is free
			m.ReservedRange = append(m.ReservedRange, &descriptorpb.DescriptorProto_ReservedRange{Start: &from, End: &to})
		}, false)
	case p.has("oneof"):
		p.oneof(m, full)
	case p.is("extend"), p.is("extensions"), p.is("group"):
		p.fail()
	default:
		p.field(m, full, -1)
	}
}

func (p *plain) oneof(m *descriptorpb.DescriptorProto, full string) {
	o := &descriptorpb.OneofDescriptorProto{Name: proto.String(p.name())}
	index := len(m.OneofDecl)
	m.OneofDecl = append(m.OneofDecl, o)
	before := len(m.Field)
	for p.sign("{"); !p.is("}") && !p.failed; {
		if p.has("option") {
			if o.Options == nil {
				o.Options = &descriptorpb.OneofOptions{}
			}
			p.option(o.Options, full, nil)
			p.sign(";")
			continue
		}
		p.field(m, full, index)
	}
	p.sign("}")
	if len(m.Field) == before {
		p.fail()
	}
}

// field reads a field, in a oneof where that has an index.
func (p *plain) field(m *descriptorpb.DescriptorProto, full string, oneof int) {
	f := p.slab.field()
	m.Field = append(m.Field, f)
	labelled := p.label(f)
	switch {
	case labelled && oneof >= 0, !labelled && oneof < 0 && !p.proto3 && !p.is("map"):
		p.fail()
	case oneof >= 0:
		f.OneofIndex = p.slab.number(int32(oneof))
	}
	var first string
	if !labelled && oneof < 0 && p.is("map") {
		if p.next(); p.is("<") {
			p.mapField(m, f, full)
			return
		}
		if first = "map"; !p.proto3 { // a type of that name, and no label
			p.fail()
		}
	}
	p.typed(f, p.typeNamed(first), full)
	p.rest(f, full)
}

func (p *plain) typeNamed(first string) string {
	if first == "" {
		return p.typeName()
	}
	return p.dotted(first)
}

// label reads a field's label and reports whether there is one.
func (p *plain) label(f *descriptorpb.FieldDescriptorProto) bool {
	label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	labelled := true
	switch {
	case p.has("repeated"):
		label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	case p.has("optional"):
		if p.proto3 {
			f.Proto3Optional = proto.Bool(true)
		}
	case p.has("required"):
		if label = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED; p.proto3 {
			p.fail()
		}
	default:
		labelled = false
	}
	f.Label = labels[label]
	return labelled
}

// typed gives a field a type, now or when names are resolved.
func (p *plain) typed(f *descriptorpb.FieldDescriptorProto, name, scope string) {
	if name == "group" {
		p.fail()
	}
	if kind, ok := kinds[name]; ok {
		f.Type = types[kind]
		return
	}
	f.TypeName = p.slab.text("")
	p.refs = append(p.refs, typeRef{name: name, scope: scope, to: f.TypeName, field: f})
}

// rest reads what follows a field's type.
func (p *plain) rest(f *descriptorpb.FieldDescriptorProto, full string) {
	name := p.name()
	f.Name, f.JsonName = p.slab.text(name), p.slab.text(jsonName(name))
	p.sign("=")
	number := int32(p.number(1<<29 - 1))
	if number < 1 || 19000 <= number && number <= 19999 {
		p.fail()
	}
	f.Number = p.slab.number(number)
	if p.is("[") {
		if f.Options = new(descriptorpb.FieldOptions); !p.bracketed(f.Options, full, f) {
			f.Options = nil
		}
		if f.Options.GetPacked() && (f.GetLabel() != descriptorpb.FieldDescriptorProto_LABEL_REPEATED || f.Type != nil && !packable(f.GetType())) {
			p.fail()
		}
	}
	p.sign(";")
}

// packable reports whether values of a type can stand in a row, where it is no name
// or the name of an enum.
func packable(t descriptorpb.FieldDescriptorProto_Type) bool {
	return t != descriptorpb.FieldDescriptorProto_TYPE_STRING && t != descriptorpb.FieldDescriptorProto_TYPE_BYTES && t != descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
}

// mapField reads a map from its angle bracket on. It is a list of messages, which
// are declared beside it.
func (p *plain) mapField(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto, full string) {
	part := func(name string, number int32, typ string, scope string) *descriptorpb.FieldDescriptorProto {
		f := p.slab.field()
		f.Name, f.JsonName, f.Number = p.slab.text(name), p.slab.text(name), p.slab.number(number)
		f.Label = labels[descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL]
		p.typed(f, typ, scope)
		return f
	}
	p.sign("<")
	key := p.name()
	if _, scalar := kinds[key]; !scalar {
		p.fail()
	}
	p.sign(",")
	value := p.typeName()
	p.sign(">")
	refs := len(p.refs)
	fields := []*descriptorpb.FieldDescriptorProto{part("key", 1, key, full), part("value", 2, value, full)}
	p.rest(f, full)
	if f.Options.GetPacked() {
		p.fail()
	}
	entry := mapEntryName(f.GetName())
	for i := range p.refs[refs:] {
		p.refs[refs+i].scope = full + "." + entry
	}
	m.NestedType = append(m.NestedType, &descriptorpb.DescriptorProto{
		Name: proto.String(entry), Field: fields, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
	})
	f.Label = labels[descriptorpb.FieldDescriptorProto_LABEL_REPEATED]
	f.Type = types[descriptorpb.FieldDescriptorProto_TYPE_MESSAGE]
	f.TypeName = p.slab.text("." + full + "." + entry)
}

// addSynthetic gives each optional field of proto3 a oneof of its own.
func (p *plain) addSynthetic(m *descriptorpb.DescriptorProto) {
	for _, f := range m.Field {
		if !f.GetProto3Optional() {
			continue
		}
		name := f.GetName()
		if !strings.HasPrefix(name, "_") {
			name = "_" + name
		}
		f.OneofIndex = p.slab.number(int32(len(m.OneofDecl)))
		m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(name)})
	}
}

// sameJSON reports whether two fields may have one name in JSON.
func sameJSON(fields []*descriptorpb.FieldDescriptorProto) bool {
	owner := make(map[string]*descriptorpb.FieldDescriptorProto, len(fields))
	for _, f := range fields {
		for _, name := range []string{f.GetJsonName(), jsonName(f.GetName())} {
			if other := owner[name]; other != nil && other != f {
				return true
			}
			owner[name] = f
		}
	}
	return false
}

// jsonName is a field's name in JSON, where it declares none.
func jsonName(name string) string {
	if !strings.Contains(name, "_") {
		return strings.Clone(name)
	}
	return camel(name, false)
}

// mapEntryName is the name of a map's messages.
func mapEntryName(field string) string { return camel(field, true) + "Entry" }

// camel leaves out underscores and makes what follows them a capital.
func camel(name string, up bool) string {
	b := make([]byte, 0, len(name))
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_':
			up = true
			continue
		case up && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		up = false
		b = append(b, c)
	}
	return string(b)
}

// slab makes many small values a few at a time: nearly all that a description
// consists of.
type slab struct {
	fields  []descriptorpb.FieldDescriptorProto
	values  []descriptorpb.EnumValueDescriptorProto
	texts   []string
	numbers []int32
}

const slabSize = 64

func take[T any](from *[]T) *T {
	if len(*from) == 0 {
		*from = make([]T, slabSize)
	}
	v := &(*from)[0]
	*from = (*from)[1:]
	return v
}

func (s *slab) field() *descriptorpb.FieldDescriptorProto     { return take(&s.fields) }
func (s *slab) value() *descriptorpb.EnumValueDescriptorProto { return take(&s.values) }

func (s *slab) text(text string) *string {
	t := take(&s.texts)
	*t = text
	return t
}

func (s *slab) number(n int32) *int32 {
	t := take(&s.numbers)
	*t = n
	return t
}
