// Package source reads what users write: it opens a tree of files (a directory,
// one file, a git ref without a checkout, an archive), and it parses YAML and
// JSON into nodes that know their file, line and column.
//
//	Open       a ref, as it is given on the command line, to a Tree
//	Parse      a file's bytes to a Node; ParseJSON and ParseYAML where the format is known
//	Decode     a Node to a struct, strictly: nothing unknown, nothing coerced
//	WriteFiles several files at once, each whole or not at all
//
// What is wrong with a user's file is never one error but a list of Errors with
// places; an error value is kept for what could not be done at all (no such ref,
// a file that cannot be read). Bytes come from strangers: sizes, depths, numbers
// of values and of archive entries are limited, and every limit names itself.
package source
