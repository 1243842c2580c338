package event

import (
	"slices"
	"strings"
)

// Want refuses the value at hand, whose kind is not one of those wanted.
func (s *Scanner) Want(kinds string) {
	if got := s.Kind(); got == NoKind {
		s.syntax("a value")
	} else {
		s.Refuse("want %s, not %v", kinds, got)
	}
}

// OneOf refuses the value at hand unless it equals one of some JSON values. It
// passes nothing.
func (s *Scanner) OneOf(values ...string) {
	got, ok := s.canonical()
	if !ok {
		return
	}
	for _, v := range values {
		other := NewScanner([]byte(v))
		if want, _ := other.canonical(); want == got {
			return
		}
	}
	s.Refuse("%s is not one of the values that the contract lists", clip([]byte(got)))
}

// Tag tells of which kind the object at hand is by the value of one member, which
// must be one of some texts. It passes nothing.
func (s *Scanner) Tag(name string, values ...string) string {
	probe, tag := *s, ""
	for probe.Object(); probe.Member(); probe.Skip() {
		if string(probe.Name()) == name {
			if tag = probe.Pick(values...); probe.err != nil {
				s.refuse(probe.err)
			}
			return tag
		}
	}
	if probe.Need(name, false); probe.err != nil {
		s.refuse(probe.err)
	}
	return ""
}

// TagValue is Tag for a member that is not always a string: values are JSON, and
// so is what it gives, one of them.
func (s *Scanner) TagValue(name string, values ...string) string {
	probe := *s
	for probe.Object(); probe.Member(); probe.Skip() {
		if string(probe.Name()) != name {
			continue
		}
		value := probe.listed(values)
		if probe.err != nil {
			s.refuse(probe.err)
		}
		return value
	}
	if probe.Need(name, false); probe.err != nil {
		s.refuse(probe.err)
	}
	return ""
}

// listed gives the one of some JSON values that the value at hand equals, and
// refuses the others. It passes nothing.
func (s *Scanner) listed(values []string) string {
	probe := *s
	raw := probe.Raw()
	for _, v := range values {
		if string(raw) == v {
			return v
		}
	}
	got, ok := s.canonical()
	for i := 0; ok && i < len(values); i++ {
		other := NewScanner([]byte(values[i]))
		if want, _ := other.canonical(); want == got {
			return values[i]
		}
	}
	if ok {
		s.Refuse("%s, not %s", wanted(values), clip([]byte(got)))
	}
	return ""
}

// Count tells how many readers take the value at hand. It passes nothing.
func (s *Scanner) Count(readers ...func(*Scanner)) int {
	n := 0
	for _, read := range readers {
		if s.Try(read) {
			n++
		}
	}
	return n
}

// Elements tells how many elements of the list at hand a reader takes. It
// passes nothing.
func (s *Scanner) Elements(read func(*Scanner)) int {
	n := 0
	s.Also(func(s *Scanner) {
		for s.List(); s.Element(); s.Skip() {
			if s.Try(read) {
				n++
			}
		}
	})
	return n
}

// Unique refuses the list at hand if two of its elements are equal. It passes
// nothing.
func (s *Scanner) Unique() {
	s.Also(func(s *Scanner) {
		seen := map[string]bool{}
		for s.List(); s.Element(); s.Skip() {
			got, ok := s.canonical()
			if ok && seen[got] {
				s.Refuse("the element stands there twice")
			}
			seen[got] = true
		}
	})
}

// Has reports whether the object at hand has a member. It passes nothing.
func (s *Scanner) Has(name string) bool {
	has := false
	s.Also(func(s *Scanner) {
		for s.Object(); s.Member(); s.Skip() {
			has = has || string(s.Name()) == name
		}
	})
	return has
}

// Distinct refuses the object at hand if a member stands there twice. It passes
// nothing.
func (s *Scanner) Distinct() {
	probe := *s
	var room [16][]byte
	names, more := room[:0], map[string]bool(nil)
	for probe.Object(); probe.Member(); probe.Skip() {
		name := probe.Name()
		again := more[string(name)] || slices.ContainsFunc(names, func(n []byte) bool { return string(n) == string(name) })
		switch {
		case again:
			probe.Twice()
		case len(names) < len(room):
			names = append(names, name)
		case more == nil:
			more = map[string]bool{}
			fallthrough
		default:
			more[string(name)] = true
		}
	}
	if probe.err != nil {
		s.refuse(probe.err)
	}
}

// Unevaluated lets a reader judge those members of the object at hand that
// nothing else spoke of, as known tells of the whole value and a member's name.
// It passes nothing.
func (s *Scanner) Unevaluated(known func(*Scanner, []byte) bool, read func(*Scanner)) {
	if s.Kind() != ObjectKind {
		return
	}
	whole := *s
	s.Also(func(s *Scanner) {
		for s.Object(); s.Member(); {
			if known(&whole, s.Name()) {
				s.Skip()
			} else {
				read(s)
			}
		}
	})
}

// UnevaluatedItems is Unevaluated for the elements of the list at hand.
func (s *Scanner) UnevaluatedItems(known func(whole, item *Scanner, i int) bool, read func(*Scanner)) {
	if s.Kind() != ListKind {
		return
	}
	whole := *s
	s.Also(func(s *Scanner) {
		i := 0
		for s.List(); s.Element(); i++ {
			if known(&whole, s, i) {
				s.Skip()
			} else {
				read(s)
			}
		}
	})
}

// AlsoName lets a reader judge the name of the member at hand as a string.
func (s *Scanner) AlsoName(read func(*Scanner)) {
	name := NewScanner(AppendJSON(nil, string(s.Name())))
	if read(&name); name.err != nil {
		s.Refuse("the member's name: %s", name.err.Msg)
	}
}

// canonical writes the value at hand so that equal values are equal texts:
// members by name, numbers by value. It passes nothing.
func (s *Scanner) canonical() (string, bool) {
	if s.err != nil {
		return "", false
	}
	var text []byte
	s.Also(func(s *Scanner) { text = s.appendCanonical(nil) })
	return string(text), s.err == nil
}

func (s *Scanner) appendCanonical(b []byte) []byte {
	switch s.Kind() {
	case StringKind:
		return AppendJSON(b, s.String())
	case NumberKind:
		return parseDecimal(s.Number()).append(b)
	case ListKind:
		b = append(b, '[')
		for s.List(); s.Element(); b = append(b, ',') {
			b = s.appendCanonical(b)
		}
		return append(b, ']')
	case ObjectKind:
		return s.canonicalObject(b)
	}
	return append(b, s.Raw()...)
}

func (s *Scanner) canonicalObject(b []byte) []byte {
	members := map[string]string{}
	for s.Object(); s.Member(); {
		name := string(s.Name())
		members[name] = string(s.appendCanonical(nil))
	}
	list := make([]string, 0, len(members))
	for name, value := range members {
		list = append(list, string(AppendJSON(nil, name))+":"+value)
	}
	slices.Sort(list)
	return append(b, "{"+strings.Join(list, ",")+"}"...)
}
