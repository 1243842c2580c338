// Package vet finds in Go code what the compiler lets pass and what still breaks
// the promise of one effect a key: a key that is none or that a retry makes
// anew, a call out of a handler that a retry repeats, a transaction that is kept,
// a publication whose failure nobody sees.
//
// It is a pass of go/analysis, so the go command runs it as a vet tool, with its
// cache and with facts that travel from package to package. Generated code is
// known by its shape and never by its names (generated.go). Code is read as a
// tree: which function reaches the network (reach.go), and what a value was made
// from (trace.go). Test files and generated files are read, but nothing is said
// about them.
//
// One rule is one file, rule_<id>.go, and one archive, testdata/<id>.txtar, which
// is its test and the example on its page.
package vet
