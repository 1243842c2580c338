package protobuf

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/evcontract/evcontract/internal/contract"
)

// maxDepth ends the listing of fields in a schema made to do harm.
const (
	maxDepth  = 64
	maxFields = 10_000
)

var kindTypes = map[protoreflect.Kind]contract.Type{
	protoreflect.BoolKind:     contract.BoolType,
	protoreflect.EnumKind:     contract.EnumType,
	protoreflect.Int32Kind:    contract.Int32Type,
	protoreflect.Sint32Kind:   contract.Int32Type,
	protoreflect.Sfixed32Kind: contract.Int32Type,
	protoreflect.Uint32Kind:   contract.Uint32Type,
	protoreflect.Fixed32Kind:  contract.Uint32Type,
	protoreflect.Int64Kind:    contract.Int64Type,
	protoreflect.Sint64Kind:   contract.Int64Type,
	protoreflect.Sfixed64Kind: contract.Int64Type,
	protoreflect.Uint64Kind:   contract.Uint64Type,
	protoreflect.Fixed64Kind:  contract.Uint64Type,
	protoreflect.FloatKind:    contract.FloatType,
	protoreflect.DoubleKind:   contract.DoubleType,
	protoreflect.StringKind:   contract.StringType,
	protoreflect.BytesKind:    contract.BytesType,
	protoreflect.MessageKind:  contract.ObjectType,
	protoreflect.GroupKind:    contract.ObjectType,
}

// leaf is what a well-known type stands for; paths do not go into it.
type leaf struct {
	typ    contract.Type
	format string
}

var wellKnown = map[protoreflect.FullName]leaf{
	"google.protobuf.Timestamp":   {contract.TimestampType, ""},
	"google.protobuf.Duration":    {contract.StringType, "duration"},
	"google.protobuf.FieldMask":   {contract.StringType, "field-mask"},
	"google.protobuf.Any":         {contract.ObjectType, "any"},
	"google.protobuf.Struct":      {contract.ObjectType, ""},
	"google.protobuf.Value":       {contract.AnyType, ""},
	"google.protobuf.ListValue":   {contract.ListType, ""},
	"google.protobuf.BoolValue":   {contract.BoolType, ""},
	"google.protobuf.Int32Value":  {contract.Int32Type, ""},
	"google.protobuf.Int64Value":  {contract.Int64Type, ""},
	"google.protobuf.UInt32Value": {contract.Uint32Type, ""},
	"google.protobuf.UInt64Value": {contract.Uint64Type, ""},
	"google.protobuf.FloatValue":  {contract.FloatType, ""},
	"google.protobuf.DoubleValue": {contract.DoubleType, ""},
	"google.protobuf.StringValue": {contract.StringType, ""},
	"google.protobuf.BytesValue":  {contract.BytesType, ""},
}

// spot is a place below the root: a field, or the elements of its list, or the
// values of its map.
type spot struct {
	field    protoreflect.FieldDescriptor // nil at the root
	inside   bool                         // an element or a value, not the list or map itself
	required bool                         // all the way down
}

func (sp spot) isList() bool { return sp.field != nil && !sp.inside && sp.field.IsList() }
func (sp spot) isMap() bool  { return sp.field != nil && !sp.inside && sp.field.IsMap() }

// value is the field whose type counts: a map's value for an element of a map.
func (sp spot) value() protoreflect.FieldDescriptor {
	if sp.inside && sp.field.IsMap() {
		return sp.field.MapValue()
	}
	return sp.field
}

// enters is the message whose fields come next, nil at a leaf.
func (s *Schema) enters(sp spot) protoreflect.MessageDescriptor {
	if sp.field == nil {
		return s.root
	}
	if sp.isList() || sp.isMap() {
		return nil
	}
	m := sp.value().Message()
	if m == nil || wellKnown[m.FullName()] != (leaf{}) {
		return nil
	}
	return m
}

// Field tells what stands at a path.
func (s *Schema) Field(p contract.Path) (contract.Field, error) {
	sp := spot{required: true}
	for i, step := range p {
		next, err := s.step(sp, p[:i], step)
		if err != nil {
			return contract.Field{}, err
		}
		sp = next
	}
	return s.describe(p, sp), nil
}

func (s *Schema) step(sp spot, sofar contract.Path, step contract.Step) (spot, error) {
	switch {
	case step.Kind == contract.FieldStep:
		return s.stepField(sp, sofar, step.Name)
	case step.Kind == contract.ElementStep && sp.isList(), step.Kind == contract.ValueStep && sp.isMap():
		return spot{field: sp.field, inside: true}, nil
	}
	return sp, fmt.Errorf("%s is %s, which %s does not lead into", s.called(sofar), s.kindOf(sp), step)
}

func (s *Schema) stepField(sp spot, sofar contract.Path, name string) (spot, error) {
	m := s.enters(sp)
	if m == nil {
		return sp, fmt.Errorf("%s is %s and has no field %q", s.called(sofar), s.kindOf(sp), name)
	}
	f := m.Fields().ByName(protoreflect.Name(name))
	if f == nil || s.otherArm(f) {
		names := s.names(m)
		return sp, fmt.Errorf("%s has no field %q%s: it has %s", s.called(sofar), name, didYouMean(name, names), listed(names))
	}
	return spot{field: f, required: sp.required && s.always(f)}, nil
}

func (s *Schema) names(m protoreflect.MessageDescriptor) []string {
	var names []string
	for i := range m.Fields().Len() {
		if f := m.Fields().Get(i); !s.otherArm(f) {
			names = append(names, string(f.Name()))
		}
	}
	return names
}

// otherArm reports whether a field is another event of the envelope.
func (s *Schema) otherArm(f protoreflect.FieldDescriptor) bool {
	return s.arm != nil && f != s.arm && f.ContainingOneof() != nil && f.ContainingOneof() == s.arm.ContainingOneof()
}

// always reports whether every valid event has a value there. A field without
// presence has one, if only the zero value; one whose absence can be seen is
// optional unless it is required.
func (s *Schema) always(f protoreflect.FieldDescriptor) bool {
	switch {
	case f == s.arm, f.Cardinality() == protoreflect.Required:
		return true
	case f.IsList(), f.IsMap():
		return false
	}
	return !f.HasPresence()
}

// presence is that of a field in its own message.
func (s *Schema) presence(sp spot) contract.Presence {
	switch f := sp.field; {
	case f == nil, f.IsList(), f.IsMap():
		return contract.NoPresence
	case f == s.arm, f.Cardinality() == protoreflect.Required:
		return contract.Always
	case f.HasPresence():
		return contract.Sometimes
	}
	return contract.Implicit
}

func (s *Schema) called(p contract.Path) string {
	if len(p) == 0 {
		return s.Root()
	}
	return p.String()
}

func (s *Schema) kindOf(sp spot) string {
	switch {
	case sp.field == nil:
		return "a message"
	case sp.isList():
		return "a list: write [] for an element"
	case sp.isMap():
		return "a map: write {} for a value"
	}
	if v := sp.value(); v.Message() != nil {
		return "a message " + string(v.Message().FullName())
	}
	return "of type " + sp.value().Kind().String()
}

func (s *Schema) describe(p contract.Path, sp spot) contract.Field {
	f := contract.Field{Path: p, Required: sp.required, Presence: s.presence(sp)}
	if sp.field == nil {
		f.Type, f.Pos, f.Doc = contract.ObjectType, s.Pos(), s.DocOf(s.root)
		return f
	}
	at := s.loader.place(sp.field)
	f.Pos, f.Doc = at.pos, at.doc
	if o, ok := sp.field.Options().(*descriptorpb.FieldOptions); ok {
		f.Deprecated = o.GetDeprecated()
	}
	f.Type, f.Format = typeOf(sp)
	if e := sp.value().Enum(); e != nil && !sp.isList() && !sp.isMap() {
		for i := range e.Values().Len() {
			f.Values = append(f.Values, string(e.Values().Get(i).Name()))
		}
	}
	f.Constraints = wire(sp)
	return f
}

// wire is what decides the bytes beside the type: the number and, where the type
// has several encodings, which one. A list's element has its list's number.
func wire(sp spot) []contract.Constraint {
	c := []contract.Constraint{{Keyword: "number", Value: strconv.Itoa(int(sp.field.Number()))}}
	if kind := sp.value().Kind().String(); !sp.isList() && !sp.isMap() && kind != string(kindTypes[sp.value().Kind()]) {
		c = append(c, contract.Constraint{Keyword: "encoding", Value: kind})
	}
	return c
}

func typeOf(sp spot) (contract.Type, string) {
	switch {
	case sp.isList():
		return contract.ListType, ""
	case sp.isMap():
		return contract.MapType, ""
	}
	if m := sp.value().Message(); m != nil {
		if known := wellKnown[m.FullName()]; known != (leaf{}) {
			return known.typ, known.format
		}
	}
	return kindTypes[sp.value().Kind()], ""
}

// Fields lists every field below the root in the order of the schema. A
// recursive type is entered once on each way down.
func (s *Schema) Fields() []contract.Field {
	var fields []contract.Field
	s.list(&fields, nil, spot{required: true}, map[protoreflect.FullName]bool{})
	return fields
}

func (s *Schema) list(into *[]contract.Field, p contract.Path, sp spot, entered map[protoreflect.FullName]bool) {
	m := s.enters(sp)
	if m == nil || entered[m.FullName()] || len(p) > maxDepth {
		return
	}
	entered[m.FullName()] = true
	defer delete(entered, m.FullName())
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		if s.otherArm(f) {
			continue
		}
		s.listField(into, p.Field(string(f.Name())), spot{field: f, required: sp.required && s.always(f)}, entered)
	}
}

func (s *Schema) listField(into *[]contract.Field, p contract.Path, sp spot, entered map[protoreflect.FullName]bool) {
	if len(*into) >= maxFields {
		return
	}
	*into = append(*into, s.describe(p, sp))
	switch {
	case sp.isList():
		s.listField(into, p.Then(contract.Step{Kind: contract.ElementStep}), spot{field: sp.field, inside: true}, entered)
	case sp.isMap():
		s.listField(into, p.Then(contract.Step{Kind: contract.ValueStep}), spot{field: sp.field, inside: true}, entered)
	default:
		s.list(into, p, sp, entered)
	}
}
