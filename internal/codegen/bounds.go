package codegen

import (
	"math/big"
	"strconv"

	"github.com/evcontract/evcontract/internal/source"
)

const (
	minInt64  = "-9223372036854775808"
	maxInt64  = "9223372036854775807"
	maxUint64 = "18446744073709551615"
)

// bound is whichever of two bounds is there.
func bound(inclusive, exclusive string) string {
	if inclusive == "" {
		return exclusive
	}
	return inclusive
}

// within widens nothing: it gives the least and the greatest of the numbers that
// enum and const list, where they list any.
func (s *shape) within(low, high string) (least, greatest string) {
	values := s.enum
	if s.equal != nil {
		values = []*value{s.equal}
	}
	for _, v := range values {
		if v.Kind != source.Number {
			continue
		}
		if least == "" || compare(v.Text, least) < 0 {
			least = v.Text
		}
		if greatest == "" || compare(v.Text, greatest) > 0 {
			greatest = v.Text
		}
	}
	if least == "" {
		return low, high
	}
	return least, greatest
}

// beyond reports whether a bound is there and lies outside a range.
func beyond(n, low, high string) bool {
	return n != "" && (compare(n, low) < 0 || compare(n, high) > 0)
}

// compare compares two JSON numbers, exactly as far as 64-bit integers matter.
// A huge exponent costs nothing.
func compare(a, b string) int { return parseFloat(a).Cmp(parseFloat(b)) }

func parseFloat(literal string) *big.Float {
	f, _, err := big.ParseFloat(literal, 10, 256, big.ToNearestEven)
	if f == nil || err != nil && !f.IsInf() {
		return new(big.Float)
	}
	return f
}

// asInt gives a literal that Go's int64 can hold as it is written.
func asInt(literal string) (string, bool) {
	n, err := strconv.ParseInt(literal, 10, 64)
	return strconv.FormatInt(n, 10), err == nil
}
