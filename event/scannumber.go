package event

import (
	"bytes"
	"cmp"
	"math/big"
	"strconv"
)

// Number passes a number and gives its literal, so that its precision is kept.
func (s *Scanner) Number() string {
	if !s.want(NumberKind) {
		return ""
	}
	n := s.number()
	return s.cut(s.at-len(n), s.at)
}

// Int passes an integer. 1.0 and 1e2 are integers; one that int64 cannot hold
// is refused.
func (s *Scanner) Int() int64 {
	if v, ok := s.plainInt(); ok {
		return v
	}
	n, digits := s.integer()
	if s.err != nil {
		return 0
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		s.Refuse("%s does not fit a signed 64-bit integer", clip(n))
		return 0
	}
	return v
}

// plainInt passes an integer of a few plain digits, which nearly all are.
func (s *Scanner) plainInt() (v int64, ok bool) {
	c := s.space()
	from := s.at
	at, negative := from, c == '-'
	if negative {
		at++
	}
	first := at
	for at < len(s.data) && s.data[at]-'0' < 10 {
		v = v*10 + int64(s.data[at]-'0')
		if at++; at-first > 18 {
			return 0, false
		}
	}
	end := s.byteAt(at)
	if at == first || s.data[first] == '0' && at-first > 1 || end == '.' || end == 'e' || end == 'E' {
		return 0, false
	}
	s.at = at
	if negative {
		v = -v
	}
	return v, true
}

// Uint passes an integer that is not negative; one that uint64 cannot hold is
// refused.
func (s *Scanner) Uint() uint64 {
	n, digits := s.integer()
	if s.err != nil {
		return 0
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		s.Refuse("%s does not fit an unsigned 64-bit integer", clip(n))
		return 0
	}
	return v
}

// Integer passes an integer of any size and gives its literal.
func (s *Scanner) Integer() string {
	n, _ := s.integer()
	return s.cut(s.at-len(n), s.at)
}

// integer passes an integer and gives its literal and, unless it is absurdly
// long, its digits.
func (s *Scanner) integer() (literal []byte, digits string) {
	if !s.want(NumberKind) {
		return nil, ""
	}
	n := s.number()
	if s.err != nil {
		return nil, ""
	}
	if bytes.IndexByte(n, '.') < 0 && bytes.IndexByte(n, 'e') < 0 && bytes.IndexByte(n, 'E') < 0 {
		return n, minusZero(s.cut(s.at-len(n), s.at))
	}
	d := parseDecimal(string(n))
	if !d.whole() {
		s.Refuse("want an integer, not %s", clip(n))
		return nil, ""
	}
	return n, d.integer()
}

// minusZero makes -0 what ParseUint takes.
func minusZero(digits string) string {
	if digits == "-0" {
		return "0"
	}
	return digits
}

// number passes the number that starts here.
func (s *Scanner) number() []byte {
	from := s.at
	s.accept('-')
	zero := s.byteAt(s.at) == '0'
	n := s.digits()
	ok := n == 1 || n > 1 && !zero
	if s.accept('.') {
		ok = s.digits() > 0 && ok
	}
	if s.accept('e') || s.accept('E') {
		if !s.accept('-') {
			s.accept('+')
		}
		ok = s.digits() > 0 && ok
	}
	text := s.data[from:s.at]
	if !ok {
		s.Refuse("not JSON: %q is not a number", clip(text))
		return nil
	}
	return text
}

func (s *Scanner) byteAt(i int) byte {
	if i < len(s.data) {
		return s.data[i]
	}
	return 0
}

func (s *Scanner) accept(c byte) bool {
	if s.byteAt(s.at) != c {
		return false
	}
	s.at++
	return true
}

func (s *Scanner) digits() int {
	from := s.at
	for s.at < len(s.data) && s.data[s.at]-'0' < 10 {
		s.at++
	}
	return s.at - from
}

// CompareNumbers compares two JSON numbers exactly, whatever their size.
func CompareNumbers(a, b string) int {
	if x, y, ok := align(a, b); ok {
		return cmp.Compare(x, y)
	}
	return parseDecimal(a).compare(parseDecimal(b))
}

// IsMultiple reports whether one JSON number is a whole multiple of another.
func IsMultiple(number, of string) bool {
	if x, y, ok := align(number, of); ok && y != 0 {
		return x%y == 0
	}
	n, m := parseDecimal(number), parseDecimal(of)
	if n.digits == "" || m.digits == "" {
		return n.digits == ""
	}
	divisor, _ := new(big.Int).SetString(m.digits, 10)
	value, _ := new(big.Int).SetString(n.digits, 10)
	shift := n.exponent - m.exponent
	if shift < 0 { // n has more decimals: its digits must be a multiple of m × 10^-shift
		if -shift > int64(len(n.digits)) {
			return false
		}
		divisor.Mul(divisor, new(big.Int).Exp(big.NewInt(10), big.NewInt(-shift), nil))
		return value.Mod(value, divisor).Sign() == 0
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), divisor)
	return value.Mul(value, power).Mod(value, divisor).Sign() == 0
}
