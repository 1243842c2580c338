// Package codegen turns a contract set into Go: a producer for each event and a
// consumer for each declared consumer. It is pure: no disk, no clock, and an
// output that depends on the set alone.
//
// An event's schema is read into shapes (shape.go), what a reader wants of it is
// a tree of paths (want.go), and both together give Go types (build.go,
// model.go). Types are declared (printtypes.go), read (decode.go, scalar.go) and
// written (encode.go). What one pass over the bytes cannot decide is judged by a
// function of its own (judge.go), and so is what nobody keeps.
//
// Choices that a schema leaves open:
//
//   - number is json.Number, which is exact; integer is int64, or uint64 or
//     json.Number where its bounds ask for more. An integer without bounds is
//     taken to fit int64, and one that doesn't is refused with its place.
//   - A string of format date-time is time.Time where formats are asserted and
//     where it is the event's occurred_at; else it is a string, because the
//     schema then accepts every string.
//   - What is optional or may be null is a pointer; a slice, a map and
//     json.RawMessage are nil instead. Of a value that may be both absent and
//     null, nil is written as absent.
//   - A default stands for an absent value where a consumer reads; a producer
//     writes what it was given.
//   - A value that may be of several kinds is json.RawMessage: it is validated
//     like every other.
package codegen
