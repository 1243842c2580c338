package codegen

// variants are the objects that a value may be, where it says some things of all
// of them beside its alternatives, and a tag tells which it is. Each says what is
// shared, too. It is nil where one struct does: the alternatives name no member of
// their own, or nothing tells them apart.
func (b *builder) variants(s *shape, w *want) []*shape {
	split := s.split()
	if split == nil || !w.plain() {
		return nil
	}
	shared := flatten(split.base)
	if possible(split.base)&^nullKind != objectKind || len(shared.members) == 0 || shared.closed {
		return nil
	}
	own := false
	for i, arm := range split.arms {
		settled, null := resolve(split.alone[i])
		if null || possible(arm)&^nullKind != objectKind || settled.choice() {
			return nil
		}
		for _, m := range flatten(settled).members {
			own = own || shared.named(m.name) == nil
		}
	}
	if !own || b.tagOf(split.arms, w) == nil {
		return nil
	}
	return split.arms
}

// division is a shape as what it says of all its alternatives and each of them.
type division struct {
	base  *shape
	alone []*shape // the alternatives
	arms  []*shape // each together with base
	exact bool     // the arms say all that the shape says
}

// split divides a shape that says something beside its alternatives, which may be
// part of it or of one that it refers to. It is nil where there is nothing to
// divide.
func (s *shape) split() *division {
	if s.division != nil || s.undivided {
		return s.division
	}
	s.undivided = true
	base, alone := s.alternative()
	for i, part := range s.all {
		if settled, null := settle(part); !null {
			if b, a := settled.alternative(); a != nil && alone == nil {
				c := s.again()
				c.all = append(append(append([]*shape(nil), s.all[:i]...), b), s.all[i+1:]...)
				base, alone = c, a
				base.restMembers, base.restItems = nil, nil
			} else if a != nil {
				return nil
			}
		}
	}
	if len(alone) < 2 {
		return nil
	}
	d := &division{base: base, alone: alone, exact: s.restMembers == nil && s.restItems == nil}
	for _, arm := range alone {
		d.arms = append(d.arms, together([]*shape{arm, base}))
	}
	s.division = d
	return d
}

// alternative gives the alternatives of a shape and what it says beside them. What
// no alternative evaluates is for the whole to judge.
func (s *shape) alternative() (base *shape, arms []*shape) {
	if s.any == nil == (s.one == nil) || !(s.objective() || s.target != nil || s.all != nil) {
		return nil, nil
	}
	base = s.again()
	base.any, base.one, base.restMembers, base.restItems = nil, nil, nil, nil
	return base, append(s.any[:len(s.any):len(s.any)], s.one...)
}

// again is a copy of a shape about which nothing is known yet.
func (s *shape) again() *shape {
	c := *s
	c.whole, c.merges, c.joined, c.sure, c.division, c.undivided, c.asEnum = nil, nil, false, false, nil, false, nil
	return &c
}

// unrelaxed is the shape as readers have it who ignore nothing: types of an enum
// are shared with them.
func (s *shape) unrelaxed() *shape {
	if s.origin != nil {
		return s.origin
	}
	return s
}
