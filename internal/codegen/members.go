package codegen

import (
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// members fills a struct with a field for each member that is wanted.
func (b *builder) members(t *typ, o object, w *want, path contract.Path) (used names) {
	t.closed = o.closed && !b.loose && len(t.shape.patterns) == 0
	extra, named := t.shape.unnamed()
	below := w.at(valueStep)
	if extra != nil && (below == nil || b.loose) {
		extra = nil
	}
	t.keeps = w.all && !t.unkept && (extra == nil || named != nil) && b.keeps(o.closed)
	if !w.all {
		o.declare(t.shape, w)
	}
	seen := names{}
	used = names{"append": true, "decode": true, "More": extra != nil, "Unknown": t.keeps}
	if len(path) == 0 {
		for _, name := range b.reserved {
			used[name] = true
		}
	}
	for _, m := range o.members {
		below := w.field(m.name)
		if below == nil {
			if t.shape.speaksOf(m.name) {
				t.others = append(t.others, m.name)
			}
			continue
		}
		f := b.field(t, m, below, path, used, o.needs(m.name))
		f.seen = seen.take(lower(m.name))
		t.alters = t.alters || f.role.changes() || f.typ.alters
		t.fields = append(t.fields, f)
	}
	if extra != nil {
		t.extra, t.named = b.build(extra, below, path.Then(valueStep), t.name+"More"), named
	}
	return used
}

// declare offers the members that a reader names and the shape does not, where
// patterns or additionalProperties say what they are.
func (o *object) declare(s *shape, w *want) {
	for _, name := range w.names() {
		said := s.said(name)
		if len(said) == 0 || s.speaksOf(name) { // an object that was divided has members elsewhere
			continue
		}
		if of := together(said); !of.bare() && !of.nothing(nil) {
			o.offer(&member{name, of})
		}
	}
}

// keeps reports whether members without a field are kept, and not refused.
func (b *builder) keeps(closed bool) bool {
	return b.choice.unknown && !b.loose && !closed
}

// unnamed is what an object says of members that it doesn't name, nil where that
// is nothing; and the patterns of which their names match one, nil where all do.
// Where several are said, none is the type.
func (s *shape) unnamed() (of *shape, patterns []string) {
	others := s.extra != nil && !s.extra.never && !s.extra.bare()
	if others {
		of = s.extra
	}
	for _, p := range s.patterns {
		if p.shape.never {
			continue
		}
		if of != nil && !alike(of, p.shape) {
			of = untypedMember(anything(s.pos))
		} else if of == nil {
			of = p.shape
		}
		patterns = append(patterns, p.pattern)
	}
	if others {
		patterns = nil
	}
	return of, patterns
}

// alike reports whether two shapes are one, however they are referred to.
func alike(a, b *shape) bool {
	of, null := settle(a)
	other, also := settle(b)
	return of == other && null == also
}

func (b *builder) field(t *typ, m *member, w *want, path contract.Path, used names, required bool) *field {
	f := &field{json: m.name, role: w.role, path: path.Field(m.name), required: required, wrap: b.choice.optional}
	if f.constant = b.constant(f, m.shape); f.constant != "" {
		f.role |= discardRole
		w = &want{all: true, role: discardRole}
	}
	f.typ = b.build(m.shape, w, f.path, t.name+exported(m.name))
	f.name = exported(m.name)
	if used[f.name] {
		f.name += "Field"
	}
	if f.hidden = b.hides && w.role.hidden(); f.hidden {
		f.name = lower(m.name)
	}
	f.name = used.take(f.name)
	f.preset = b.preset(f, m.shape)
	f.doc, f.deprecated = m.shape.doc, m.shape.deprecated
	if f.doc == "" && !f.typ.declared() { // a type of its own says it
		f.doc = f.typ.doc
	}
	return f
}

// constant gives the JSON of a required const, which a producer need not say.
func (b *builder) constant(f *field, s *shape) string {
	settled, _ := resolve(s)
	only := settled.equal
	if only == nil && len(settled.enum) == 1 {
		only = settled.enum[0]
	}
	if !b.hides || !f.required || only == nil || f.role != 0 {
		return ""
	}
	return string(only.JSON())
}

// preset gives the Go expression of a default. It is applied on reading only,
// and only where the value is of one simple kind.
func (b *builder) preset(f *field, s *shape) string {
	settled, _ := resolve(s)
	v := s.preset
	if v == nil {
		v = settled.preset
	}
	if v == nil || b.hides || b.loose || f.required || f.typ.null || !f.kept() {
		return ""
	}
	switch f.typ.kind {
	case goString, textKind, enumKind:
		if v.Kind == source.String {
			return quote(v.Text)
		}
	case intKind:
		if n, ok := asInt(v.Text); ok && v.Kind == source.Number {
			return n
		}
	case decimalKind, wholeKind:
		switch {
		case v.Kind != source.Number:
		case f.typ.name != "":
			return "event.NumberOf[" + f.typ.name + "](" + quote(v.Text) + ")"
		default:
			return quote(v.Text)
		}
	case goBool:
		if v.Kind == source.Bool {
			return v.Text
		}
	}
	return ""
}
