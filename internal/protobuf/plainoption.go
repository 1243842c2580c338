package protobuf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// customised are the custom options of one declaration.
type customised struct {
	on      proto.Message
	scope   string
	options []customOption
}

type customOption struct {
	name  string   // of its declaration, as it is written
	path  []string // the fields below it
	value constant
}

// constant is the value of an option.
type constant struct {
	kind constantKind
	text string // a word, digits, the content of a string, the text of a message without its comments
}

type constantKind uint8

const (
	wordConstant constantKind = iota + 1
	numberConstant
	stringConstant
	messageConstant
)

// bracketed reads the options behind a field or a value, and reports whether any
// is kept among them.
func (p *plain) bracketed(on proto.Message, scope string, f *descriptorpb.FieldDescriptorProto) bool {
	p.sign("[")
	kept := p.option(on, scope, f)
	for p.has(",") {
		kept = p.option(on, scope, f) || kept
	}
	p.sign("]")
	return kept
}

// option reads one option: of a field, of anything else where that is nil. It reports
// whether it is kept among the options: a field has two that are not.
func (p *plain) option(on proto.Message, scope string, f *descriptorpb.FieldDescriptorProto) bool {
	o, custom := customOption{}, p.has("(")
	if custom {
		o.name = p.typeName()
		p.sign(")")
		for p.has(".") {
			o.path = append(o.path, p.name())
		}
	} else {
		o.name = p.name()
	}
	p.sign("=")
	o.value = p.constant()
	switch {
	case p.failed:
	case custom:
		p.customise(on, scope, o)
	case f != nil && o.name == "json_name":
		p.nameJSON(f, o.value)
		return false
	case f != nil && o.name == "default":
		p.setDefault(f, o.value)
		return false
	case !setStandard(on.ProtoReflect(), o):
		p.fail()
	}
	return true
}

func (p *plain) customise(on proto.Message, scope string, o customOption) {
	for _, c := range p.options {
		if c.on == on {
			c.options = append(c.options, o)
			return
		}
	}
	p.options = append(p.options, &customised{on, scope, []customOption{o}})
}

func (p *plain) constant() constant {
	switch {
	case p.kind == stringToken:
		return constant{stringConstant, strings.Clone(p.literal())}
	case p.is("{"):
		return constant{messageConstant, p.messageText()}
	case p.has("-"):
		n := p.number(1 << 62)
		if n == 0 {
			p.fail()
		}
		return constant{numberConstant, strconv.FormatInt(-n, 10)}
	case p.kind == wordToken && isDigit(p.data[p.begin]):
		return constant{numberConstant, strconv.FormatInt(p.number(1<<63-1), 10)}
	}
	return constant{wordConstant, p.name()}
}

// messageText reads over a message in braces, and gives what is in them.
func (p *plain) messageText() string {
	var b strings.Builder
	last := p.end
	for depth := 0; ; p.next() {
		begin, end := p.begin, p.end
		switch p.kind {
		case endToken, oddToken:
			p.fail()
			return ""
		case stringToken:
			begin, end = begin-1, end+1
		case signToken:
			switch p.data[p.begin] {
			case '{':
				depth++
			case '}':
				depth--
			case '<', '>', '[', ']', ':', ',', ';', '.', '-':
			default:
				p.fail()
			}
		}
		if begin > last {
			b.WriteByte(' ')
		}
		last = end
		b.WriteString(p.text[begin:end])
		if depth == 0 && p.kind == signToken && p.is("}") {
			p.next()
			return b.String()[1 : b.Len()-1]
		}
	}
}

func (p *plain) nameJSON(f *descriptorpb.FieldDescriptorProto, value constant) {
	if value.kind != stringConstant || value.text == "" || value.text[0] == '[' || f.GetJsonName() != jsonName(f.GetName()) {
		p.fail()
	}
	f.JsonName = p.slab.text(value.text)
}

// setDefault writes a default as descriptions have it; the library checks it
// against the type.
func (p *plain) setDefault(f *descriptorpb.FieldDescriptorProto, value constant) {
	want := numberConstant
	switch {
	case f.Type == nil, f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_BOOL: // nil: an enum, or a mistake
		want = wordConstant
	case f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING:
		want = stringConstant
	case f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_BYTES, f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_FLOAT, f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_DOUBLE:
		p.fail() // they have several ways of being written
	}
	if p.proto3 || value.kind != want || f.DefaultValue != nil {
		p.fail()
	}
	f.DefaultValue = p.slab.text(strings.Clone(value.text))
}

// plainOptions are the options of the language that need no more thought than
// their value, beside those of a file.
var plainOptions = map[protoreflect.FullName][]protoreflect.Name{
	"google.protobuf.MessageOptions":   {"deprecated"},
	"google.protobuf.FieldOptions":     {"deprecated", "packed"},
	"google.protobuf.EnumOptions":      {"deprecated", "allow_alias"},
	"google.protobuf.EnumValueOptions": {"deprecated"},
	"google.protobuf.ServiceOptions":   {"deprecated"},
	"google.protobuf.MethodOptions":    {"deprecated", "idempotency_level"},
}

// setStandard sets an option of the language, and reports whether it could.
func setStandard(on protoreflect.Message, o customOption) bool {
	of := on.Descriptor().FullName()
	name := protoreflect.Name(o.name)
	f := on.Descriptor().Fields().ByName(name)
	if f == nil || f.Message() != nil || f.IsList() || on.Has(f) ||
		of != "google.protobuf.FileOptions" && !slices.Contains(plainOptions[of], name) {
		return false
	}
	v, ok := scalar(f, o.value)
	if !ok || name == "optimize_for" && v.Enum() == protoreflect.EnumNumber(descriptorpb.FileOptions_LITE_RUNTIME) {
		return false
	}
	on.Set(f, v)
	return true
}

// scalar gives a constant the type of a field.
func scalar(f protoreflect.FieldDescriptor, c constant) (v protoreflect.Value, ok bool) {
	switch kind := f.Kind(); {
	case kind == protoreflect.StringKind && c.kind == stringConstant:
		return protoreflect.ValueOfString(c.text), true
	case kind == protoreflect.BytesKind && c.kind == stringConstant:
		return protoreflect.ValueOfBytes([]byte(c.text)), true
	case kind == protoreflect.BoolKind && c.kind == wordConstant:
		return protoreflect.ValueOfBool(c.text == "true"), c.text == "true" || c.text == "false"
	case kind == protoreflect.EnumKind && c.kind == wordConstant:
		if value := f.Enum().Values().ByName(protoreflect.Name(c.text)); value != nil {
			return protoreflect.ValueOfEnum(value.Number()), true
		}
	case c.kind == numberConstant:
		return integer(kind, c.text)
	}
	return protoreflect.Value{}, false
}

// integer gives digits the type of a kind.
func integer(kind protoreflect.Kind, text string) (v protoreflect.Value, ok bool) {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		n, err := strconv.ParseInt(text, 10, 32)
		return protoreflect.ValueOfInt32(int32(n)), err == nil
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		n, err := strconv.ParseInt(text, 10, 64)
		return protoreflect.ValueOfInt64(n), err == nil
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		n, err := strconv.ParseUint(text, 10, 32)
		return protoreflect.ValueOfUint32(uint32(n)), err == nil
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		n, err := strconv.ParseUint(text, 10, 64)
		return protoreflect.ValueOfUint64(n), err == nil
	}
	return protoreflect.Value{}, false
}

// interpret gives the custom options of a file their meaning, and leaves them as
// bytes. Most are written many times: each text is read once for its declaration.
func (v *visible) interpret(p *plain) bool {
	for _, c := range p.options {
		if _, ok := c.on.(*descriptorpb.FileOptions); ok {
			c.scope = p.file.GetPackage()
		}
		if !v.interpretAll(p, c) {
			return false
		}
	}
	return true
}

// interpretAll takes the options of one declaration.
func (v *visible) interpretAll(p *plain, c *customised) bool {
	type read struct {
		number protoreflect.FieldNumber
		bytes  []byte
	}
	on := c.on.ProtoReflect()
	var all []read
	found := make([]protoreflect.ExtensionTypeDescriptor, len(c.options))
	several := false
	for i, o := range c.options {
		x := v.extension(p, c.scope, o.name)
		if x == nil || x.ContainingMessage().FullName() != on.Descriptor().FullName() {
			return false
		}
		several = several || slices.ContainsFunc(all, func(r read) bool { return r.number == x.Number() })
		all, found[i] = append(all, read{number: x.Number()}), x
	}
	if several {
		bytes, ok := encodeOptions(on, found, c.options)
		if ok {
			on.SetUnknown(bytes)
		}
		return ok
	}
	for i, o := range c.options {
		bytes, ok := v.encoded(on, found[i], o)
		if !ok {
			return false
		}
		all[i].bytes = bytes
	}
	slices.SortFunc(all, func(a, b read) int { return cmp.Compare(a.number, b.number) })
	var unknown []byte
	for _, r := range all {
		unknown = append(unknown, r.bytes...)
	}
	on.SetUnknown(unknown)
	return true
}

// encoded gives one option in bytes.
func (v *visible) encoded(on protoreflect.Message, x protoreflect.ExtensionTypeDescriptor, o customOption) ([]byte, bool) {
	// A name, its file and a text say the same wherever they stand: two files of
	// one name are not in one closure.
	key := string(x.FullName()) + "\x00" + x.ParentFile().Path() + "\x00" + strings.Join(o.path, ".") + "\x00" + string('0'+rune(o.value.kind)) + o.value.text
	if bytes, known := v.options[key]; known {
		return bytes, true
	}
	bytes, ok := encodeOptions(on, []protoreflect.ExtensionTypeDescriptor{x}, []customOption{o})
	if ok {
		v.options[strings.Clone(key)] = bytes
	}
	return bytes, ok
}

// encodeOptions gives options of one declaration in bytes, in the order of their numbers.
func encodeOptions(on protoreflect.Message, declared []protoreflect.ExtensionTypeDescriptor, options []customOption) ([]byte, bool) {
	m := on.Type().New()
	for i, o := range options {
		if !setCustom(m, declared[i], o) {
			return nil, false
		}
	}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(m.Interface())
	return bytes, err == nil
}

// setCustom sets a custom option, or a field of one.
func setCustom(m protoreflect.Message, f protoreflect.FieldDescriptor, o customOption) bool {
	for _, name := range o.path {
		if f.Message() == nil || f.IsList() || f.IsMap() || taken(m, f) {
			return false
		}
		m = m.Mutable(f).Message()
		if f = m.Descriptor().Fields().ByName(protoreflect.Name(name)); f == nil {
			return false
		}
	}
	if f.IsMap() || !f.IsList() && m.Has(f) || taken(m, f) {
		return false
	}
	read := scalar
	if f.Message() != nil {
		read = messageValue
	}
	value, ok := read(f, o.value)
	switch {
	case !ok:
	case f.IsList():
		m.Mutable(f).List().Append(value)
	default:
		m.Set(f, value)
	}
	return ok
}

// taken reports whether another member of a field's oneof is set.
func taken(m protoreflect.Message, f protoreflect.FieldDescriptor) bool {
	o := f.ContainingOneof()
	if o == nil {
		return false
	}
	set := m.WhichOneof(o)
	return set != nil && set.Number() != f.Number()
}

// noTypes knows none: what a message in braces names of its own is not plain.
var noTypes = new(protoregistry.Types)

// messageValue gives a message in braces the type of a field.
func messageValue(f protoreflect.FieldDescriptor, c constant) (protoreflect.Value, bool) {
	if c.kind != messageConstant || f.Kind() != protoreflect.MessageKind {
		return protoreflect.Value{}, false
	}
	value := dynamicpb.NewMessage(f.Message())
	err := prototext.UnmarshalOptions{Resolver: noTypes}.Unmarshal([]byte(c.text), value)
	return protoreflect.ValueOfMessage(value), err == nil
}
