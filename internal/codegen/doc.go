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
// The choices that a schema leaves open are in docs/generated-code.md.
package codegen
