// Package jsonschema reads a JSON Schema, in JSON or YAML, of the drafts 4, 6,
// 7, 2019-09 and 2020-12, as a contract.Schema.
//
//	Load     a reference to a file, or to a subschema in it, to a Schema
//	Schema   answers contract's questions: fields, digest, validity
//	Ref      a cursor on one subschema, for those who walk the schema themselves
//	Problem  what is wrong with the schema although it can be read
//
// References are followed across the files of the tree and never out of it: a
// remote one is a Problem that says how to bring the schema in. A schema with
// such a hole is still a Schema; only what needs the hole fails.
package jsonschema
