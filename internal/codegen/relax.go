package codegen

import "slices"

// A reader that ignores what it doesn't know takes what a wider schema allows.
// That schema is said here, once, as shapes: all that comes after reads them as
// those of any other reader. It is the schema under the assumptions of package
// contain, which answers for the reader before it is deployed:
//
//   - Who ignores unknown fields takes any where additionalProperties or
//     unevaluatedProperties say false.
//   - Who ignores unknown enum values takes, for an enum, whatever has the type of
//     one of its values. Alternatives of which each is one string are an enum in
//     other words. A const stays.
//   - To both oneOf reads as anyOf: what was widened may fit twice.
//
// What stands below not, if and propertyNames, and the most that contains allows,
// stay as they are: a wider one there could refuse more. A not of a not is none.

// relaxation makes the shapes of one reader.
type relaxation struct {
	fields, enums bool // what it ignores
	done          map[*shape]*shape
}

// relax gives what the builder's reader takes, of a schema's root.
func (b *builder) relax(root *shape) *shape {
	if !b.ignoresFields() && !b.ignoresEnums() {
		return root
	}
	r := &relaxation{b.ignoresFields(), b.ignoresEnums(), map[*shape]*shape{}}
	return r.shape(root)
}

func (r *relaxation) shape(s *shape) *shape {
	if s == nil {
		return nil
	}
	if c := r.done[s]; c != nil {
		return c
	}
	c := s.again()
	c.origin = s
	r.done[s] = c
	r.values(c)
	r.parts(c)
	r.alternatives(c)
	return c
}

func (r *relaxation) shapes(list []*shape) []*shape {
	if list == nil {
		return nil
	}
	all := make([]*shape, len(list))
	for i, s := range list {
		all[i] = r.shape(s)
	}
	return all
}

// values opens an enum.
func (r *relaxation) values(c *shape) {
	if r.enums && c.enum != nil {
		c.kinds &= kindsOf(c.enum)
		c.open, c.enum = c.enum, nil
	}
}

// alternatives opens those that are an enum in other words, and takes one of the
// others for enough.
func (r *relaxation) alternatives(c *shape) {
	for _, arms := range []*[]*shape{&c.any, &c.one} {
		if list, k := constants(*arms); r.enums && list != nil {
			if e := c.origin.enumerated(); e != nil {
				c.origin, c.valueDocs = e, e.valueDocs
			}
			c.kinds &= k
			c.open, *arms = list, nil
		}
	}
	c.any, c.one = r.shapes(c.any), r.shapes(c.one)
	switch {
	case c.any == nil:
		c.any, c.one = c.one, nil
	case c.one != nil:
		also := anything(c.pos)
		also.any, c.one = c.one, nil
		c.all = append(c.all[:len(c.all):len(c.all)], also)
	}
}

// constants are the values of alternatives of which two or more are each one of
// some strings and the others null; nil where they are something else.
func constants(arms []*shape) (list []*value, k kinds) {
	texts := 0
	for _, arm := range arms {
		if possible(arm) == nullKind && arm.isNull() {
			k |= nullKind
			continue
		}
		values, ok := arm.texts(nil)
		if !ok || values == nil {
			return nil, 0
		}
		texts++
		k |= possible(arm) & stringKind
		for _, v := range values {
			if !lists(list, v) {
				list = append(list, v)
			}
		}
	}
	if texts < 2 {
		return nil, 0
	}
	return list, k
}

// texts are the strings that enum and const of a shape, and of those that judge
// the same value, name; false where anything else is said beside a type.
func (s *shape) texts(above []*shape) (list []*value, ok bool) {
	own := *s
	own.kinds, own.enum, own.equal, own.target, own.all = allKinds, nil, nil, nil, nil
	if !own.bare() || slices.Contains(above, s) {
		return nil, false
	}
	list = s.enum
	if s.equal != nil {
		list = append(list[:len(list):len(list)], s.equal)
	}
	if list != nil && kindsOf(list) != stringKind {
		return nil, false
	}
	parts := s.all
	if s.target != nil {
		parts = append(parts[:len(parts):len(parts)], s.target)
	}
	for _, part := range parts {
		more, ok := part.texts(append(above, s))
		if !ok {
			return nil, false
		}
		list = append(list[:len(list):len(list)], more...)
	}
	return list, true
}

// parts widens what stands beside and below a shape.
func (r *relaxation) parts(c *shape) {
	s := r.shape
	c.target, c.then, c.otherwise, c.items, c.restItems = s(c.target), s(c.then), s(c.otherwise), s(c.items), s(c.restItems)
	c.all, c.places = r.shapes(c.all), r.shapes(c.places)
	c.extra, c.restMembers = r.rest(c.extra), r.rest(c.restMembers)
	if c.contains != nil && c.mostIn >= 0 {
		most := anything(c.pos)
		most.contains, most.fewestIn, most.mostIn, c.mostIn = c.contains, 0, c.mostIn, -1
		c.all = append(c.all, most)
	}
	c.contains = s(c.contains)
	if c.not != nil {
		if twice := c.not.negated(0); twice != nil {
			c.not = anything(c.pos)
			c.not.not = s(twice)
		}
	}
	c.members = slices.Clone(c.members)
	for i, m := range c.members {
		c.members[i] = &member{m.name, s(m.shape)}
	}
	c.patterns = slices.Clone(c.patterns)
	for i, p := range c.patterns {
		c.patterns[i].shape = s(p.shape)
	}
	c.needs = slices.Clone(c.needs)
	for i, n := range c.needs {
		c.needs[i].shape = s(n.shape)
	}
}

// negated is the shape that this one excludes, if it does nothing else.
func (s *shape) negated(depth int) *shape {
	settled, null := settle(s)
	own := *settled
	own.not = nil
	if settled.not == nil || null || !own.bare() || depth > 64 {
		return nil
	}
	if twice := settled.not.negated(depth + 1); twice != nil {
		return twice.negated(depth + 1)
	}
	return settled.not
}

// rest is what a reader takes of members that nobody names.
func (r *relaxation) rest(s *shape) *shape {
	if r.fields && s != nil && s.nothing(nil) {
		return anything(s.pos)
	}
	return r.shape(s)
}

// nothing reports whether a shape is false, or says so in other words.
func (s *shape) nothing(above []*shape) bool {
	if slices.Contains(above, s) {
		return false
	}
	above = append(above, s)
	is := func(other *shape) bool { return other.nothing(above) }
	other := func(other *shape) bool { return !is(other) }
	return s.never || s.not != nil && s.not.bare() || s.target != nil && is(s.target) || slices.ContainsFunc(s.all, is) ||
		s.any != nil && !slices.ContainsFunc(s.any, other) || s.one != nil && !slices.ContainsFunc(s.one, other)
}
