package contract

import "github.com/evcontract/evcontract/internal/source"

// Format is the language a schema is written in.
type Format string

const (
	JSONSchemaFormat Format = "jsonschema"
	ProtobufFormat   Format = "protobuf"
)

// Schema is an event's payload schema, in whichever format: what lint, diff and
// the catalogue ask of it. How two schemas relate is compat's question, which
// knows the formats. A Schema is immutable and safe for concurrent use.
type Schema interface {
	Format() Format
	Pos() source.Pos // of the root: the file, and the message or subschema named
	Root() string    // what the manifest named: order_paid.v1.schema.json, orders.v1.OrderPaid

	// Files lists the files of the closure, the root's first.
	Files() []string

	// Digest is a hash over what the closure says to a reader: no comments, no
	// titles, no descriptions, no file names.
	Digest() string

	// Field tells what stands at a path; the empty one is the event as a whole.
	// The error says which step fails and what there is instead.
	Field(Path) (Field, error)

	// Fields lists every field below the root in the order of the schema. A
	// recursive type is entered once on each way down.
	Fields() []Field

	// Validate decides whether a JSON document is a valid event.
	Validate(document []byte) error
}

// Field is what a schema says of one path.
type Field struct {
	Path       Path
	Type       Type
	Format     string   // JSON Schema: uuid, date-time, …
	Required   bool     // in every valid event
	Presence   Presence // in the object or message around it
	Values     []string // of an enum, in the order of the schema
	Pos        source.Pos
	Doc        string
	Deprecated bool

	// Constraints is what else the schema says of the value, by keyword:
	// maxLength 64. Protobuf: the number and what changes the bytes.
	Constraints []Constraint
}

// Presence says whether what is around a field has a value for it.
type Presence string

const (
	NoPresence Presence = ""         // an element, a map's value, a repeated field, the event itself
	Always     Presence = "required" // there, or what is around it is not valid
	Sometimes  Presence = "optional" // a reader sees whether it is there
	Implicit   Presence = "implicit" // Protobuf: what was not sent reads as the zero value
)

// Constraint is one keyword and its value as a person reads it.
type Constraint struct {
	Keyword string
	Value   string
	Digest  string // of what the value says, where the text leaves something out or has notes in it; else empty
}

// Type is the kind of value that a field holds, over both formats.
type Type string

const (
	AnyType       Type = "any" // nothing is known, or it may be several
	NullType      Type = "null"
	BoolType      Type = "bool"
	Int32Type     Type = "int32"
	Int64Type     Type = "int64"
	Uint32Type    Type = "uint32"
	Uint64Type    Type = "uint64"
	IntegerType   Type = "integer" // JSON Schema: of any size
	NumberType    Type = "number"  // JSON Schema
	FloatType     Type = "float"
	DoubleType    Type = "double"
	StringType    Type = "string"
	BytesType     Type = "bytes"
	EnumType      Type = "enum"
	TimestampType Type = "timestamp" // google.protobuf.Timestamp, or a string of format date-time
	ObjectType    Type = "object"
	ListType      Type = "list"
	MapType       Type = "map"
)
