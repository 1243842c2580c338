package codegen

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
)

// A payload that may be one of several objects is a struct all the same, because
// its key, its aggregate and the like stand in it whichever it is. What only some
// of them say is behind one field, a sealed interface that is called after the tag.

// payload is what a union at the root of an event is made of.
type payload struct {
	shared object   // what all say
	tag    *tag     // what tells them apart
	whole  []*shape // the objects
	arms   []object // what each says beside what all say
}

// divided takes apart the root of an event, nil where one struct holds all: nothing
// tells the objects apart, or a reader doesn't read what does.
func (b *builder) divided(t *typ, w *want) *payload {
	if b.loose || b.choice.unknown || t.unkept || w.plain() || t.null {
		return nil
	}
	base, alone, arms := t.shape.rootArms()
	if alone == nil {
		return nil
	}
	for _, arm := range arms {
		if possible(arm) != objectKind {
			return nil
		}
	}
	by := b.tagOf(arms, everything)
	if by == nil || w.field(by.name) == nil || w.field(by.name).plays() {
		return nil
	}
	p := &payload{tag: by, whole: arms}
	if base == nil {
		p.shared = common(arms, w)
	} else if p.shared = flatten(base); p.shared.closed {
		return nil
	}
	if of, _ := t.shape.unnamed(); of != nil {
		return nil // a map of others would hold what only some say
	}
	p.divide(alone, w)
	return p
}

// rootArms gives what a shape says of all its alternatives, them, and each of them
// with what is said of all. A base of nil says nothing.
func (s *shape) rootArms() (base *shape, alone, arms []*shape) {
	if d := s.split(); d != nil {
		return d.base, d.alone, d.arms
	}
	bare := *s
	bare.any, bare.one, bare.kinds = nil, nil, allKinds
	alone = append(s.any[:len(s.any):len(s.any)], s.one...)
	if len(alone) < 2 || s.any != nil && s.one != nil || !bare.bare() {
		return nil, nil, nil
	}
	return nil, alone, alone
}

// of gives an object of which only alternatives speak what all of them say.
func (o object) of(s *shape, w *want) object {
	base, alone, arms := s.rootArms()
	if alone == nil || base != nil {
		return o
	}
	said := common(arms, w)
	for _, m := range o.members {
		said.offer(m)
	}
	said.extra, said.closed = o.extra, o.closed
	return said
}

// plays reports whether a value or a part of it plays a role.
func (w *want) plays() bool {
	if w.role != 0 {
		return true
	}
	for _, below := range w.steps {
		if below.plays() {
			return true
		}
	}
	return false
}

// common is what objects that nothing is said of together say in the same words,
// or must all have because it plays a role.
func common(arms []*shape, w *want) object {
	objects := make([]object, len(arms))
	for i, arm := range arms {
		settled, _ := resolve(arm)
		objects[i] = flatten(settled)
	}
	var o object
	for _, m := range objects[0].members {
		var shapes []*shape
		required := true
		for _, other := range objects {
			if s := other.named(m.name); s != nil && !slices.ContainsFunc(shapes, func(have *shape) bool { return sameWords(have, s) }) {
				shapes = append(shapes, s)
			} else if s == nil {
				required = false
				shapes = nil
				break
			}
			required = required && other.needs(m.name)
		}
		below := w.field(m.name)
		switch {
		case len(shapes) == 1:
			o.members = append(o.members, m)
		case len(shapes) > 1 && below != nil && below.plays():
			either := anything(m.shape.pos)
			either.at, either.any = m.shape.at, shapes
			o.members = append(o.members, &member{m.name, either})
		default:
			continue
		}
		if required {
			o.required = append(o.required, m.name)
		}
	}
	return o
}

// sameWords reports whether two shapes are one, or written alike.
func sameWords(a, b *shape) bool {
	return alike(a, b) || a.at.Node != nil && b.at.Node != nil && a.at.File == b.at.File && bytes.Equal(a.at.Node.JSON(), b.at.Node.JSON())
}

// divide leaves to each object what is not said of all: the tag, members that all
// together don't name, and those of which they don't say what they are.
func (p *payload) divide(alone []*shape, w *want) {
	var shared []*member
	own := map[string]bool{p.tag.name: true}
	for _, m := range p.shared.members {
		below := w.field(m.name)
		says := possible(m.shape) != objectKind && !m.shape.bare() || len(flatten(judgedAs(m.shape)).members) > 0
		switch {
		case m.name == p.tag.name:
		case says, below != nil && below.plays(), !slices.ContainsFunc(alone, func(arm *shape) bool { return arm.speaks(m.name) }):
			shared = append(shared, m)
		default:
			own[m.name] = true
		}
	}
	p.shared.members = shared
	for _, arm := range p.whole {
		settled, _ := resolve(arm)
		whole := flatten(settled)
		var o object
		for _, m := range whole.members {
			if own[m.name] || p.shared.named(m.name) == nil {
				o.members = append(o.members, m)
				if whole.needs(m.name) {
					o.required = append(o.required, m.name)
				}
			}
		}
		p.arms = append(p.arms, o)
	}
}

// speaks reports whether a shape, or one beside it, names a member.
func (s *shape) speaks(name string) bool {
	settled, _ := resolve(s)
	o := flatten(settled)
	return o.named(name) != nil
}

// variantField makes the field that holds which of the objects a payload is.
func (b *builder) variantField(t *typ, p *payload, w *want, path contract.Path, used names) *field {
	f := &field{json: p.tag.name, inline: true, path: path.Field(p.tag.name)}
	f.name = exported(p.tag.name)
	if used[f.name] {
		f.name += "Variant"
	}
	f.name = used.take(f.name)
	f.doc = "What else is said depends on " + p.tag.name + "."
	u := &typ{kind: unionKind, shape: t.shape, tag: p.tag, path: f.path, inline: true, hint: t.name + f.name, want: w}
	u.name = b.names.take(u.hint)
	u.read, u.write = b.names.take("read"+u.name), b.names.take("append"+u.name)
	b.types = append(b.types, u)
	arms := names{}
	for i, o := range p.arms {
		whole := p.whole[i]
		s := anything(whole.pos)
		s.at, s.kinds, s.members, s.required = whole.at, objectKind, o.members, o.required
		arm := &field{json: objectVariant.json, doc: objectVariant.want, path: f.path, name: arms.take(armName(whole))}
		arm.typ = &typ{kind: structKind, shape: s, doc: docOf(whole), path: f.path, hint: u.name + arm.name, want: w, inline: true}
		arm.typ.tag = &tag{name: p.tag.name, values: p.tag.values[i : i+1]}
		arm.typ.name = b.names.take(u.name + arm.name)
		b.types = append(b.types, arm.typ)
		b.members(arm.typ, o, w.without(p.tag, i, b.hides), path)
		u.fields = append(u.fields, arm)
	}
	f.typ = u
	return f
}

// without is what is wanted of one of several objects: not a tag that has one value
// there, which the type tells. A producer's is a constant in any case.
func (w *want) without(by *tag, arm int, hides bool) *want {
	if hides || len(by.values[arm]) > 1 {
		return w
	}
	rest := &want{all: w.all, role: w.role, steps: maps.Clone(w.steps)}
	if rest.steps == nil {
		rest.steps = map[contract.Step]*want{}
	}
	rest.steps[contract.Step{Kind: contract.FieldStep, Name: by.name}] = &want{all: true, role: discardRole}
	return rest
}

// docOf is what is said to people of a shape, or of that which it refers to.
func docOf(s *shape) string {
	settled, _ := settle(s)
	return cmp.Or(s.doc, settled.doc)
}
