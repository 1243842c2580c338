package codegen

import "github.com/evcontract/evcontract/internal/source"

// encoder prints how the types of one builder are written.
type encoder struct {
	*printer
	*builder
	used names
}

// printEncoders writes an append method for every struct that is kept, and a
// function for every union.
func (e encoder) printEncoders() {
	for _, t := range e.types {
		switch t.kind {
		case structKind:
			e.structure(t)
		case unionKind:
			e.union(t)
		}
	}
}

// structure writes each member after a comma; the first comma becomes the
// brace, so that no member needs to know whether one was written before it.
func (e encoder) structure(t *typ) {
	e.used = names{}
	e.line("")
	if t.alters {
		e.comment("append writes the value as JSON. Without whole it leaves out what a retry may change.")
		e.line("func (v *%s) append(b []byte, whole bool) []byte {", t.name)
	} else {
		e.line("func (v *%s) append(b []byte) []byte {", t.name)
	}
	if t.tuple {
		e.tuple(t)
		return
	}
	if !t.inline {
		e.line("start := len(b)")
	}
	for _, f := range t.fields {
		e.member(f)
	}
	if t.extra != nil {
		e.more(t)
	}
	if t.keeps {
		e.line("b = event.AppendMembers(b, v.Unknown)")
	}
	if t.inline {
		e.line("return b")
	} else {
		e.line("return event.EndObject(b, start)")
	}
	e.line("}")
}

func (e encoder) member(f *field) {
	if f.role.changes() {
		e.line("if whole {")
		defer e.line("}")
	}
	x := "v." + f.name
	switch {
	case f.inline:
		e.value(f.typ, x)
	case f.constant != "":
		e.line("b = append(b, %s...)", literal(","+jsonString(f.json)+":"+f.constant))
	case f.required && f.optional(), f.required && f.typ.null && !f.typ.pointer():
		e.label(f)
		if f.wrapped() {
			e.line("if !%s.Set {", x)
		} else {
			e.line("if %s == nil {", x)
		}
		e.line("b = append(b, \"null\"...)")
		e.line("} else {")
		e.value(f.typ, deref(f, x))
		e.line("}")
	case f.required:
		e.label(f)
		e.value(f.typ, x)
	default:
		e.line("if %s {", f.isThere())
		e.label(f)
		e.value(f.typ, deref(f, x))
		e.line("}")
	}
}

func jsonString(text string) string {
	return string((&source.Node{Kind: source.String, Text: text}).JSON())
}

// deref is what a pointer points to; methods need none.
func deref(f *field, x string) string {
	if f.wrapped() {
		return x + ".Value"
	}
	if f.typ.pointer() && f.typ.kind != structKind {
		return "*" + x
	}
	return x
}

func (e encoder) label(f *field) {
	e.line("b = append(b, %s...)", literal(","+jsonString(f.json)+":"))
}

// value writes one value; x is its expression.
func (e encoder) value(t *typ, x string) {
	switch t.kind {
	case goString:
		e.line("b = event.AppendJSON(b, %s)", x)
	case textKind, enumKind:
		e.line("b = event.AppendJSON(b, string(%s))", x)
	case timeKind:
		e.line("b = event.AppendTime(b, %s)", x)
	case intKind:
		e.line("b = strconv.AppendInt(b, %s, 10)", x)
	case uintKind:
		e.line("b = strconv.AppendUint(b, %s, 10)", x)
	case bytesKind:
		e.line("b = event.AppendBase64(b, %s)", x)
	case goBool:
		e.line("b = strconv.AppendBool(b, %s)", x)
	case decimalKind:
		if t.name != "" {
			e.line("b = event.AppendNumber(b, %s)", x)
		} else {
			e.line("b = event.AppendRaw(b, %s)", x)
		}
	case sliceKind:
		e.slice(t, x)
	case mapKind:
		e.mapping(t, x)
	case structKind:
		e.line("b = %s.append(b%s)", x, t.passWhole())
	case unionKind:
		e.line("b = %s(b, %s%s)", t.write, x, t.passWhole())
	default:
		e.line("b = event.AppendRaw(b, %s)", x)
	}
}

// passWhole hands on whether what a retry may change is written too.
func (t *typ) passWhole() string {
	if t.alters {
		return ", whole"
	}
	return ""
}

// element writes a value that may be null.
func (e encoder) element(t *typ, x string) {
	if !t.null {
		e.value(t, x)
		return
	}
	e.line("if %s == nil {", x)
	e.line("b = append(b, \"null\"...)")
	e.line("} else {")
	if t.pointer() && t.kind != structKind {
		x = "*" + x
	}
	e.value(t, x)
	e.line("}")
}

func (e encoder) slice(t *typ, x string) {
	item, i := e.used.take("item"), e.used.take("i")
	e.line("b = append(b, '[')")
	e.line("for %s, %s := range %s {", i, item, x)
	e.line("if %s > 0 {", i)
	e.line("b = append(b, ',')")
	e.line("}")
	e.element(t.elem, item)
	e.line("}")
	e.line("b = append(b, ']')")
}

func (e encoder) mapping(t *typ, x string) {
	name, i := e.used.take("name"), e.used.take("i")
	e.line("b = append(b, '{')")
	e.line("for %s, %s := range slices.Sorted(maps.Keys(%s)) {", i, name, x)
	e.line("if %s > 0 {", i)
	e.line("b = append(b, ',')")
	e.line("}")
	e.line("b = append(event.AppendJSON(b, %s), ':')", name)
	e.entry(t.elem, x+"["+name+"]")
	e.line("}")
	e.line("b = append(b, '}')")
}

// entry writes a map's value, which has no address for a method to be called on.
func (e encoder) entry(t *typ, x string) {
	if t.kind == structKind && !t.null {
		value := e.used.take("value")
		e.line("%s := %s", value, x)
		x = value
	}
	e.element(t, x)
}

func (e encoder) more(t *typ) {
	name := e.used.take("name")
	e.line("for _, %s := range slices.Sorted(maps.Keys(v.More)) {", name)
	e.line("b = append(event.AppendJSON(append(b, ','), %s), ':')", name)
	e.entry(t.extra, "v.More["+name+"]")
	e.line("}")
}
