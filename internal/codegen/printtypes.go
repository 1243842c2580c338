package codegen

import (
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// printTypes declares the structs, enums and unions that a builder met after the root.
func (p *printer) printTypes(event string, types []*typ) {
	for _, t := range types {
		if t.unkept {
			continue // declared beside its decoder
		}
		p.line("")
		p.typeDoc(event, t)
		switch t.kind {
		case enumKind:
			p.printEnum(t)
		case unionKind:
			p.printUnion(t)
		default:
			p.printStruct(t)
		}
	}
}

// typeDoc says where the values of a type stand, and what the schema says of them.
func (p *printer) typeDoc(event string, t *typ) {
	switch at := place(t); {
	case t.inline && t.kind == unionKind:
		p.comment(t.name + " is what " + event + " says beside what it always says.")
	case t.inline:
		p.comment(t.name + " is what " + event + " says where " + at + " is " + t.tag.list() + ". " + t.doc)
	default:
		p.comment(t.name + " is " + at + " in " + event + ". " + t.doc)
	}
	if t.kind == unionKind {
		p.line("//")
		p.comment(strings.Replace(orList(t.arms()), "want", "It is", 1) + ".")
	}
	if t.tuple {
		p.line("//")
		p.comment("It is a list: each field is the element at that place.")
	}
}

// place names where a type stands: an element of lines.
func place(t *typ) string {
	last := len(t.path) - 1
	if last < 0 {
		return "the value"
	}
	at := t.path.String()
	switch t.path[last].Kind {
	case contract.ElementStep:
		at = "an element of " + t.path[:last].String()
	case contract.ValueStep:
		at = "a value of " + t.path[:last].String()
	}
	if t.shared {
		at += " and the like"
	}
	return at
}

func (p *printer) printStruct(t *typ, more ...string) {
	p.line("type %s struct {", t.name)
	p.printFields(t)
	for _, m := range more {
		p.line("%s", m)
	}
	p.line("}")
}

// printFields writes what user code sees first, then what it does not.
func (p *printer) printFields(t *typ) {
	for _, f := range t.fields {
		if f.kept() && !f.hidden {
			p.doc(f.doc, f.deprecated)
			p.line("%s %s", f.name, f.goType())
		}
	}
	if t.tuple && t.extra != nil {
		p.comment("Rest holds the elements behind these places.")
		p.line("Rest []%s", t.extra.nullType())
	} else if t.extra != nil {
		p.comment("More holds the members that have no field of their own.")
		p.line("More map[string]%s", t.extra.nullType())
	}
	if t.keeps {
		p.comment("Unknown holds the members that the contract doesn't name, in their order.")
		p.line("Unknown []event.Member")
	}
	first := true
	for _, f := range t.fields {
		if f.kept() && f.hidden {
			if first {
				p.line("")
			}
			first = false
			p.line("%s %s", f.name, f.goType())
		}
	}
}

func (p *printer) printEnum(t *typ) {
	p.line("type %s string", t.name)
	p.line("")
	p.line("const (")
	for _, l := range t.labels {
		p.doc(l.doc, false)
		p.line("%s %s = %s", l.name, t.name, quote(l.text))
	}
	p.line(")")
}

// printPatterns declares the regular expressions that decoders use.
func (p *printer) printPatterns(list []pattern) {
	for _, x := range list {
		p.line("")
		p.line("var %s = %s", x.name, patternCode(x.text))
	}
}

// printUnkept declares the structs that only judge.
func (p *printer) printUnkept(types []*typ) {
	for _, t := range types {
		if t.unkept {
			p.line("")
			p.printStruct(t)
		}
	}
}
