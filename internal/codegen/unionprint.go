package codegen

import "strings"

// armType is how an arm of a union stands in its interface.
func (f *field) armType() string {
	switch {
	case f.arm != "":
		return f.arm
	case f.typ.kind == structKind:
		return "*" + f.typ.name
	}
	return f.typ.name
}

// arms lists the types of a union, each once: two alternatives may have one.
func (t *typ) arms() []string {
	var list []string
	for _, f := range t.distinct() {
		list = append(list, f.armType())
	}
	return list
}

func (t *typ) distinct() []*field {
	var list []*field
	seen := map[string]bool{}
	for _, f := range t.fields {
		if !seen[f.armType()] {
			list = append(list, f)
		}
		seen[f.armType()] = true
	}
	return list
}

// holds reports whether an arm is a struct around its value: a defined type would
// lose the value's methods, or could have none.
func (f *field) holds() bool {
	return f.typ.kind == timeKind || f.typ.kind == textKind || f.typ.kind == unionKind || f.typ.kind == decimalKind && f.typ.name != ""
}

// printUnion declares a sealed interface and those of its arms that are no types
// otherwise. Structs implement it as pointers only, so that there is one way to
// make and to match them.
func (p *printer) printUnion(t *typ) {
	p.line("type %s interface{ is%s() }", t.name, t.name)
	for _, f := range t.distinct() {
		if f.arm == "" {
			continue
		}
		p.line("")
		p.comment(f.arm + " is " + f.doc + " as " + t.name + ".")
		if f.holds() {
			p.line("type %s struct{ Value %s }", f.arm, f.typ.goType())
		} else {
			p.line("type %s %s", f.arm, f.typ.goType())
		}
	}
	p.line("")
	for _, arm := range t.arms() {
		p.line("func (%s) is%s() {}", arm, t.name)
	}
}

// union reads a value by its kind, and an object by its tag.
func (d decoder) union(t *typ) {
	d.used = names{}
	d.line("")
	d.line("func %s(s *event.Scanner) %s {", t.read, t.name)
	d.line("switch s.Kind() {")
	var wants []string
	for i := 0; i < len(t.fields); {
		f := t.fields[i]
		wants = append(wants, f.doc)
		d.line("case event.%s:", f.json)
		alike := 1
		for i+alike < len(t.fields) && t.fields[i+alike].json == f.json {
			alike++
		}
		d.alike(t.fields[i:i+alike], t.tag)
		i += alike
	}
	d.line("default:")
	d.line("s.Want(%s)", quote(strings.TrimPrefix(orList(wants), "want ")))
	d.line("}")
	d.line("return nil")
	d.line("}")
}

// alike reads a value that may be one of several objects: by its tag, else as
// the first that fits, else as the last, which says what is wrong.
func (d decoder) alike(fields []*field, tag *tag) {
	last := len(fields) - 1
	switch {
	case last == 0:
		d.arm(fields[0])
		return
	case tag != nil:
		d.tagged(fields, tag)
		return
	}
	d.line("switch {")
	for _, f := range fields[:last] {
		d.line("case s.Try(%s):", d.judgeName(f.typ.shape, f.typ.hint, f.typ.how()))
		d.arm(f)
	}
	d.line("default:")
	d.arm(fields[last])
	d.line("}")
}

func (d decoder) tagged(fields []*field, tag *tag) {
	method, text := "Tag", func(v *value) string { return quote(v.Text) }
	if !tag.textual() {
		method, text = "TagValue", func(v *value) string { return literal(string(v.JSON())) }
	}
	lists := make([]string, len(fields))
	for i, values := range tag.values {
		list := make([]string, len(values))
		for j, v := range values {
			list[j] = text(v)
		}
		lists[i] = strings.Join(list, ", ")
	}
	d.line("switch s.%s(%s, %s) {", method, quote(tag.name), strings.Join(lists, ", "))
	for i, f := range fields {
		d.line("case %s:", lists[i])
		d.arm(f)
	}
	d.line("}")
}

// arm reads one arm of a union and returns it.
func (d decoder) arm(f *field) {
	clear(d.used)
	d.used.take("v")
	switch {
	case f.arm == "" && f.typ.kind == structKind:
		d.judge(f.typ)
		d.line("v := new(%s)", f.typ.name)
		d.line("v.decode(s)")
		d.line("return v")
		return
	case d.simple(f.typ):
		d.line("return %s", f.inArm(d.scalar(f.typ)))
		return
	}
	d.variable(f.typ, "v")
	d.line("return %s", f.inArm("v"))
}

// inArm is an expression as the arm's type.
func (f *field) inArm(x string) string {
	switch {
	case f.arm == "":
		return x
	case f.holds():
		return f.arm + "{" + x + "}"
	}
	return f.arm + "(" + x + ")"
}

// union writes the arm that is there. Where none is, the decoder that looks at
// every payload refuses it.
func (e encoder) union(t *typ) {
	e.used = names{}
	e.line("")
	whole := ""
	if t.alters {
		whole = ", whole bool"
	}
	e.line("func %s(b []byte, v %s%s) []byte {", t.write, t.name, whole)
	e.line("switch v := v.(type) {")
	for _, f := range t.distinct() {
		clear(e.used)
		e.line("case %s:", f.armType())
		x := "v"
		switch {
		case f.typ.kind == structKind:
			e.line("if v != nil {")
			e.line("return v.append(b%s)", f.typ.passWhole())
			e.line("}")
			continue
		case f.holds():
			x = "v.Value"
		case f.arm != "":
			x = f.typ.conversion("v")
		}
		e.value(f.typ, x)
		e.line("return b")
	}
	e.line("}")
	if t.inline {
		e.line("return b")
	} else {
		e.line("return event.AppendRaw(b, \"\")")
	}
	e.line("}")
}

// conversion is an expression as the plain type, where writing it needs that.
func (t *typ) conversion(x string) string {
	switch t.kind {
	case goString, goBool, intKind, uintKind:
		return goNames[t.kind] + "(" + x + ")"
	}
	return x
}
