package codegen

import "strings"

// decoder prints how the types of one builder are read.
type decoder struct {
	*printer
	*builder
	used names // variables of the function that is being printed
}

// printDecoders writes a decode method for every struct, and a function for
// every union.
func (d decoder) printDecoders() {
	for _, t := range d.types {
		switch t.kind {
		case structKind:
			d.structure(t)
		case unionKind:
			d.union(t)
		}
	}
}

func (d decoder) structure(t *typ) {
	if t.tuple {
		d.tuple(t)
		return
	}
	d.used = names{}
	d.line("")
	d.line("func (v *%s) decode(s *event.Scanner) {", t.name)
	for _, f := range t.fields {
		if f.inline {
			d.line("s.Also(func(s *event.Scanner) { v.%s = %s(s) })", f.name, f.typ.read)
		}
	}
	if t == d.types[0] {
		d.judge(t) // of all others, whoever holds them asks
	}
	need := d.seen(t)
	if t.extra != nil {
		d.line("v.More = nil")
	}
	if t.keeps {
		d.line("v.Unknown = nil")
	}
	d.line("for s.Object(); s.Member(); {")
	d.line("switch string(s.Name()) {")
	for _, f := range t.members() {
		clear(d.used) // what a case declares ends with it
		d.line("case %s:", quote(f.json))
		d.line("s.Once(&seen.%s)", f.seen)
		d.member(f)
	}
	clear(d.used)
	d.rest(t)
	d.line("}")
	d.line("}")
	if t.keeps {
		d.line("s.Apart(v.Unknown)")
	}
	for _, f := range need {
		d.line("s.Need(%s, seen.%s)", quote(f.json), f.seen)
	}
	for _, f := range t.fields {
		if f.preset != "" {
			d.line("if !seen.%s {", f.seen)
			d.line("v.%s = %s", f.name, f.preset)
			d.line("}")
		}
	}
	d.line("}")
}

// seen declares what remembers which members stood there, and gives those that
// must.
func (d decoder) seen(t *typ) []*field {
	var need []*field
	list, line := "", 0
	for i, f := range t.members() {
		switch {
		case i > 0 && line+len(f.seen) > 100:
			list, line = list+",\n", 0
		case i > 0:
			list, line = list+", ", line+2
		}
		list, line = list+f.seen, line+len(f.seen)
		if f.required {
			need = append(need, f)
		}
	}
	if list != "" {
		d.line("var seen struct { %s bool }", list)
	}
	return need
}

// rest says what becomes of members that have no field.
func (d decoder) rest(t *typ) {
	if t.closed && len(t.others) > 0 {
		list := ""
		for i, name := range t.others {
			if i > 0 {
				list += ", "
			}
			list += quote(name)
		}
		d.line("case %s:", list)
		d.line("s.Skip()")
	}
	d.line("default:")
	if t.extra == nil {
		d.line("%s", t.left())
		return
	}
	d.line("name := s.NameString()")
	d.used.take("name")
	if t.named != nil {
		d.unlessNamed(t.named, "name")
		d.line("%s", t.left())
		d.line("break")
		d.line("}")
	}
	d.line("if v.More == nil {")
	d.line("v.More = map[string]%s{}", t.extra.nullType())
	d.line("}")
	d.once("v.More", "name")
	d.into(t.extra, "v.More[name]", d.simple(t.extra))
}

// left is the statement for a member that has no place.
func (t *typ) left() string {
	switch {
	case t.keeps:
		return "v.Unknown = append(v.Unknown, s.Keep())"
	case t.closed:
		return "s.Unknown()"
	}
	return "s.Skip()"
}

// unlessNamed opens a block for names that match none of some patterns.
func (d decoder) unlessNamed(patterns []string, name string) {
	matches := make([]string, len(patterns))
	for i, p := range patterns {
		matches[i] = "!" + d.pattern(p) + ".MatchString(" + name + ")"
	}
	d.line("if %s {", strings.Join(matches, " && "))
}

// member reads one member into its field.
func (d decoder) member(f *field) {
	switch {
	case !f.kept() && f.typ.kind == structKind:
		d.line("new(%s).decode(s)", f.typ.name)
	case !f.kept():
		d.line("%s", d.unkept(f))
	case f.wrapped():
		d.wrapped(f.typ, "v."+f.name)
	case f.optional():
		d.pointer(f.typ, "v."+f.name)
	default:
		d.into(f.typ, "v."+f.name, true)
	}
}

// pointer reads a value that may be absent or null.
func (d decoder) pointer(t *typ, target string) {
	if t.null {
		d.judgeNull(t)
		d.line("if s.Null() {")
		d.line("%s = nil", target)
		d.line("break")
		d.line("}")
	}
	if t.kind == structKind {
		d.judge(t)
		d.line("%s = new(%s)", target, t.name)
		d.line("%s.decode(s)", target)
		return
	}
	d.judge(t)
	if !d.limited(t) {
		d.line("%s = new(%s)", target, d.scalar(t))
		return
	}
	value := d.used.take("value")
	d.scalarInto(t, value, true)
	d.line("%s = &%s", target, value)
}

// wrapped reads a value that may be absent or null into an event.Optional.
func (d decoder) wrapped(t *typ, target string) {
	if t.null {
		d.judgeNull(t)
		d.line("if s.Null() {")
		d.line("%s.Set = false", target)
		d.line("break")
		d.line("}")
	}
	d.judge(t)
	if !d.limited(t) {
		d.line("%s = event.Some(%s)", target, d.scalar(t))
		return
	}
	value := d.used.take("value")
	d.scalarInto(t, value, true)
	d.line("%s = event.Some(%s)", target, value)
}

// judge lets a function of its own look at the value first, where judgeNull did
// not.
func (d decoder) judge(t *typ) {
	if !t.null || !t.nulls {
		d.also(t)
	}
}

// judgeNull is judge before a null is taken out of the way: null may be among
// what is judged.
func (d decoder) judgeNull(t *typ) {
	if t.null && t.nulls {
		d.also(t)
	}
}

func (d decoder) also(t *typ) {
	if t.judge != nil {
		d.line("s.Also(%s)", d.judgeName(t.judge, t.hint, t.how()))
	}
}

// variable declares a variable and reads a value into it.
func (d decoder) variable(t *typ, name string) {
	switch {
	case t.null || t.kind == structKind:
		d.line("var %s %s", name, t.nullType())
		d.into(t, name, true)
	case t.kind == sliceKind, t.kind == mapKind:
		d.judge(t)
		d.line("%s := %s{}", name, t.goType())
		d.parts(t, name)
	default:
		d.judge(t)
		d.scalarInto(t, name, true)
	}
}

// parts reads what is in a list or a map.
func (d decoder) parts(t *typ, target string) {
	if t.kind == sliceKind {
		d.slice(t, target)
	} else {
		d.mapping(t, target)
	}
}

// simple reports whether reading a type is one expression.
func (d decoder) simple(t *typ) bool {
	return t.judge == nil && !d.limited(t) && t.kind != sliceKind && t.kind != mapKind && t.kind != structKind && !t.null
}

// into reads a value into a target. One that cannot be assigned in parts, such
// as a map's element, takes it from a variable.
func (d decoder) into(t *typ, target string, direct bool) {
	switch {
	case !direct:
		value := d.used.take("value")
		d.variable(t, value)
		d.line("%s = %s", target, value)
		return
	case t.null && t.pointer():
		judge := t.judge
		if t.nulls {
			judge = nil // it was asked
		}
		d.judgeNull(t)
		d.line("if !s.Null() {")
		d.pointer(&typ{kind: t.kind, name: t.name, shape: t.shape, judge: judge, labels: t.labels, listed: t.listed, elem: t.elem, hint: t.hint, want: t.want}, target)
		d.line("}")
		return
	case t.null:
		d.judgeNull(t)
		d.line("if s.Null() {")
		d.line("%s = nil", target)
		d.line("} else {")
		defer d.line("}")
	}
	d.judge(t)
	switch t.kind {
	case structKind:
		d.line("%s.decode(s)", target)
	case sliceKind, mapKind:
		d.line("%s = %s{}", target, t.goType())
		d.parts(t, target)
	default:
		d.scalarInto(t, target, false)
	}
}

func (d decoder) slice(t *typ, target string) {
	d.line("for s.List(); s.Element(); {")
	switch {
	case d.simple(t.elem):
		d.line("%s = append(%s, %s)", target, target, d.scalar(t.elem))
	case t.elem.kind == structKind && !t.elem.null:
		d.judge(t.elem)
		d.line("%s = event.Extend(s, %s)", target, target)
		d.line("%s[len(%s)-1].decode(s)", target, target)
	default:
		item := d.used.take("item")
		d.variable(t.elem, item)
		d.line("%s = append(%s, %s)", target, target, item)
	}
	d.line("}")
	d.lengths(t.shape.fewest, t.shape.most, "len("+target+")", "elements")
}

func (d decoder) mapping(t *typ, target string) {
	d.line("for s.Object(); s.Member(); {")
	name := d.used.take("name")
	d.line("%s := s.NameString()", name)
	if t.named != nil {
		d.unlessNamed(t.named, name)
		d.line("s.Skip()")
		d.line("continue")
		d.line("}")
	}
	d.once(target, name)
	d.into(t.elem, target+"["+name+"]", d.simple(t.elem))
	d.line("}")
}

// once refuses a name that a map already has.
func (d decoder) once(target, name string) {
	d.line("if _, again := %s[%s]; again {", target, name)
	d.line("s.Twice()")
	d.line("}")
}

// unkept is the statement that judges a value that nobody keeps.
func (d decoder) unkept(f *field) string {
	if f.typ.null {
		return d.judgeName(f.typ.shape, f.typ.hint, f.typ.how()) + "(s)"
	}
	return d.pass(f.typ.shape, f.typ.hint, f.typ.how())
}
