package jsonschema

import (
	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Options says how a schema is read. The zero value takes formats for
// annotations.
type Options struct {
	AssertFormats bool              // a value that is not of its format is invalid
	Vendored      map[string]string // URLs whose documents are files of the tree, by URL
}

// Schema is a JSON Schema and everything it refers to.
type Schema struct {
	ref      string
	options  Options
	root     Ref
	closure  *closure
	compiled *contain.Schema
	digest   func() string
	fields   func() []contract.Field
}

var _ contract.Schema = (*Schema)(nil)

// Load reads the schema that a reference names: a file of the tree, and perhaps
// a subschema of it, by JSON pointer, by anchor, or by the name of a definition:
//
//	order_paid.v1.schema.json    orders.yaml#/$defs/OrderPaid    orders.yaml#OrderPaid
//
// There are errors, and no Schema, only where the file or the subschema itself
// cannot be read; everything else that is wrong is one of the schema's Problems.
func Load(tree *source.Tree, ref string, o Options) (*Schema, []*source.Error) {
	return NewLoader(tree, o).Load(ref)
}

// Format is always contract.JSONSchemaFormat.
func (s *Schema) Format() contract.Format { return contract.JSONSchemaFormat }

// Root is the reference that the schema was loaded by.
func (s *Schema) Root() string { return s.ref }

// Draft is the draft that the root's file is written in: 4, 6, 7, 2019-09 or 2020-12.
func (s *Schema) Draft() string { return s.closure.of(s.root).draft.String() }

// Files lists the files that the schema is made of, the root's first.
func (s *Schema) Files() []string { return s.closure.order }

// Digest is a hash over what the schema says to a validator: it doesn't change
// with titles, descriptions, examples, the order of keys, the names of files
// and definitions, and definitions that nothing refers to.
func (s *Schema) Digest() string { return s.digest() }

// Same reports whether another schema says the same to a validator, by its
// digest and by how formats are taken.
func (s *Schema) Same(other *Schema) bool {
	return s.options.AssertFormats == other.options.AssertFormats && s.Digest() == other.Digest()
}

// AssertsFormats reports whether a value that is not of its format is invalid.
func (s *Schema) AssertsFormats() bool { return s.options.AssertFormats }

// Fields lists every field below the root in the order of the schema.
func (s *Schema) Fields() []contract.Field { return s.fields() }
