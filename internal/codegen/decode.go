package codegen

// decoder prints how the types of one builder are read.
type decoder struct {
	*printer
	*builder
	used names // variables of the function that is being printed
}

// printDecoders writes a decode method for every struct.
func (d decoder) printDecoders() {
	for _, t := range d.types {
		if t.kind == structKind {
			d.structure(t)
		}
	}
}

func (d decoder) structure(t *typ) {
	d.used = names{}
	d.line("")
	d.line("func (v *%s) decode(s *event.Scanner) {", t.name)
	need := d.seen(t)
	if t.extra != nil {
		d.line("v.More = nil")
	}
	d.line("for s.Object(); s.Member(); {")
	d.line("switch string(s.Name()) {")
	for _, f := range t.fields {
		d.line("case %s:", quote(f.json))
		d.line("s.Once(&seen.%s)", f.seen)
		d.member(f)
	}
	d.rest(t)
	d.line("}")
	d.line("}")
	for _, f := range need {
		d.line("s.Need(%s, seen.%s)", quote(f.json), f.seen)
	}
	d.line("}")
}

// seen declares what remembers which members stood there, and gives those that
// must.
func (d decoder) seen(t *typ) []*field {
	var need []*field
	list := ""
	for i, f := range t.fields {
		if i > 0 {
			list += ", "
		}
		list += f.seen
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
	switch {
	case t.extra != nil:
		d.line("name := string(s.Name())")
		d.used.take("name")
		d.line("if v.More == nil {")
		d.line("v.More = map[string]%s{}", t.extra.nullType())
		d.line("}")
		d.into(t.extra, "v.More[name]", d.simple(t.extra))
	case t.closed:
		d.line("s.Unknown()")
	default:
		d.line("s.Skip()")
	}
}

// member reads one member into its field.
func (d decoder) member(f *field) {
	switch {
	case !f.kept() && f.typ.kind == structKind:
		d.line("new(%s).decode(s)", f.typ.name)
	case !f.kept():
		d.line("%s", d.unkept(f))
	case f.optional():
		d.pointer(f.typ, "v."+f.name)
	default:
		d.into(f.typ, "v."+f.name, true)
	}
}

// pointer reads a value that may be absent or null.
func (d decoder) pointer(t *typ, target string) {
	if t.null {
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

// judge lets a function of its own look at the value first.
func (d decoder) judge(t *typ) {
	if t.judge != nil {
		d.line("s.Also(%s)", d.judgeName(t.judge, t.hintOr(d.prefix), true))
	}
}

func (t *typ) hintOr(prefix string) string {
	if t.name != "" {
		return t.name
	}
	return prefix
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
		d.line("var %s %s", value, t.nullType())
		d.into(t, value, true)
		d.line("%s = %s", target, value)
		return
	case t.null && t.pointer():
		d.line("if !s.Null() {")
		d.pointer(&typ{kind: t.kind, name: t.name, shape: t.shape, judge: t.judge, labels: t.labels, free: t.free, elem: t.elem}, target)
		d.line("}")
		return
	case t.null:
		d.line("if s.Null() {")
		d.line("%s = nil", target)
		d.line("} else {")
		defer d.line("}")
	}
	d.judge(t)
	switch t.kind {
	case structKind:
		d.line("%s.decode(s)", target)
	case sliceKind:
		d.slice(t, target)
	case mapKind:
		d.mapping(t, target)
	default:
		d.scalarInto(t, target, false)
	}
}

func (d decoder) slice(t *typ, target string) {
	d.line("%s = %s{}", target, t.goType())
	d.line("for s.List(); s.Element(); {")
	if d.simple(t.elem) {
		d.line("%s = append(%s, %s)", target, target, d.scalar(t.elem))
	} else {
		item := d.used.take("item")
		d.line("var %s %s", item, t.elem.nullType())
		d.into(t.elem, item, true)
		d.line("%s = append(%s, %s)", target, target, item)
	}
	d.line("}")
	d.lengths(t.shape.fewest, t.shape.most, "len("+target+")", "elements")
}

func (d decoder) mapping(t *typ, target string) {
	d.line("%s = %s{}", target, t.goType())
	d.line("for s.Object(); s.Member(); {")
	name := d.used.take("name")
	d.line("%s := string(s.Name())", name)
	d.into(t.elem, target+"["+name+"]", d.simple(t.elem))
	d.line("}")
}

// unkept is the statement that judges a value that nobody keeps.
func (d decoder) unkept(f *field) string {
	if !d.limited(f.typ) && f.typ.judge == nil && !f.typ.null {
		switch f.typ.kind {
		case goString:
			return "s.Text()"
		case intKind, uintKind, wholeKind:
			return "s.Integer()"
		}
	}
	return d.pass(f.typ.shape, d.prefix+exported(f.json), true)
}
