package codegen

import (
	"strconv"

	"github.com/evcontract/evcontract/event"
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

// beyond reports whether a bound is there and lies outside a range.
func beyond(n, low, high string) bool {
	return n != "" && (event.CompareNumbers(n, low) < 0 || event.CompareNumbers(n, high) > 0)
}

// asInt gives a literal that Go's int64 can hold as it is written.
func asInt(literal string) (string, bool) {
	n, err := strconv.ParseInt(literal, 10, 64)
	return strconv.FormatInt(n, 10), err == nil
}
