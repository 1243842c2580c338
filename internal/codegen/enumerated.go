package codegen

import (
	"slices"

	"github.com/evcontract/evcontract/internal/source"
)

// enumerated is a shape whose alternatives are single strings, told as an enum: so
// writes who wants to describe each value. It is nil where the shape is no such.
func (s *shape) enumerated() *shape {
	arms := append(s.any[:len(s.any):len(s.any)], s.one...)
	if s.asEnum != nil || len(arms) == 0 || s.any != nil && s.one != nil || s.enum != nil || s.equal != nil {
		return s.asEnum
	}
	e := s.again()
	e.any, e.one, e.valueDocs = nil, nil, map[string]string{}
	seen := map[string]bool{}
	for _, arm := range arms {
		if possible(arm) == nullKind && arm.isNull() {
			continue
		}
		values := arm.enum
		if arm.equal != nil {
			values = []*value{arm.equal}
		}
		if !arm.onlyValues() || kindsOf(values) != stringKind || anyOf(values, seen) && s.one != nil {
			return nil
		}
		for _, v := range values {
			if !lists(e.enum, v) {
				e.enum = append(e.enum, v)
			}
		}
		if len(values) == 1 {
			e.valueDocs[values[0].Text] = arm.doc
		}
	}
	if len(e.enum) == 0 || e.mixed() && e.strange() {
		return nil
	}
	if s.origin != nil {
		e.origin = s.origin.enumerated()
	}
	s.asEnum = e
	return e
}

// onlyValues reports whether a shape says nothing beside enum or const, and
// strings are among what it allows.
func (s *shape) onlyValues() bool {
	c := *s
	c.enum, c.equal, c.kinds = nil, nil, allKinds
	return c.bare() && s.kinds&stringKind != 0 && (s.enum == nil || s.equal == nil)
}

// elsewhere reports whether a shape beside this one, or an alternative, says what
// a value's elements or its members without a name are.
func (s *shape) elsewhere(says func(*shape) bool) bool {
	var visit func(s *shape, depth int) bool
	visit = func(s *shape, depth int) bool {
		if depth > 8 { // recursive
			return false
		}
		found := false
		look := func(other *shape) { found = found || says(other) || visit(other, depth+1) }
		if s.target != nil {
			look(s.target)
		}
		for _, arm := range s.all {
			look(arm)
		}
		s.alternatives(look)
		return found
	}
	return visit(s, 0)
}

// hasElements and hasValues report what a shape says below it.
func (s *shape) hasElements() bool { return s.items != nil && !s.items.bare() || s.places != nil }
func (s *shape) hasValues() bool   { of, _ := s.unnamed(); return of != nil }

// unsaid is what stands where a shape itself says nothing, and another may.
func (s *shape) unsaid(says func(*shape) bool) *shape {
	any := anything(s.pos)
	any.loose = s.elsewhere(says)
	return any
}

// single reports whether a string can have one value only.
func (s *shape) single() bool { return s.equal != nil || len(labelsOf(s.enum)) == 1 }

// labelsOf lists the strings among an enum's values.
func labelsOf(values []*value) []string {
	var list []string
	for _, v := range values {
		if v.Kind == source.String && !slices.Contains(list, v.Text) {
			list = append(list, v.Text)
		}
	}
	return list
}
