package event

import (
	"cmp"
	"strconv"
	"strings"
)

// decimal is a JSON number taken apart: ± digits × 10^exponent, the digits
// without zeros at either end, none for zero. A huge exponent costs nothing.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// maxExponent is far beyond what matters; larger exponents are all alike.
const maxExponent = 1 << 40

func parseDecimal(literal string) decimal {
	var d decimal
	rest, negative := strings.CutPrefix(literal, "-")
	mantissa := rest
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa = rest[:i]
		d.exponent = parseExponent(rest[i+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= int64(len(fraction))
	d.digits = whole + fraction
	for strings.HasSuffix(d.digits, "0") {
		d.digits = d.digits[:len(d.digits)-1]
		d.exponent++
	}
	if d.digits = strings.TrimLeft(d.digits, "0"); d.digits == "" {
		return decimal{}
	}
	d.negative = negative
	return d
}

func parseExponent(text string) int64 {
	e, err := strconv.ParseInt(text, 10, 64)
	if err != nil && strings.HasPrefix(text, "-") {
		return -maxExponent
	}
	if err != nil {
		return maxExponent
	}
	return min(max(e, -maxExponent), maxExponent)
}

func (d decimal) whole() bool { return d.digits == "" || d.exponent >= 0 }

// integer writes a whole number in plain digits. One of more than 30 digits is
// cut short: it is too large for every caller.
func (d decimal) integer() string {
	if d.digits == "" {
		return "0"
	}
	text := d.digits + strings.Repeat("0", int(min(d.exponent, 30)))
	if d.negative {
		return "-" + text
	}
	return text
}

func (d decimal) compare(e decimal) int {
	if c := cmp.Compare(d.sign(), e.sign()); c != 0 || d.digits == "" {
		return c
	}
	c := cmp.Compare(d.exponent+int64(len(d.digits)), e.exponent+int64(len(e.digits)))
	if c == 0 {
		c = strings.Compare(d.digits, e.digits) // no zeros at the end: the longer one is the larger
	}
	return c * d.sign()
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// append writes the number so that equal numbers are equal texts.
func (d decimal) append(b []byte) []byte {
	if d.negative {
		b = append(b, '-')
	}
	if d.digits == "" {
		return append(b, '0')
	}
	return strconv.AppendInt(append(append(b, d.digits...), 'e'), d.exponent, 10)
}

// align gives two numbers as integers of one unit, where both are short and
// have no exponent: the usual case, without an allocation.
func align(a, b string) (x, y int64, ok bool) {
	x, decimalsX, ok := short(a)
	if !ok {
		return 0, 0, false
	}
	y, decimalsY, ok := short(b)
	for ok && decimalsX < decimalsY {
		ok = x < 1<<59 && x > -1<<59
		x, decimalsX = x*10, decimalsX+1
	}
	for ok && decimalsY < decimalsX {
		ok = y < 1<<59 && y > -1<<59
		y, decimalsY = y*10, decimalsY+1
	}
	return x, y, ok
}

// short reads a number of at most 17 digits without an exponent.
func short(literal string) (digits int64, decimals int, ok bool) {
	if literal == "" || len(literal) > 18 {
		return 0, 0, false
	}
	point, negative := false, false
	for i := range len(literal) {
		switch c := literal[i]; {
		case c-'0' < 10:
			digits = digits*10 + int64(c-'0')
			if point {
				decimals++
			}
		case c == '-':
			negative = true
		case c == '.':
			point = true
		default:
			return 0, 0, false
		}
	}
	if negative {
		digits = -digits
	}
	return digits, decimals, true
}
