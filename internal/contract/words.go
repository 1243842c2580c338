package contract

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The closed vocabularies of the manifests. Each reads itself and names what is
// allowed when it cannot.
type (
	Status        string // of a contract
	Encoding      string // of a payload on its channel
	Audience      string // who may read
	Treatment     string // of what a reader does not know
	Order         string // that a consumer's state needs
	Writers       string // whether producers emit only declared fields
	Formats       string // what a JSON Schema format means
	Compatibility string // what check demands
	Optional      string // what Go has for a value that may be absent
	Integer       string // what Go has for an integer without bounds
	Base64        string // what Go has for text that stands for bytes
	Unknown       string // what Go does with members that a contract doesn't name
)

const (
	Draft      Status = "draft" // not gated
	Stable     Status = "stable"
	Deprecated Status = "deprecated"
	Retired    Status = "retired" // may be removed

	JSON     Encoding = "json"
	Protobuf Encoding = "protobuf"

	OpenAudience   Audience = "open"   // also judged for a reader nobody declared
	ClosedAudience Audience = "closed" // only declared consumers

	Ignore Treatment = "ignore"
	Reject Treatment = "reject"

	AnyOrder   Order = "any"
	Latest     Order = "latest"
	Contiguous Order = "contiguous"

	ClosedWriters Writers = "closed"
	OpenWriters   Writers = "open"

	Annotate Formats = "annotate"
	Assert   Formats = "assert"

	Forward  Compatibility = "forward"
	Backward Compatibility = "backward"
	Full     Compatibility = "full"
	None     Compatibility = "none"

	PointerOptional Optional = "pointer"
	StructOptional  Optional = "struct" // event.Optional

	Int64Integer Integer = "int64"
	ExactInteger Integer = "exact" // json.Number

	TextBase64  Base64 = "text"  // event.Base64
	BytesBase64 Base64 = "bytes" // []byte

	DropUnknown Unknown = "drop"
	KeepUnknown Unknown = "keep" // in a field of their own
)

// choose reads one word of a vocabulary.
func choose[T ~string](into *T, text []byte, words ...T) error {
	for _, w := range words {
		if string(w) == string(text) {
			*into = w
			return nil
		}
	}
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	last := len(names) - 1
	return fmt.Errorf("%q is not known here: want %s or %s", text, strings.Join(names[:last], ", "), names[last])
}

func (s *Status) UnmarshalText(t []byte) error {
	return choose(s, t, Draft, Stable, Deprecated, Retired)
}
func (e *Encoding) UnmarshalText(t []byte) error { return choose(e, t, JSON, Protobuf) }
func (a *Audience) UnmarshalText(t []byte) error {
	return choose(a, t, OpenAudience, ClosedAudience)
}
func (k *Treatment) UnmarshalText(t []byte) error { return choose(k, t, Ignore, Reject) }
func (o *Order) UnmarshalText(t []byte) error     { return choose(o, t, AnyOrder, Latest, Contiguous) }
func (w *Writers) UnmarshalText(t []byte) error   { return choose(w, t, ClosedWriters, OpenWriters) }
func (f *Formats) UnmarshalText(t []byte) error   { return choose(f, t, Annotate, Assert) }
func (o *Optional) UnmarshalText(t []byte) error {
	return choose(o, t, PointerOptional, StructOptional)
}
func (i *Integer) UnmarshalText(t []byte) error { return choose(i, t, Int64Integer, ExactInteger) }
func (b *Base64) UnmarshalText(t []byte) error  { return choose(b, t, TextBase64, BytesBase64) }
func (u *Unknown) UnmarshalText(t []byte) error { return choose(u, t, DropUnknown, KeepUnknown) }
func (c *Compatibility) UnmarshalText(t []byte) error {
	return choose(c, t, Forward, Backward, Full, None)
}

// Duration is a time.Duration that a manifest may also write in days: 30d, 72h, 1s.
type Duration time.Duration

// UnmarshalText reads Go's durations and whole or broken days.
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n >= 0 && n <= 100_000) { // so that NaN is refused as well
			return fmt.Errorf("%q is not a duration: write 30d, 72h, 5m or 1s", s)
		}
		*d = Duration(n * 24 * float64(time.Hour))
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration: write 30d, 72h, 5m or 1s", s)
	}
	*d = Duration(v)
	return nil
}

// String writes whole days as days.
func (d Duration) String() string {
	const day = 24 * time.Hour
	if v := time.Duration(d); v > 0 && v%day == 0 {
		return strconv.Itoa(int(v/day)) + "d"
	}
	return time.Duration(d).String()
}

// Day is a date without a time: 2027-01-31.
type Day time.Time

// UnmarshalText reads YYYY-MM-DD.
func (d *Day) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a day: write it as 2027-01-31", text)
	}
	*d = Day(t)
	return nil
}

func (d Day) String() string { return time.Time(d).Format(time.DateOnly) }
