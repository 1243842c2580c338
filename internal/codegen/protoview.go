package codegen

import (
	"google.golang.org/protobuf/compiler/protogen"

	"github.com/evcontract/evcontract/internal/contract"
)

// view is the part of a message that a consumer declared.
type view struct {
	name    string
	message *protogen.Message
	fields  []*viewField
	proto   *protoFiles
}

// viewField is one field of a view: the official value, or a view of it.
type viewField struct {
	protoField
	below *view // nil: the whole value
}

// newView makes the view of one message, and of those that are declared in part.
func (g *generator) newView(p *protoCode, w *want, m *protogen.Message, name string, reserved names) *view {
	v := &view{name: name, message: m, proto: p.protoFiles}
	used := names{}
	for r := range reserved {
		used[r] = true
	}
	for _, f := range m.Fields {
		below := w.field(string(f.Desc.Name()))
		if below == nil || p.otherArm(f) {
			continue
		}
		field := &viewField{protoField: protoField{Field: f, name: exported(string(f.Desc.Name())), typ: p.whole(f)}}
		if used[field.name] {
			field.name += "Field"
		}
		field.name = used.take(field.name)
		if inner, part := declaredPart(f, below); part {
			field.below = g.newView(p, inner, messageOf(f), g.names.take(name+partName(f)), nil)
			field.typ = prefixOf(f, p.protoFiles) + "*" + field.below.name
		}
		v.fields = append(v.fields, field)
	}
	return v
}

// partName names the view of one element of a field.
func partName(f *protogen.Field) string {
	name := exported(string(f.Desc.Name()))
	if f.Desc.IsList() {
		return singular(name)
	}
	return name
}

// messageOf is the message that a field, its elements or its values hold.
func messageOf(f *protogen.Field) *protogen.Message {
	if f.Desc.IsMap() {
		return f.Message.Fields[1].Message
	}
	return f.Message
}

// declaredPart gives what is declared inside a message, if it is only a part.
func declaredPart(f *protogen.Field, w *want) (*want, bool) {
	if messageOf(f) == nil {
		return nil, false
	}
	switch {
	case f.Desc.IsMap():
		w = w.at(contract.Step{Kind: contract.ValueStep})
	case f.Desc.IsList():
		w = w.at(contract.Step{Kind: contract.ElementStep})
	}
	return w, w != nil && !w.plain()
}

// prefixOf is what stands before the element's type.
func prefixOf(f *protogen.Field, p *protoFiles) string {
	switch {
	case f.Desc.IsMap():
		return "map[" + p.single(f.Message.Fields[0]) + "]"
	case f.Desc.IsList():
		return "[]"
	}
	return ""
}

// takeMember prints how a member of a oneof is taken out of its wrapper.
func takeMember(p *printer, files *protoFiles, target, message string, f *protoField) {
	p.line("if x, ok := %s.%s.(*%s); ok {", message, f.Oneof.GoName, files.ident(f.GoIdent))
	if pointed(f.Field) {
		p.line("%s = &x.%s", target, f.GoName)
	} else {
		p.line("%s = x.%s", target, f.GoName)
	}
	p.line("}")
}

// decodeView prints how a handler's event is made of a message.
func (p consumerPrinter) decodeView(r *readCode) {
	discard := "true"
	if r.reading.UnknownFields.Value == contract.Reject {
		discard = "false"
	}
	p.line("p, err := unmarshal%s(m.Payload, %s)", r.event.name, discard)
	p.line("if err != nil {")
	p.line("return %s{}, event.Permanent(err)", r.name)
	p.line("}")
	if refuses(r.reading) {
		p.line("if err := refuse(p.ProtoReflect(), \"\", %t, %t%s); err != nil {",
			r.reading.UnknownFields.Value == contract.Reject, r.reading.UnknownEnums.Value == contract.Reject, declaredList(r.reading))
		p.line("return %s{}, event.Permanent(err)", r.name)
		p.line("}")
	}
	p.line("e := view%s(p)", r.view.name)
	p.carry()
}

// refuses reports whether a reader looks for what it doesn't know. One that
// doesn't say so takes a number without a name for what it is.
func refuses(r *contract.Reading) bool {
	return r.UnknownFields.Value == contract.Reject || r.UnknownEnums.Value == contract.Reject
}

func declaredList(r *contract.Reading) string {
	list := ""
	for _, f := range r.Fields {
		var names contract.Path
		for _, step := range f.Value {
			if step.Kind == contract.FieldStep {
				names = append(names, step)
			}
		}
		list += ", " + quote(names.String())
	}
	return list
}

// printView declares a view's types and how they are made.
func (p consumerPrinter) printView(r *readCode) {
	p.viewStruct(r.view, true)
	p.viewFunction(r.view, true)
	p.viewsBelow(r.view)
}

func (p consumerPrinter) viewsBelow(v *view) {
	for _, f := range v.fields {
		if f.below != nil {
			p.line("")
			p.comment(f.below.name + " is the part of " + string(f.below.message.Desc.FullName()) + " that the consumer declared.")
			p.viewStruct(f.below, false)
			p.viewFunction(f.below, false)
			p.viewsBelow(f.below)
		}
	}
}

func (p consumerPrinter) viewStruct(v *view, root bool) {
	p.line("type %s struct {", v.name)
	for _, f := range v.fields {
		p.line("%s %s", f.name, f.typ)
	}
	if root {
		p.line("")
		for _, c := range p.carried() {
			p.line("%s", c)
		}
	}
	p.line("}")
}

// viewFunction prints how a view is taken of a message; one of no message is nil.
func (p consumerPrinter) viewFunction(v *view, root bool) {
	official := v.proto.ident(v.message.GoIdent)
	result := "*" + v.name
	if root {
		result = v.name
	}
	p.line("")
	p.line("func view%s(p *%s) %s {", v.name, official, result)
	if !root {
		p.line("if p == nil {")
		p.line("return nil")
		p.line("}")
	}
	p.line("var v %s", v.name)
	for _, f := range v.fields {
		p.viewField(v, f)
	}
	if root {
		p.line("return v")
	} else {
		p.line("return &v")
	}
	p.line("}")
}

func (p consumerPrinter) viewField(v *view, f *viewField) {
	target := "v." + f.name
	switch {
	case f.below == nil && inOneof(f.Field):
		takeMember(p.printer, v.proto, target, "p", &f.protoField)
	case f.below == nil:
		p.line("%s = p.%s", target, f.GoName)
	case f.Desc.IsMap():
		p.line("for key, x := range p.%s {", f.GoName)
		p.line("if %s == nil {", target)
		p.line("%s = %s{}", target, f.typ)
		p.line("}")
		p.line("%s[key] = view%s(x)", target, f.below.name)
		p.line("}")
	case f.Desc.IsList():
		p.line("for _, x := range p.%s {", f.GoName)
		p.line("%s = append(%s, view%s(x))", target, target, f.below.name)
		p.line("}")
	default:
		p.line("%s = view%s(p.Get%s())", target, f.below.name, f.GoName)
	}
}
