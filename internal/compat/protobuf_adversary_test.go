package compat

import "testing"

const wellKnown = `syntax = "proto3"; import "google/protobuf/any.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/field_mask.proto"; `

// adversarial are pairs that look like others and read differently.
var adversarial = []protoAsk{
	{
		name:    "an entry without its value, whose message is never complete when it is empty",
		old:     "syntax = \"proto2\"; message P { optional int32 x = 1; } message A { optional int32 key = 1; optional int64 value = 2; } message M { repeated A m = 1; }",
		new:     "syntax = \"proto2\"; message P { required int32 x = 1; } message M { map<int32, P> m = 1; }",
		forward: "field-lost m{}.value", backward: "field-missing m[].value",
		jsonForward: "shape-refused m", jsonBackward: "shape-refused m",
	},
	{
		name: "a map's value of another wire type, whose message is never complete when it is empty",
		old:  "syntax = \"proto2\"; message M { map<int32, int32> m = 1; }",
		new:  "syntax = \"proto2\"; message P { required int32 x = 1; } message M { map<int32, P> m = 1; }", forward: "field-lost m{}", backward: "field-missing m{}",
		jsonForward: "type-refused m{}", jsonBackward: "type-refused m{}",
	},
	{
		name:    "members of two oneofs exchanged",
		old:     "message M { oneof o { string a = 1; int32 b = 2; } oneof q { string c = 3; int32 d = 4; } }",
		new:     "message M { oneof o { string a = 1; int32 d = 4; } oneof q { string c = 3; int32 b = 2; } }",
		forward: "field-lost a, field-lost d", backward: "field-lost a, field-lost b",
		jsonForward: "shape-refused a, shape-refused d", jsonBackward: "shape-refused a, shape-refused b",
	},
	{
		name:    "an extension renamed",
		old:     "syntax = \"proto2\"; message M { extensions 10 to 20; } extend M { optional int32 x = 10; }",
		new:     "syntax = \"proto2\"; message M { extensions 10 to 20; } extend M { optional int32 z = 10; }",
		forward: "[meaning-changed \"[z]\"]", backward: "[meaning-changed \"[x]\"]", jsonForward: "field-lost \"[z]\"", jsonBackward: "field-lost \"[x]\"",
	},
	{
		name:        "an extension made a field",
		old:         "syntax = \"proto2\"; message M { extensions 10 to 20; } extend M { optional int32 x = 10; }",
		new:         "syntax = \"proto2\"; message M { optional int32 x = 10; }",
		jsonForward: "field-lost x", jsonBackward: "field-lost \"[x]\"",
	},
	{
		name:         "null is no value of another enum, though it has the name",
		old:          wellKnown + "message M { optional google.protobuf.NullValue a = 1; repeated google.protobuf.NullValue b = 2; google.protobuf.NullValue c = 3; }",
		new:          wellKnown + "enum N { NULL_VALUE = 0; } message M { optional N a = 1; repeated N b = 2; N c = 3; }",
		jsonBackward: "field-lost a, type-refused b",
	},
	{
		name:    "null alone is a field that was left out",
		old:     wellKnown + "message P {} message M { optional google.protobuf.NullValue a = 1; optional google.protobuf.NullValue b = 2; optional google.protobuf.NullValue c = 3; }",
		new:     wellKnown + "message P {} message M { P a = 1; google.protobuf.Value b = 2; google.protobuf.Struct c = 3; }",
		forward: "field-lost a, field-lost b, field-lost c", backward: "field-lost a, field-lost b, field-lost c",
		jsonForward: "type-refused a, type-refused b, type-refused c", jsonBackward: "field-lost a, field-lost c",
	},
	{
		name:    "text that is no list of fields",
		old:     wellKnown + "message M { string a = 1; }",
		new:     wellKnown + "message M { google.protobuf.FieldMask a = 1; }",
		forward: "value-garbled a", backward: "parse-refused a", jsonBackward: "value-refused a",
	},
	{
		name:    "the name of an enum's value is a list of one field",
		old:     wellKnown + "enum E { Z = 0; PAID = 1; } message M { E a = 1; }",
		new:     wellKnown + "message M { google.protobuf.FieldMask a = 1; }",
		forward: "field-lost a", backward: "field-lost a", jsonForward: "value-refused a", jsonBackward: "value-garbled a",
	},
	{
		name:    "a Struct's key that happens to be a field of another type",
		old:     wellKnown + "message M { google.protobuf.Struct a = 1; repeated google.protobuf.Struct b = 2; map<string, google.protobuf.Struct> c = 3; }",
		new:     wellKnown + "message P { string x = 1; } message M { P a = 1; repeated P b = 2; map<string, P> c = 3; }",
		forward: "parse-refused a.x", backward: "value-garbled a.fields", jsonBackward: "element-lost a, element-lost b, element-lost c{}",
	},
	{
		name:     "a list of anything takes every list",
		old:      wellKnown + "message M { google.protobuf.ListValue a = 1; }",
		new:      wellKnown + "message M { repeated google.protobuf.Value a = 1; }",
		forward:  "element-lost a, field-lost a[].null_value",
		backward: "field-lost a.values, [field-unsent a.number_value], [field-unsent a.string_value], [field-unsent a.bool_value], [field-unsent a.struct_value], [field-unsent a.list_value]",
	},
	{
		name:     "messages are objects, and a Struct takes every object",
		old:      wellKnown + "message P { string x = 1; } message M { repeated google.protobuf.Struct a = 1; map<string, google.protobuf.Struct> b = 2; }",
		new:      wellKnown + "message P { string x = 1; } message M { repeated P a = 1; map<string, P> b = 2; }",
		forward:  "parse-refused a[].x",
		backward: "value-garbled a[].fields", jsonBackward: "element-lost a, element-lost b{}",
	},
	{
		name:    "an Any that names no type, and a type that no Any names",
		old:     wellKnown + "message M { google.protobuf.Any a = 1; }",
		new:     wellKnown + "message P { string x = 5; } message M { P a = 1; }",
		forward: "[field-unsent a.type_url], [field-unsent a.value]", backward: "[field-unsent a.x]",
		jsonForward: "field-lost a", jsonBackward: "field-lost a",
	},
	{
		name:    "an extension of what an Any carries, renamed",
		old:     "syntax = \"proto2\"; import \"google/protobuf/any.proto\"; message P { extensions 10; } extend P { optional int32 x = 10; } message M { optional google.protobuf.Any a = 1; }",
		new:     "syntax = \"proto2\"; import \"google/protobuf/any.proto\"; message P { extensions 10; } extend P { optional int32 z = 10; } message M { optional google.protobuf.Any a = 1; }",
		forward: "[meaning-changed a.\"[z]\"]", backward: "[meaning-changed a.\"[x]\"]", jsonForward: "field-lost a.\"[z]\"", jsonBackward: "field-lost a.\"[x]\"",
	},
	{
		name:    "a closed enum in what an Any carries",
		old:     "syntax = \"proto2\"; import \"google/protobuf/any.proto\"; enum E { A = 0; } message P { optional E e = 1; } message M { optional google.protobuf.Any a = 1; }",
		new:     "syntax = \"proto2\"; import \"google/protobuf/any.proto\"; enum E { A = 0; B = 1; } message P { optional E e = 1; } message M { optional google.protobuf.Any a = 1; }",
		forward: "field-lost a.e", jsonForward: "value-refused a.e",
	},
	{
		name:    "text that happens to be base64",
		old:     "import \"google/protobuf/duration.proto\"; " + "message M { bytes a = 1; }",
		new:     "import \"google/protobuf/duration.proto\"; " + "message M { google.protobuf.Duration a = 1; }",
		forward: "value-garbled a", backward: "parse-refused a", jsonForward: "value-garbled a", jsonBackward: "type-refused a",
	},
	{
		name:    "a Struct read by a message without any field, or without a first one",
		old:     wellKnown + "message P {} message Q { string x = 7; } message M { P a = 1; repeated Q b = 2; }",
		new:     wellKnown + "message P {} message Q { string x = 7; } message M { google.protobuf.Struct a = 1; repeated google.protobuf.Struct b = 2; }",
		forward: "[field-unsent b[].x]", backward: "[field-unsent a.fields], [field-unsent b[].fields]", jsonForward: "element-lost a, element-lost b",
	},
	{
		name:    "fields that are members of a oneof to the reader, of which only one arrives",
		old:     "message P { oneof o { bool a = 1; double b = 2; } } message M { P p = 1; }",
		new:     "message P { bool a = 1; int32 b = 2; } message M { P p = 1; }",
		forward: "field-lost p.b", backward: "field-lost p.b", jsonForward: "shape-refused p.a", jsonBackward: "value-refused p.b",
	},
	{
		name: "a map whose key and value both travel otherwise",
		old:  "message M { map<string, bool> m = 1; }", new: "message M { map<fixed64, string> m = 1; }",
		forward: "value-garbled m, field-lost m{}", backward: "value-garbled m, field-lost m{}", jsonForward: "type-refused m{}", jsonBackward: "type-refused m, type-refused m{}",
	},
	{
		name: "null that is read as a key",
		old:  wellKnown + "message M { map<fixed64, bool> m = 1; }", new: wellKnown + "message P { google.protobuf.NullValue key = 1; bool value = 2; } message M { repeated P m = 1; }",
		forward: "element-lost m", backward: "field-lost m{}.key", jsonForward: "shape-refused m", jsonBackward: "shape-refused m",
	},
	{
		name: "a message that holds anything only",
		old:  wellKnown + "message M { string a = 1; }", new: wellKnown + "message P { google.protobuf.Value v = 1; } message M { P a = 1; }",
		forward: "value-garbled a", backward: "parse-refused a", jsonForward: "type-refused a", jsonBackward: "type-refused a",
	},
}

func TestAdversarialProtobuf(t *testing.T) {
	for _, a := range adversarial {
		t.Run(a.name, func(t *testing.T) { a.run(t) })
	}
}
