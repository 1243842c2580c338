package event

import (
	"strconv"
	"strings"
	"time"
)

// Time passes a string of format date-time and keeps its offset and fraction.
func (s *Scanner) Time() time.Time {
	text := s.Text()
	if s.err != nil {
		return time.Time{}
	}
	t, ok := readTime(text)
	if !ok {
		s.Refuse("%q is not a date and time like 2026-11-29T12:00:00Z", clip(text))
	}
	return t
}

// AnyTime passes a string and gives the time that it tells, the zero time where
// it tells none: for contracts to which a format is an annotation.
func (s *Scanner) AnyTime() time.Time {
	t, _ := readTime(s.Text())
	return t
}

func readTime(text []byte) (time.Time, bool) {
	var t time.Time
	if t.UnmarshalText(text) == nil { // what nearly all write, without an allocation
		return t, true
	}
	return ParseTime(string(text))
}

// ParseTime reads a date and time as RFC 3339 writes it. A leap second is the
// first moment of the next minute.
func ParseTime(text string) (time.Time, bool) {
	if len(text) > 1024 {
		return time.Time{}, false
	}
	upper := strings.ToUpper(text)
	leap := len(upper) > 19 && upper[17:19] == "60"
	if leap {
		upper = upper[:17] + "59" + upper[19:]
	}
	t, err := time.Parse(time.RFC3339Nano, upper)
	// time.Parse takes a comma before the fraction, RFC 3339 doesn't.
	if err != nil || strings.Contains(upper, ",") {
		return time.Time{}, false
	}
	if leap {
		if u := t.UTC(); u.Hour() != 23 || u.Minute() != 59 {
			return time.Time{}, false
		}
		t = t.Add(time.Second)
	}
	return t, true
}

// formats are the formats of JSON Schema that generated code can assert.
var formats = map[string]func(string) bool{
	"date-time": func(s string) bool { _, ok := ParseTime(s); return ok },
	"date":      isDate,
	"time":      func(s string) bool { _, ok := ParseTime("2000-12-31T" + s); return ok },
	"uuid":      func(s string) bool { return parse(new([16]byte), []byte(s)) == nil },
	"ipv4":      isIPv4,
	"ipv6":      isIPv6,

	"ip-address": isIPv4, // draft 3's word, still read
	"hostname":   isHostname,
	"email":      isEmail,
	"duration":   isDuration,

	"uri": isURI, "iri": isURI,
	"uri-reference": isURIReference, "uriref": isURIReference, "iri-reference": isURIReference,
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// HasFormat reports whether a string is of a format, and whether the format is
// one that can be asserted here.
func HasFormat(text, format string) (is, known bool) {
	check := formats[format]
	if check == nil {
		return false, false
	}
	return check(text), true
}

// ParseVersion reads an aggregate version that travels as text. What is none is
// 0, which means unknown.
func ParseVersion(text string) uint64 {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return v
}
