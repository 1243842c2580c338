// Package protobuf reads a .proto file as a contract.Schema.
//
//	Load       a ref, FILE#MESSAGE, to the schema of one event
//	Messages   the top-level messages of a file, for bare mode
//	Loader     both, for many refs of one tree: a file is compiled once
//
// Where schemas are only compared, most files are described in one pass over their
// tokens (quick.go) and the compilers see the rest.
//
// Files are compiled without source info. Places and comments are computed for
// a file when somebody asks for one, which is seldom: only what has findings is
// shown.
package protobuf
