package codegen

import (
	"fmt"
	"slices"
)

// What several shapes say of one value is one shape where no two of them speak in
// ways that must be kept apart: then one pass decides. Else they are judged one
// after the other.

// together is the shape of a value that several shapes speak of. It is made once
// for each list, so that recursive schemas end.
func together(list []*shape) *shape {
	var parts []*shape
	for _, s := range list {
		known := slices.ContainsFunc(parts, func(p *shape) bool { return alike(p, s) })
		if !known && (!s.bare() || s.doc != "" || s.preset != nil) {
			parts = append(parts, s)
		}
	}
	switch len(parts) {
	case 0:
		return list[0]
	case 1:
		return parts[0]
	}
	var key []byte
	for _, p := range parts {
		key = fmt.Appendf(key, "%p ", p)
	}
	first := parts[0]
	if m := first.merges[string(key)]; m != nil {
		return m
	}
	m := anything(first.pos)
	m.at, m.all, m.joined = first.at, parts, true
	for _, p := range parts {
		m.describe(p)
	}
	if first.merges == nil {
		first.merges = map[string]*shape{}
	}
	first.merges[string(key)] = m
	return m
}

// describe takes over what another shape says to people.
func (s *shape) describe(other *shape) {
	if s.doc == "" {
		s.doc = other.doc
	}
	s.deprecated = s.deprecated || other.deprecated
	if s.preset == nil {
		s.preset = other.preset
	}
}

// merged is the shape with what it refers to and is made of told by itself, or
// the shape as it is where that cannot be.
func (s *shape) merged() *shape {
	if s.target == nil && s.all == nil {
		return s
	}
	if s.whole == nil {
		s.whole = s
		if parts, ok := s.conjuncts(nil); ok {
			if m := merge(s, parts); m != nil {
				s.whole = m
				if s.origin != nil {
					m.origin = s.origin.merged()
				}
			}
		}
	}
	return s.whole
}

// resolve is settle, and gives the shape with what it is made of.
func resolve(s *shape) (resolved *shape, null bool) {
	settled, null := settle(s)
	return settled.merged(), null
}

// conjuncts are the shapes that a value must satisfy, each for itself. It is false
// where one of them says what cannot be merged.
func (s *shape) conjuncts(known []*shape) ([]*shape, bool) {
	if slices.Contains(known, s) {
		return known, true // said already
	}
	if s.never || s.any != nil || s.one != nil || s.not != nil || s.cond != nil || s.restMembers != nil || s.restItems != nil ||
		s.needs != nil || s.names != nil || s.patterns != nil || s.contains != nil || len(s.unknown) > 0 {
		return nil, false
	}
	known = append(known, s)
	var ok bool
	if s.target != nil {
		if known, ok = s.target.conjuncts(known); !ok {
			return nil, false
		}
	}
	for _, arm := range s.all {
		if known, ok = arm.conjuncts(known); !ok {
			return nil, false
		}
	}
	return known, true
}

// merge says in one shape what several say, nil where it cannot.
func merge(s *shape, parts []*shape) *shape {
	m := anything(s.pos)
	m.at = s.at
	for _, p := range parts {
		m.describe(p)
		m.kinds &= p.kinds
		if !m.mergeValues(p) || !m.mergeNumbers(p) || !m.mergeText(p) || !m.mergeList(p) {
			return nil
		}
		for _, name := range p.required {
			if !m.needed(name) {
				m.required = append(m.required, name)
			}
		}
		m.fewestOf, m.mostOf = max(m.fewestOf, p.fewestOf), least(m.mostOf, p.mostOf)
	}
	if m.kinds == 0 || !m.mergeMembers(parts) {
		return nil
	}
	return m
}

// least is the lower of two limits, of which -1 is none.
func least(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// mergeValues takes over enum and const.
func (s *shape) mergeValues(p *shape) bool {
	if kindsOf(p.enum)&(listKind|objectKind) != 0 || p.equal != nil && kindOfValue(p.equal)&(listKind|objectKind) != 0 {
		return false
	}
	if p.equal != nil {
		if s.equal != nil && canonical(s.equal) != canonical(p.equal) {
			return false
		}
		s.equal = p.equal
	}
	s.open = named(s.open, p.open)
	switch {
	case p.enum != nil && s.enum != nil:
		s.enum = slices.DeleteFunc(slices.Clone(s.enum), func(v *value) bool { return !lists(p.enum, v) })
	case p.enum != nil:
		s.enum = p.enum
	}
	if s.equal != nil && s.enum != nil {
		if !lists(s.enum, s.equal) {
			return false
		}
		s.enum = nil
	}
	return s.enum == nil || len(s.enum) > 0
}

// named are the values that two enums name whom nobody holds against them.
func named(a, b []*value) []*value {
	both := slices.DeleteFunc(slices.Clone(a), func(v *value) bool { return !lists(b, v) })
	switch {
	case len(both) > 0:
		return both
	case len(a) > 0:
		return a
	}
	return b
}

// lists reports whether a value is one of some scalars.
func lists(values []*value, v *value) bool {
	return slices.ContainsFunc(values, func(other *value) bool { return canonical(other) == canonical(v) })
}

func (s *shape) mergeNumbers(p *shape) bool {
	s.low, s.above = higher(s.low, p.low), higher(s.above, p.above)
	s.high, s.below = tighter(s.high, p.high), tighter(s.below, p.below)
	return mergeWord(&s.step, p.step)
}

// higher is the tighter of two lower bounds, of which "" is none.
func higher(a, b string) string {
	if a == "" || b != "" && compare(b, a) > 0 {
		return b
	}
	return a
}

// tighter is the tighter of two upper bounds, of which "" is none.
func tighter(a, b string) string {
	if a == "" || b != "" && compare(b, a) < 0 {
		return b
	}
	return a
}

// mergeWord takes over a word that cannot be said in two ways.
func mergeWord(into *string, word string) bool {
	if *into == "" {
		*into = word
	}
	return word == "" || *into == word
}

func (s *shape) mergeText(p *shape) bool {
	s.shortest, s.longest = max(s.shortest, p.shortest), least(s.longest, p.longest)
	s.assert = s.assert || p.assert
	return mergeWord(&s.pattern, p.pattern) && mergeWord(&s.format, p.format) && mergeWord(&s.encoding, p.encoding)
}

func (s *shape) mergeList(p *shape) bool {
	s.fewest, s.most = max(s.fewest, p.fewest), least(s.most, p.most)
	s.unique = s.unique || p.unique
	places := make([]*shape, max(len(s.places), len(p.places)))
	for i := range places {
		places[i] = both(s.element(i), p.element(i))
		if places[i] == nil {
			places[i] = anything(p.pos)
		}
	}
	if s.items = both(s.items, p.items); len(places) > 0 {
		s.places = places
	}
	return true
}

// element is the shape of the element at a place, nil where that is any.
func (s *shape) element(i int) *shape {
	if i < len(s.places) {
		return s.places[i]
	}
	return s.items
}

// both is what two shapes say, of which nil says nothing.
func both(a, b *shape) *shape {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return together([]*shape{a, b})
}

// mergeMembers takes over the members of all parts. A part that says something of
// other members, or refuses them, must name them all.
func (s *shape) mergeMembers(parts []*shape) bool {
	var o object
	for _, p := range parts {
		for _, m := range p.members {
			o.add(m)
		}
	}
	for _, p := range parts {
		if p.extra == nil || p.extra.bare() {
			continue
		}
		s.extra = both(s.extra, p.extra)
		names := map[string]bool{}
		for _, m := range p.members {
			names[m.name] = true
		}
		other := func(name string) bool { return !names[name] }
		if p.closed() && slices.ContainsFunc(s.required, other) || slices.ContainsFunc(o.members, func(m *member) bool { return other(m.name) }) {
			return false
		}
	}
	s.members = o.members
	return s.extra == nil || !s.extra.made() || !slices.ContainsFunc(s.extra.all, func(e *shape) bool { return e.never })
}
