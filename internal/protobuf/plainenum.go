package protobuf

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// enum reads an enum. Its values are named beside it, not in it.
func (p *plain) enum(scope string, outermost bool) *descriptorpb.EnumDescriptorProto {
	e := &descriptorpb.EnumDescriptorProto{Name: proto.String(p.name())}
	full := p.declare(scope, e.GetName(), anEnum)
	for p.sign("{"); !p.is("}") && !p.failed; {
		switch {
		case p.has(";"):
		case p.has("option"):
			if e.Options == nil {
				e.Options = &descriptorpb.EnumOptions{}
			}
			p.option(e.Options, full, nil)
			p.sign(";")
		case p.has("reserved"):
			p.reserved(&e.ReservedName, func(from, to int32) {
				e.ReservedRange = append(e.ReservedRange, &descriptorpb.EnumDescriptorProto_EnumReservedRange{Start: &from, End: &to})
			}, true)
		default:
			v := p.value(scope)
			if e.Value = append(e.Value, v); outermost {
				p.declare(scope, v.GetName(), aLeaf)
			}
		}
	}
	p.sign("}")
	if len(e.Value) == 0 || p.alike(e) {
		p.fail()
	}
	return e
}

func (p *plain) value(scope string) *descriptorpb.EnumValueDescriptorProto {
	v := p.slab.value()
	v.Name = p.slab.text(p.name())
	p.sign("=")
	v.Number = p.slab.number(p.signed())
	if p.is("[") {
		v.Options = &descriptorpb.EnumValueOptions{}
		p.bracketed(v.Options, scope, nil)
	}
	p.sign(";")
	return v
}

// signed reads a number of an enum.
func (p *plain) signed() int32 {
	if p.has("-") {
		return int32(-p.number(1 << 31))
	}
	return int32(p.number(1<<31 - 1))
}

// alike reports whether two values of an enum with different numbers have names
// that may be one in JSON. The compilers compare less strictly than this.
func (p *plain) alike(e *descriptorpb.EnumDescriptorProto) bool {
	prefix := squeezed(e.GetName())
	numbers := make(map[string]int32, len(e.Value))
	for _, v := range e.Value {
		name := squeezed(v.GetName())
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			name = rest
		}
		if n, known := numbers[name]; known && n != v.GetNumber() {
			return true
		}
		numbers[name] = v.GetNumber()
	}
	return false
}

// squeezed is a name without underscores, in small letters.
func squeezed(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// reserved reads ranges or names.
func (p *plain) reserved(names *[]string, add func(from, to int32), negative bool) {
	item := func() { p.reservedRange(add, negative) }
	if p.kind == stringToken {
		item = func() {
			name := p.literal()
			if !isName(name) || slices.Contains(*names, name) {
				p.fail()
			}
			*names = append(*names, strings.Clone(name))
		}
	}
	for item(); p.has(","); item() {
	}
	p.sign(";")
}

func (p *plain) reservedRange(add func(from, to int32), negative bool) {
	most := int32(1<<29 - 1)
	number := func() int32 { return int32(p.number(uint64(most))) }
	if negative {
		most, number = 1<<31-1, p.signed
	}
	from := number()
	to := from
	switch {
	case !p.has("to"):
	case p.has("max"):
		to = most
	default:
		to = number()
	}
	if from > to || !negative && from < 1 {
		p.fail()
	}
	add(from, to)
}

func isName(text string) bool {
	for i := range len(text) {
		if !isWordByte(text[i]) {
			return false
		}
	}
	return text != "" && !isDigit(text[0])
}
