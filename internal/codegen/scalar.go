package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// scalar is the expression that passes a value and gives it.
func (d decoder) scalar(t *typ) string {
	switch t.kind {
	case goString:
		return d.chosen(t)
	case textKind, enumKind:
		return t.name + "(" + d.chosen(t) + ")"
	case timeKind:
		if !t.shape.assert {
			return "s.AnyTime()"
		}
		return "s.Time()"
	case intKind:
		return "s.Int()"
	case uintKind:
		return "s.Uint()"
	case bytesKind:
		return "s.Base64()"
	case decimalKind:
		if t.name != "" {
			return "event.NumberAs[" + t.name + "](s)"
		}
		return "json.Number(s.Number())"
	case wholeKind:
		return "json.Number(s.Integer())"
	case goBool:
		return "s.Bool()"
	case unionKind:
		return t.read + "(s)"
	}
	return "json.RawMessage(bytes.Clone(s.Raw()))"
}

// chosen passes a string, which must be one of those that enum or const lists.
func (d decoder) chosen(t *typ) string {
	values := t.shape.enum
	if t.shape.equal != nil {
		values = []*value{t.shape.equal}
	}
	if d.loose || values == nil {
		return "s.String()"
	}
	var list []string
	for _, v := range values {
		if v.Kind == source.String {
			list = append(list, quote(v.Text))
		}
	}
	return "s.Pick(" + strings.Join(list, ", ") + ")"
}

// limited reports whether a scalar must be looked at after it was read.
func (d decoder) limited(t *typ) bool {
	s := t.shape
	switch t.kind {
	case goString:
		return !d.loose && s.textual()
	case textKind, enumKind:
		return s.textual()
	case intKind, uintKind, decimalKind, wholeKind:
		return !d.loose && (s.numeric() || t.listed != nil) && t.judge == nil
	}
	return false
}

// scalarInto reads a scalar and holds it against its limits.
func (d decoder) scalarInto(t *typ, target string, declare bool) {
	assign := "="
	if declare {
		assign = ":="
	}
	d.line("%s %s %s", target, assign, d.scalar(t))
	if !d.limited(t) {
		return
	}
	s := t.shape
	switch t.kind {
	case goString:
		d.textLimits(s, target)
	case textKind, enumKind:
		d.textLimits(s, "string("+target+")")
	case intKind, uintKind:
		d.integerLimits(t, target)
	case decimalKind, wholeKind:
		d.numberLimits(s, "string("+target+")")
	}
}

// verbatim makes a text mean itself in a format.
func verbatim(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// orList names what is allowed: want card, transfer or wallet.
func orList(texts []string) string {
	const most = 12
	more := ""
	if len(texts) > most {
		more = fmt.Sprintf(" or one of %d more", len(texts)-most)
		texts = texts[:most]
	}
	texts = slices.Clone(texts)
	for i, t := range texts {
		texts[i] = verbatim(t)
	}
	last := len(texts) - 1
	if more != "" || last == 0 {
		return "want " + strings.Join(texts, ", ") + more
	}
	return "want " + strings.Join(texts[:last], ", ") + " or " + texts[last]
}

func (d decoder) refuse(format string, args ...string) {
	d.line("s.Refuse(%s)", strings.Join(append([]string{literal(format)}, args...), ", "))
}

func (d decoder) textLimits(s *shape, x string) {
	if s.shortest == 1 && s.longest < 0 {
		d.line("if %s == \"\" {", x)
		d.refuse("want at least 1 character, not 0")
		d.line("}")
	} else {
		d.lengths(s.shortest, s.longest, "event.RuneCount("+x+")", "characters")
	}
	if s.pattern != "" {
		d.line("if !%s.MatchString(%s) {", d.pattern(s.pattern), x)
		d.refuse("%.40q does not match "+verbatim(s.pattern), x)
		d.line("}")
	}
	if s.assert {
		d.line("if ok, _ := event.HasFormat(%s, %s); !ok {", x, quote(s.format))
		d.refuse("%.40q is no "+s.format, x)
		d.line("}")
	}
}

// lengths holds a count against its limits. One that stands in n needs no
// variable.
func (d decoder) lengths(fewest, most int, count, of string) {
	declare := "n := " + count + "; "
	if count == "n" {
		declare = ""
	}
	switch {
	case fewest == most:
		d.line("if %sn != %d {", declare, fewest)
		d.refuse("want "+plural(fewest, of)+", not %d", "n")
	case fewest > 0 && most >= 0:
		d.line("if %sn < %d || n > %d {", declare, fewest, most)
		d.refuse(fmt.Sprintf("want %d to %d %s, not %%d", fewest, most, of), "n")
	case fewest > 0:
		d.line("if %sn < %d {", declare, fewest)
		d.refuse("want at least "+plural(fewest, of)+", not %d", "n")
	case most >= 0:
		d.line("if %sn > %d {", declare, most)
		d.refuse("want at most "+plural(most, of)+", not %d", "n")
	default:
		return
	}
	d.line("}")
}

func plural(n int, of string) string {
	if n == 1 {
		of = strings.TrimSuffix(of, "s")
	}
	return fmt.Sprintf("%d %s", n, of)
}

// comparisons are the bounds of a number: what refuses it, and what is wanted.
func comparisons(s *shape) []struct{ operator, bound, want string } {
	var list []struct{ operator, bound, want string }
	for _, c := range []struct{ operator, bound, want string }{
		{"<", s.low, "at least"}, {">", s.high, "at most"}, {"<=", s.above, "more than"}, {">=", s.below, "less than"},
	} {
		if c.bound != "" {
			list = append(list, c)
		}
	}
	return list
}

func (d decoder) integerLimits(t *typ, x string) {
	s := t.shape
	if t.listed != nil {
		d.line("switch %s {", x)
		d.line("case %s:", strings.Join(t.listed, ", "))
		d.line("default:")
		d.refuse(orList(t.listed)+", not %d", x)
		d.line("}")
	}
	text := asText(x, t.goType())
	low, ok := asInt(s.low)
	if high, also := asInt(s.high); ok && also && s.above == "" && s.below == "" {
		d.line("if %s < %s || %s > %s {", x, low, x, high)
		d.refuse("want "+low+" to "+high+", not %d", x)
		d.line("}")
		d.multiples(s, text)
		return
	}
	for _, c := range comparisons(s) {
		if t.kind == uintKind && (c.operator == "<" && c.bound == "0" || c.operator == ">" && c.bound == maxUint64) {
			continue // the type says so
		}
		if n, ok := asInt(c.bound); ok {
			if n == "-9223372036854775808" && c.operator == "<" || n == "9223372036854775807" && c.operator == ">" {
				continue // the type says so
			}
			d.line("if %s %s %s {", x, c.operator, n)
		} else {
			d.line("if event.CompareNumbers(%s, %s) %s 0 {", text, quote(c.bound), c.operator)
		}
		d.refuse("want "+c.want+" "+c.bound+", not %d", x)
		d.line("}")
	}
	d.multiples(s, text)
}

func (d decoder) numberLimits(s *shape, x string) {
	for _, c := range comparisons(s) {
		d.line("if event.CompareNumbers(%s, %s) %s 0 {", x, quote(c.bound), c.operator)
		d.refuse("want "+c.want+" "+c.bound+", not %s", x)
		d.line("}")
	}
	d.multiples(s, x)
}

func (d decoder) multiples(s *shape, text string) {
	if s.step == "" {
		return
	}
	d.line("if !event.IsMultiple(%s, %s) {", text, quote(s.step))
	d.refuse("%s is not a multiple of "+s.step, text)
	d.line("}")
}

// pattern gives the variable of a regular expression.
func (b *builder) pattern(text string) string {
	for _, p := range b.patterns {
		if p.text == text {
			return p.name
		}
	}
	name := b.names.take(unexported(b.prefix) + "Pattern")
	b.patterns = append(b.patterns, pattern{name, text})
	return name
}
