package codegen

import (
	"regexp"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/contract"
)

// list judges the elements of a list, and the list by its length.
func (j judge) list() {
	s := j.shape
	if s.unique && j.how.want == nil {
		j.line("s.Unique()")
	}
	if s.contains != nil && j.how.want == nil {
		j.contains()
	}
	counted := s.places != nil || s.fewest > 0 || s.most >= 0
	if counted {
		j.line("n := 0")
		j.line("for s.List(); s.Element(); n++ {")
	} else {
		j.line("for s.List(); s.Element(); {")
	}
	switch {
	case s.places == nil:
		j.line("%s", j.element(s.items))
	default:
		j.line("switch n {")
		for i, place := range s.places {
			j.line("case %d:", i)
			j.line("%s", j.element(place))
		}
		j.line("default:")
		j.line("%s", j.element(s.items))
		j.line("}")
	}
	j.line("}")
	if s.fewest > 0 || s.most >= 0 {
		j.lengths(s.fewest, s.most, "n", "elements")
	}
}

func (j judge) element(s *shape) string {
	if s == nil {
		return "s.Skip()"
	}
	return j.step(s, j.hint+"Item", contract.Step{Kind: contract.ElementStep})
}

// step is the statement that judges what stands one step down, if it is read.
func (j judge) step(s *shape, hint string, step contract.Step) string {
	h, read := j.how.below(step)
	if !read {
		return "s.Skip()"
	}
	return j.pass(s, hint, h)
}

func (j judge) member(m *member) string {
	return j.step(m.shape, j.hint+exported(m.name), contract.Step{Kind: contract.FieldStep, Name: m.name})
}

func (j judge) contains() {
	s := j.shape
	j.line("if n := s.Elements(%s); n < %d {", j.of(s.contains, "Contains"), s.fewestIn)
	j.refuse("too few elements are what contains asks for: %d", "n")
	if s.mostIn >= 0 {
		j.line("} else if n > %d {", s.mostIn)
		j.refuse("too many elements are what contains allows: %d", "n")
	}
	j.line("}")
}

// object judges members by name, by pattern and by what is left, and the object
// by which members it has.
func (j judge) object() {
	s := j.shape
	if j.how.want == nil {
		j.line("s.Distinct()")
	}
	for _, n := range s.needs {
		if n.shape != nil && j.reads(n.member) {
			j.line("if s.Has(%s) {", quote(n.member))
			j.line("s.Also(%s)", j.of(n.shape, "With"))
			j.line("}")
		}
	}
	wanted := j.wanted()
	if wanted != nil {
		j.line("var seen [%d]bool", len(wanted))
	}
	if j.counts() {
		j.line("n := 0")
	}
	j.line("for s.Object(); s.Member(); {")
	j.eachMember(wanted)
	j.line("}")
	if j.counts() {
		j.lengths(s.fewestOf, s.mostOf, "n", "members")
	}
	j.needs(wanted)
}

// counts reports whether the number of members matters, which it doesn't for
// who reads a part of them.
func (j judge) counts() bool {
	return j.how.want == nil && (j.shape.fewestOf > 0 || j.shape.mostOf >= 0)
}

// reads reports whether a member is read.
func (j judge) reads(name string) bool {
	_, read := j.how.below(contract.Step{Kind: contract.FieldStep, Name: name})
	return read
}

// wanted lists the members of which it matters whether they are there.
func (j judge) wanted() []string {
	var list []string
	have := map[string]bool{}
	add := func(name string) {
		if !have[name] && j.reads(name) {
			list = append(list, name)
		}
		have[name] = true
	}
	for _, name := range j.shape.required {
		add(name)
	}
	for _, n := range j.shape.needs {
		if n.names != nil {
			add(n.member)
		}
		for _, name := range n.names {
			add(name)
		}
	}
	return list
}

func indexOf(list []string, name string) int {
	for i, have := range list {
		if have == name {
			return i
		}
	}
	return -1
}

func (j judge) eachMember(wanted []string) {
	s := j.shape
	if j.counts() {
		j.line("n++")
	}
	if s.names != nil && !s.names.bare() && j.how.want == nil {
		j.line("s.AlsoName(%s)", j.of(s.names, "Name"))
	}
	switch {
	case j.how.want != nil:
		j.partly(wanted)
	case len(s.patterns) > 0:
		j.patterned(wanted)
	default:
		j.byName(s.members, wanted, j.member, j.left())
	}
}

// partly judges the members that are read, by all that speaks of their names.
func (j judge) partly(wanted []string) {
	var members []*member
	for _, m := range j.shape.members {
		if said := j.shape.said(m.name); j.reads(m.name) && len(said) > 0 {
			m = &member{m.name, together(said)}
		}
		members = append(members, m)
	}
	for _, name := range j.how.want.names() {
		if said := j.shape.said(name); !j.shape.speaksOf(name) && len(said) > 0 {
			members = append(members, &member{name, together(said)})
		}
	}
	rest := "s.Skip()"
	if j.shape.closed() && len(j.shape.patterns) == 0 {
		rest = "s.Unknown()"
	}
	j.byName(members, wanted, j.member, rest)
}

// said lists what the shape says of a member: by its name, by patterns, or as of
// one that it doesn't name.
func (s *shape) said(name string) []*shape {
	var list []*shape
	for _, m := range s.members {
		if m.name == name {
			list = append(list, m.shape)
		}
	}
	for _, p := range s.patterns {
		re, err := contain.RE2(p.pattern)
		if matches, _ := regexp.MatchString(re, name); matches && err == nil {
			list = append(list, p.shape)
		}
	}
	if list == nil && s.extra != nil {
		list = append(list, s.extra)
	}
	return list
}

// left is what becomes of members without a name.
func (j judge) left() string {
	switch s := j.shape; {
	case s.extra == nil || s.extra.bare():
		return "s.Skip()"
	case s.closed():
		return "s.Unknown()"
	default:
		return j.step(s.extra, j.hint+"More", contract.Step{Kind: contract.ValueStep})
	}
}

// byName prints the switch over names.
func (j judge) byName(members []*member, wanted []string, known func(*member) string, rest string) {
	named := map[string]bool{}
	j.line("switch string(s.Name()) {")
	for _, m := range members {
		named[m.name] = true
		statement, i := known(m), indexOf(wanted, m.name)
		if statement == rest && i < 0 {
			continue // as all others
		}
		j.line("case %s:", quote(m.name))
		if i >= 0 {
			j.line("seen[%d] = true", i)
		}
		j.line("%s", statement)
	}
	for i, name := range wanted {
		if !named[name] {
			j.line("case %s:", quote(name))
			j.line("seen[%d] = true", i)
			j.line("%s", rest)
		}
	}
	j.line("default:")
	j.line("%s", rest)
	j.line("}")
}

// patterned judges members that a name and several patterns may speak of.
func (j judge) patterned(wanted []string) {
	j.line("name := s.Name()")
	j.line("known := true")
	j.byName(j.shape.members, wanted, func(m *member) string {
		if m.shape.bare() {
			return ""
		}
		return "s.Also(" + j.of(m.shape, exported(m.name)) + ")"
	}, "known = false")
	for _, p := range j.shape.patterns {
		j.line("if %s.Match(name) {", j.pattern(p.pattern))
		j.line("known = true")
		if !p.shape.bare() {
			j.line("s.Also(%s)", j.of(p.shape, "Pattern"))
		}
		j.line("}")
	}
	left := j.left()
	if left == "s.Skip()" {
		j.line("_ = known")
		j.line("s.Skip()")
		return
	}
	j.line("if !known {")
	j.line("%s", left)
	j.line("} else {")
	j.line("s.Skip()")
	j.line("}")
}

func (j judge) needs(wanted []string) {
	for _, name := range j.shape.required {
		if !j.reads(name) {
			continue
		}
		j.line("s.Need(%s, seen[%d])", quote(name), indexOf(wanted, name))
	}
	for _, n := range j.shape.needs {
		if len(n.names) == 0 || !j.reads(n.member) {
			continue
		}
		j.line("if seen[%d] {", indexOf(wanted, n.member))
		for _, name := range n.names {
			if j.reads(name) {
				j.line("s.Need(%s, seen[%d])", quote(name), indexOf(wanted, name))
			}
		}
		j.line("}")
	}
}
