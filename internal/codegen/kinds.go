package codegen

import (
	"slices"

	"github.com/evcontract/evcontract/internal/source"
)

// possible is the set of kinds that a value of this shape can have. It may be
// too large, never too small.
func possible(s *shape) kinds {
	k, _ := possibleWithin(s, nil)
	return k
}

// possibleWithin also tells whether the answer is the shape's own: it is not
// where the way came round to a shape that it began at. An own answer is kept,
// so that shapes which many others share cost once.
func possibleWithin(s *shape, above []*shape) (k kinds, own bool) {
	switch {
	case s.never:
		return 0, true
	case s.sure:
		return s.possible, true
	case slices.Contains(above, s):
		return allKinds, false // recursive: says nothing more
	}
	above = append(above[:len(above):len(above)], s)
	k, own = s.kinds, true
	if s.enum != nil {
		k &= kindsOf(s.enum)
	}
	if s.equal != nil {
		k &= kindOfValue(s.equal)
	}
	conjuncts := s.all
	if s.target != nil {
		conjuncts = append(conjuncts[:len(conjuncts):len(conjuncts)], s.target)
	}
	for _, arm := range conjuncts {
		of, exact := possibleWithin(arm, above)
		k, own = k&of, own && exact
	}
	for _, arms := range [][]*shape{s.any, s.one} {
		if arms != nil {
			of, exact := union(arms, above)
			k, own = k&of, own && exact
		}
	}
	s.sure, s.possible = own, k
	return k, own
}

func union(arms []*shape, above []*shape) (k kinds, own bool) {
	own = true
	for _, arm := range arms {
		of, exact := possibleWithin(arm, above)
		k, own = k|of, own && exact
	}
	return k, own
}

func kindsOf(values []*value) kinds {
	var k kinds
	for _, v := range values {
		k |= kindOfValue(v)
	}
	return k
}

// settle passes references that stand alone, and unions with null: what is left
// is the shape that says something, and whether null is allowed beside it.
func settle(s *shape) (settled *shape, null bool) {
	for range 64 { // no chain of references is longer; a cycle is refused when the schema is read
		switch {
		case s.target != nil && s.only(s.target):
			s = s.target
		case s.only(nil) && s.nullable() != nil:
			s, null = s.nullable(), true
		case len(s.all) == 1 && s.onlyAll():
			s = s.all[0]
		default:
			return s, null
		}
	}
	return s, null
}

// only reports whether the shape says nothing beside its reference or its union.
func (s *shape) only(target *shape) bool {
	c := *s
	c.target = nil
	if target == nil {
		c.any, c.one = nil, nil
	}
	return c.bare()
}

func (s *shape) onlyAll() bool {
	c := *s
	c.all = nil
	return c.bare()
}

// nullable gives the other arm of a union of two of which one is null.
func (s *shape) nullable() *shape {
	arms := s.any
	if arms == nil {
		arms = s.one
	}
	if len(arms) != 2 || s.any != nil && s.one != nil {
		return nil
	}
	for i, arm := range arms {
		other := arms[1-i]
		if possible(arm) == nullKind && arm.isNull() && possible(other)&nullKind == 0 {
			return other
		}
	}
	return nil
}

// isNull reports whether the shape accepts null and says no more.
func (s *shape) isNull() bool {
	c := *s
	c.kinds, c.enum, c.equal = allKinds, nil, nil
	return c.bare() && (s.enum == nil || kindsOf(s.enum) == nullKind) && (s.equal == nil || s.equal.Kind == source.Null)
}

// mixed reports whether one pass over the value cannot judge it: several shapes
// speak of it, or it must be seen as a whole.
func (s *shape) mixed() bool {
	return s.combined() || s.target != nil || s.counted() || len(s.patterns) > 0 ||
		s.contains != nil || s.unique || s.strange()
}

// strange reports whether enum or const names values that are not all strings.
func (s *shape) strange() bool {
	rest := kindsOf(s.enum) &^ nullKind
	if s.equal != nil {
		rest |= kindOfValue(s.equal)
	}
	return rest&^stringKind != 0
}

// union of what several shapes say of an object that they all judge.
type object struct {
	members  []*member
	required []string
	extra    *shape // of the shape itself
	closed   bool
}

// flatten gathers the members that a shape and those beside it name.
func flatten(s *shape) object {
	var o object
	seen := map[*shape]bool{}
	var order []*shape
	var visit func(s *shape)
	visit = func(s *shape) {
		if seen[s] {
			return
		}
		seen[s] = true
		order = append(order, s)
		for _, m := range s.members {
			o.add(m)
		}
		o.required = append(o.required, s.required...)
		if s.target != nil {
			visit(s.target)
		}
		for _, arm := range s.all {
			visit(arm)
		}
	}
	visit(s)
	for _, other := range order {
		other.alternatives(func(arm *shape) { o.maybe(arm, 0) })
	}
	unnamed := anything(s.pos)
	if s.extra != nil && len(s.patterns) == 0 {
		unnamed = s.extra
	}
	for _, name := range o.required {
		o.offer(&member{name: name, shape: unnamed})
	}
	o.extra, o.closed = s.extra, s.closed()
	return o
}

// add takes over a member. Of one that several shapes speak of, all is said that
// they say.
func (o *object) add(m *member) {
	for i, have := range o.members {
		if have.name == m.name {
			o.members[i] = &member{m.name, together(append(have.said(), m.shape))}
			return
		}
	}
	o.members = append(o.members, m)
}

// offer takes over a member that nobody named.
func (o *object) offer(m *member) {
	if !slices.ContainsFunc(o.members, func(have *member) bool { return have.name == m.name }) {
		o.members = append(o.members, m)
	}
}

// named is the shape of a member, nil where nobody names it.
func (o *object) named(name string) *shape {
	for _, m := range o.members {
		if m.name == name {
			return m.shape
		}
	}
	return nil
}

// said lists the shapes that speak of a member.
func (m *member) said() []*shape {
	if m.shape.made() {
		return slices.Clone(m.shape.all)
	}
	return []*shape{m.shape}
}

// made reports whether together made the shape.
func (s *shape) made() bool { return s.joined }

func (o *object) needs(name string) bool {
	for _, r := range o.required {
		if r == name {
			return true
		}
	}
	return false
}

// alternatives calls f for the shapes of which some may hold.
func (s *shape) alternatives(f func(*shape)) {
	for _, arms := range [][]*shape{s.any, s.one, {s.then, s.otherwise}} {
		for _, arm := range arms {
			if arm != nil {
				f(arm)
			}
		}
	}
	for _, n := range s.needs {
		if n.shape != nil {
			f(n.shape)
		}
	}
}

// maybe adds members that only an alternative names. Under the others they may
// be anything, and so they have no type.
func (o *object) maybe(s *shape, depth int) {
	if depth > 16 { // recursive
		return
	}
	for _, m := range s.members {
		o.offer(&member{name: m.name, shape: untypedMember(m.shape)})
	}
	if s.target != nil {
		o.maybe(s.target, depth+1)
	}
	for _, arm := range s.all {
		o.maybe(arm, depth+1)
	}
	s.alternatives(func(arm *shape) { o.maybe(arm, depth+1) })
}

func untypedMember(s *shape) *shape {
	any := anything(s.pos)
	any.doc, any.deprecated, any.loose = s.doc, s.deprecated, true
	return any
}
