package contain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// pattern is a regular expression of a schema, already in RE2 syntax.
type pattern struct {
	text string
	re   *regexp.Regexp
}

// Unsupported says which construct of an ECMA-262 pattern RE2 has no match for.
type Unsupported struct{ Pattern, Construct string }

func (u *Unsupported) Error() string {
	return fmt.Sprintf("the pattern %q uses %s, which is not regular", u.Pattern, u.Construct)
}

const (
	spaceRanges    = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	notSpaceRanges = `\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	anyButNewline  = `[^\n\r\x{2028}\x{2029}]`
)

// longProperties are the long names of Unicode general categories that RE2 knows by their short ones.
var longProperties = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Number": "N", "Decimal_Number": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "Symbol": "S", "Separator": "Z", "Space_Separator": "Zs", "Other": "C", "Control": "Cc",
	"digit": "Nd",
}

// RE2 rewrites an ECMA-262 pattern so that Go's regexp reads it with the same
// meaning. Lookahead at the start of an anchored pattern is folded into it; other
// lookaround and back-references come back as *Unsupported.
func RE2(ecma string) (string, error) {
	r := rewriter{in: ecma}
	err := r.run()
	out := r.out.String()
	if err != nil {
		regular, ok := lookahead(ecma)
		if !ok {
			return "", err
		}
		out = regular
	}
	if _, err := regexp.Compile(out); err != nil {
		if strings.Contains(err.Error(), "repeat") {
			return "", &Unsupported{ecma, "a large count"}
		}
		return "", fmt.Errorf("the pattern %q does not compile: %w", ecma, err)
	}
	return out, nil
}

type rewriter struct {
	in     string
	pos    int
	out    strings.Builder
	atom   int   // where in out the part starts that a count would repeat
	groups []int // the same for every open group
}

func (r *rewriter) run() error {
	for r.pos < len(r.in) {
		var err error
		done := false
		start := r.out.Len()
		switch r.in[r.pos] {
		case '{':
			if done, err = r.repeat(); !done {
				r.put("{", 1)
			}
		case '\\':
			r.atom = start
			err = r.escape(false)
		case '[':
			r.atom = start
			err = r.class()
		case '.':
			r.atom = start
			r.put(anyButNewline, 1)
		case '(':
			r.groups = append(r.groups, start)
			err = r.group()
		case ')':
			r.close()
		default:
			if utf8.RuneStart(r.in[r.pos]) {
				r.atom = start
			}
			r.put(r.in[r.pos:r.pos+1], 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriter) close() {
	if n := len(r.groups); n > 0 {
		r.atom, r.groups = r.groups[n-1], r.groups[:n-1]
	}
	r.put(")", 1)
}

func (r *rewriter) put(s string, skip int) {
	r.out.WriteString(s)
	r.pos += skip
}

func (r *rewriter) group() error {
	if isLookaround(r.in[r.pos:]) {
		return &Unsupported{r.in, "lookaround"}
	}
	r.put("(", 1)
	return nil
}

func isLookaround(s string) bool {
	for _, p := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func (r *rewriter) class() error {
	r.put("", 1)
	negated := strings.HasPrefix(r.in[r.pos:], "^")
	if negated {
		r.pos++
	}
	if strings.HasPrefix(r.in[r.pos:], "]") {
		r.pos++
		if negated {
			r.out.WriteString(`[\x00-\x{10ffff}]`)
		} else {
			r.out.WriteString(`[^\x00-\x{10ffff}]`)
		}
		return nil
	}
	r.out.WriteByte('[')
	if negated {
		r.out.WriteByte('^')
	}
	set := false // the last one was a set, which begins no range
	for r.pos < len(r.in) {
		was := set
		set = setEscape(r.in[r.pos:])
		switch r.in[r.pos] {
		case ']':
			r.put("]", 1)
			return nil
		case '-':
			if was && !strings.HasPrefix(r.in[r.pos:], "-]") || setEscape(r.in[r.pos+1:]) {
				r.put(`\-`, 1)
				continue
			}
			r.put("-", 1)
		case '\\':
			if err := r.escape(true); err != nil {
				return err
			}
		case '[':
			r.put(`\[`, 1)
		default:
			r.put(r.in[r.pos:r.pos+1], 1)
		}
	}
	return fmt.Errorf("the pattern %q has a class without an end", r.in)
}

// setEscape says that a class goes on with an escape for a set of characters.
func setEscape(s string) bool {
	return len(s) > 1 && s[0] == '\\' && strings.IndexByte("sSdDwWpP", s[1]) >= 0
}

func (r *rewriter) escape(inClass bool) error {
	if r.pos+1 >= len(r.in) {
		return fmt.Errorf("the pattern %q ends in a backslash", r.in)
	}
	c := r.in[r.pos+1]
	switch {
	case c == 's' && inClass:
		r.put(spaceRanges, 2)
	case c == 's':
		r.put("["+spaceRanges+"]", 2)
	case c == 'S' && inClass:
		r.put(notSpaceRanges, 2)
	case c == 'S':
		r.put("[^"+spaceRanges+"]", 2)
	case strings.IndexByte("dDwWtnvfr", c) >= 0:
		r.put(r.in[r.pos:r.pos+2], 2)
	case c == 'b' && inClass:
		r.put(`\x08`, 2)
	case c == 'b' || c == 'B':
		r.put(r.in[r.pos:r.pos+2], 2)
	case c >= '1' && c <= '9':
		return &Unsupported{r.in, "a back-reference"}
	case c == 'k' && strings.HasPrefix(r.in[r.pos+2:], "<"):
		return &Unsupported{r.in, "a back-reference"}
	case c == '0':
		r.put(`\x00`, 2)
	case c == 'c' && r.pos+2 < len(r.in):
		r.put(fmt.Sprintf(`\x%02x`, r.in[r.pos+2]&31), 3)
	case c == 'x':
		return r.hex(2)
	case c == 'u':
		return r.hex(4)
	case c == 'p' || c == 'P':
		return r.property(inClass)
	case c < 0x80 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'):
		r.put(string(c), 2)
	case c < 0x80:
		r.put(`\`+string(c), 2)
	default:
		r.pos++
	}
	return nil
}

func (r *rewriter) hex(digits int) error {
	c := r.in[r.pos+1]
	body := r.in[r.pos+2:]
	if c == 'u' && strings.HasPrefix(body, "{") {
		if end := strings.IndexByte(body, '}'); end > 0 {
			r.put(`\x{`+body[1:end]+`}`, 3+end)
			return nil
		}
	}
	v, ok := hexValue(body, digits)
	if !ok {
		r.put(string(c), 2)
		return nil
	}
	r.pos += 2 + digits
	if utf16.IsSurrogate(rune(v)) {
		low, ok := hexValue(strings.TrimPrefix(r.in[r.pos:], `\u`), 4)
		joined := utf16.DecodeRune(rune(v), rune(low))
		if !ok || !strings.HasPrefix(r.in[r.pos:], `\u`) || joined == 0xFFFD {
			return &Unsupported{r.in, "half a surrogate pair"}
		}
		v = uint64(joined)
		r.pos += 6
	}
	fmt.Fprintf(&r.out, `\x{%x}`, v)
	return nil
}

func hexValue(s string, digits int) (uint64, bool) {
	if len(s) < digits {
		return 0, false
	}
	v, err := strconv.ParseUint(s[:digits], 16, 32)
	return v, err == nil
}
