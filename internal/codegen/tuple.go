package codegen

import (
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// tuple makes a struct of a list whose elements have a type by their place:
// Item0, Item1, and Rest for what stands behind the places, where the schema
// says what that is. It is false where only parts of the list are read.
func (b *builder) tuple(t *typ, w *want, path contract.Path, hint string) bool {
	if b.loose || !w.plain() {
		return false
	}
	if known := b.byShape[t.shape]; known != nil {
		known.alsoAt(path)
		t.kind, t.tuple, t.name, t.fields, t.extra = structKind, true, known.name, known.fields, known.extra
		return true
	}
	t.kind, t.tuple = structKind, true
	t.name = b.names.take(hint)
	b.byShape[t.shape] = t
	b.types = append(b.types, t)
	defer b.declare()()
	for i, place := range t.shape.places {
		f := &field{json: strconv.Itoa(i), name: "Item" + strconv.Itoa(i), required: i < t.shape.fewest, wrap: b.choice.optional}
		f.path = path.Then(contract.Step{Kind: contract.PlaceStep, Index: i})
		f.typ = b.build(place, everything, f.path, t.name+f.name)
		f.doc, f.deprecated = place.doc, place.deprecated
		if f.doc == "" {
			f.doc = f.typ.doc
		}
		t.fields = append(t.fields, f)
	}
	rest := t.shape.items
	if rest == nil && b.choice.unknown {
		rest = anything(t.shape.pos)
	}
	if rest != nil && !rest.never && (b.choice.unknown || !rest.bare()) {
		t.extra = b.build(rest, everything, path.Then(contract.Step{Kind: contract.ElementStep}), t.name+"Rest")
	}
	return true
}

// tuple prints how the elements of a list are read by their places.
func (d decoder) tuple(t *typ) {
	d.used = names{}
	d.line("")
	d.line("func (v *%s) decode(s *event.Scanner) {", t.name)
	d.line("n := 0")
	d.line("for s.List(); s.Element(); n++ {")
	d.line("switch n {")
	for _, f := range t.fields {
		clear(d.used)
		d.line("case %s:", f.json)
		d.member(f)
	}
	clear(d.used)
	d.line("default:")
	switch {
	case t.extra != nil && d.simple(t.extra):
		d.line("v.Rest = append(v.Rest, %s)", d.scalar(t.extra))
	case t.extra != nil:
		item := d.used.take("item")
		d.variable(t.extra, item)
		d.line("v.Rest = append(v.Rest, %s)", item)
	case t.shape.items != nil && t.shape.items.never:
		d.refuse("the contract allows no value here")
	default:
		d.line("s.Skip()")
	}
	d.line("}")
	d.line("}")
	d.lengths(t.shape.fewest, t.shape.most, "n", "elements")
	d.line("}")
}

// tuple writes each element after a comma; the first comma becomes the bracket.
// An absent element before one that is there is null, so that none moves to
// another's place.
func (e encoder) tuple(t *typ) {
	e.line("start := len(b)")
	for i, f := range t.fields {
		x := "v." + f.name
		absent := f.optional() || !f.required && !f.typ.pointer() || f.typ.null
		if absent {
			e.line("if %s {", f.isThere())
		}
		e.line("b = append(b, ',')")
		if absent {
			x = deref(f, x)
		}
		e.value(f.typ, x)
		switch later := laterSet(t, i); {
		case !absent:
			continue
		case f.required:
			e.line("} else {")
			e.line("b = append(b, \",null\"...)")
		case later != "":
			e.line("} else if %s {", later)
			e.line("b = append(b, \",null\"...)")
		}
		e.line("}")
	}
	if t.extra != nil {
		item := e.used.take("item")
		e.line("for _, %s := range v.Rest {", item)
		e.line("b = append(b, ',')")
		e.element(t.extra, item)
		e.line("}")
	}
	e.line("return event.EndList(b, start)")
	e.line("}")
}

// isThere is the condition that a field which may be absent is there.
func (f *field) isThere() string {
	if f.wrapped() {
		return "v." + f.name + ".Set"
	}
	return "v." + f.name + " != nil"
}

// laterSet is the condition that something stands behind a place.
func laterSet(t *typ, i int) string {
	var list []string
	for _, f := range t.fields[i+1:] {
		list = append(list, f.isThere())
	}
	if t.extra != nil {
		list = append(list, "len(v.Rest) > 0")
	}
	return strings.Join(list, " || ")
}
