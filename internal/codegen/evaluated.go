package codegen

import "strconv"

// What unevaluatedProperties and unevaluatedItems speak of depends on which
// other shapes hold for the value. For each shape that may name a member or an
// element there is a function that tells whether it does, as the value stands.

// evaluator is a function that tells what a shape evaluates.
type evaluator struct {
	shape *shape
	how   how
	items bool // elements of a list, not members of an object
	root  bool // the shape that asks: its own unevaluated… doesn't count
}

// unevaluated judges what no other shape spoke of.
func (j judge) unevaluated() {
	s := j.shape
	if j.how.want != nil {
		return // who reads a part judges no more
	}
	if rest := s.restMembers; rest != nil && !rest.bare() {
		read := "(*event.Scanner).Unknown"
		if !rest.never {
			read = j.of(rest, "Rest")
		}
		j.line("s.Unevaluated(%s, %s)", j.evaluator(evaluator{s, j.how, false, true}, j.hint), read)
	}
	if rest := s.restItems; rest != nil && !rest.bare() {
		j.line("s.UnevaluatedItems(%s, %s)", j.evaluator(evaluator{s, j.how, true, true}, j.hint), j.of(rest, "Rest"))
	}
}

// evaluator gives the function that tells what a shape evaluates.
func (b *builder) evaluator(e evaluator, hint string) string {
	if name := b.evaluators[e]; name != "" {
		return name
	}
	if b.evaluators == nil {
		b.evaluators = map[evaluator]string{}
	}
	kind := "members"
	if e.items {
		kind = "items"
	}
	name := b.names.take(kind + exported(hint))
	b.evaluators[e] = name
	b.evaluated = append(b.evaluated, e)
	return name
}

// printEvaluator prints the function of one shape.
func (d decoder) printEvaluator(e evaluator) {
	name := d.evaluators[e]
	j := judge{d, e.shape, name, e.how}
	args := "s, name"
	d.line("")
	if e.items {
		args = "s, item, i"
		d.line("func %s(s, item *event.Scanner, i int) bool {", name)
		d.elementsOf(j)
	} else {
		d.line("func %s(s *event.Scanner, name []byte) bool {", name)
		d.membersOf(j)
	}
	if all(e) {
		d.line("return true")
		d.line("}")
		return
	}
	below := func(s *shape) string {
		return d.evaluator(evaluator{s, e.how, e.items, false}, j.hint) + "(" + args + ")"
	}
	s := e.shape
	if s.target != nil {
		d.truth(below(s.target))
	}
	for _, arm := range s.all {
		d.truth(below(arm))
	}
	for _, arms := range [][]*shape{s.any, s.one} {
		for _, arm := range arms {
			d.truth("s.Try(" + j.of(arm, "Case") + ") && " + below(arm))
		}
	}
	for _, n := range s.needs {
		if n.shape != nil {
			d.truth("s.Kind() == event.ObjectKind && s.Has(" + quote(n.member) + ") && " + below(n.shape))
		}
	}
	d.conditional(j, below)
	d.line("return false")
	d.line("}")
}

// all reports whether a shape evaluates everything that is left.
func all(e evaluator) bool {
	s := e.shape
	if e.items {
		return s.items != nil || !e.root && s.restItems != nil
	}
	return s.extra != nil || !e.root && s.restMembers != nil
}

func (d decoder) truth(condition string) {
	d.line("if %s {", condition)
	d.line("return true")
	d.line("}")
}

// membersOf prints the members that the shape itself names.
func (d decoder) membersOf(j judge) {
	list := ""
	for i, m := range j.shape.members {
		if i > 0 {
			list += ", "
		}
		list += quote(m.name)
	}
	if list != "" {
		d.line("switch string(name) {")
		d.line("case %s:", list)
		d.line("return true")
		d.line("}")
	}
	for _, p := range j.shape.patterns {
		d.truth(d.pattern(p.pattern) + ".Match(name)")
	}
}

// elementsOf prints the elements that the shape itself names.
func (d decoder) elementsOf(j judge) {
	if n := len(j.shape.places); n > 0 {
		d.truth("i < " + strconv.Itoa(n))
	}
	if j.shape.contains != nil && j.shape.containsCounts {
		d.truth("item.Try(" + j.of(j.shape.contains, "Contains") + ")")
	}
}

// conditional prints what if, then and else evaluate.
func (d decoder) conditional(j judge, below func(*shape) string) {
	s := j.shape
	if s.cond == nil {
		return
	}
	d.line("if s.Try(%s) {", j.whole(s.cond, "If"))
	d.truth(below(s.cond))
	if s.then != nil {
		d.truth(below(s.then))
	}
	if s.otherwise != nil {
		d.line("} else {")
		d.truth(below(s.otherwise))
	}
	d.line("}")
}
