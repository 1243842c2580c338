package compat

import (
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
)

// tagged begins a file that declares an option of its own.
const tagged = "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional string tag = 50001; } "

// protoThreads are the questions that users of other checkers ask about
// payloads, each with our answer.
var protoThreads = []protoAsk{
	{
		name: "bufbuild/buf#2318, near/nearcore#16259: a message moves to another package",
		old:  "package a; message S { string x = 1; } message M { S s = 1; }", new: "package b.v1; message S { string x = 1; } message M { S s = 1; }",
	},
	{
		name: "bufbuild/buf#609, #2167: a member's type is renamed and widened",
		old:  "message S { int32 x = 1; } message M { S s = 1; }", new: "message T { int64 x = 1; } message M { T s = 1; }",
		forward: "value-truncated s.x", jsonForward: "value-refused s.x",
	},
	{
		name: "bufbuild/buf#80: an enum moves out of a message",
		old:  "message M { enum E { Z = 0; A = 1; } E e = 1; }", new: "enum E { Z = 0; A = 1; } message M { E e = 1; }",
	},
	{
		name: "bufbuild/buf#1610: optional becomes repeated", old: "message M { optional string a = 1; }", new: "message M { repeated string a = 1; }",
		forward: "element-lost a", jsonForward: "shape-refused a", jsonBackward: "shape-refused a",
	},
	{
		name: "bufbuild/buf#1906, #2393: a field becomes optional", old: "message M { int32 a = 1; }", new: "message M { optional int32 a = 1; }",
	},
	{
		name: "bufbuild/buf#359: int32 becomes an enum", old: "message M { int32 e = 1; }", new: "enum E { Z = 0; A = 1; } message M { E e = 1; }",
		backward: "[enum-unnamed e]", jsonForward: "type-refused e", jsonBackward: "[enum-unnamed e]",
	},
	{
		name: "bufbuild/buf-breaking-action#110: int32 becomes int64", old: "message M { int32 a = 1; }", new: "message M { int64 a = 1; }",
		forward: "value-truncated a", jsonForward: "value-refused a",
	},
	{
		name: "bufbuild/buf#2629, temporalio/api#227: a field is removed and reserved", old: "message M { string a = 1; string b = 2; }", new: "message M { string a = 1; reserved 2; reserved \"b\"; }",
		forward: "[field-unsent b]", jsonForward: "[field-unsent b]",
	},
	{
		name: "gravitational/teleport#36248: an enum value is removed and reserved",
		old:  "enum E { Z = 0; A = 1; B = 2; } message M { E e = 1; }", new: "enum E { Z = 0; A = 1; reserved 2; reserved \"B\"; } message M { E e = 1; }",
		backward: "[enum-unnamed e]", jsonBackward: "value-refused e",
	},
	{
		name: "bufbuild/buf#271: a break in a child type is one of the event that embeds it",
		old:  "message P { string currency = 1; } message L { P price = 1; } message M { repeated L lines = 1; }", new: "message P { int32 currency = 1; } message L { P price = 1; } message M { repeated L lines = 1; }",
		forward: "field-lost lines[].price.currency", backward: "field-lost lines[].price.currency",
		jsonForward: "type-refused lines[].price.currency", jsonBackward: "type-refused lines[].price.currency",
	},
	{
		name: "bufbuild/buf#2886: a new member of a oneof", old: "message M { oneof o { string a = 1; } }", new: "message M { oneof o { string a = 1; string b = 2; } }",
		forward: "[field-lost b]", backward: "[field-unsent b]", jsonForward: "[field-lost b]", jsonBackward: "[field-unsent b]",
	},
	{
		name: "MaterializeInc/materialize#23009: bool becomes int64", old: "message M { bool a = 1; }", new: "message M { int64 a = 1; }",
		forward: "value-garbled a", jsonForward: "type-refused a", jsonBackward: "type-refused a",
	},
	{
		name: "nilslice/protolock#160: one field moves into a oneof", old: "message M { string a = 1; }", new: "message M { oneof o { string a = 1; } }",
	},
	{
		name: "nilslice/protolock#133: two fields move into a oneof", old: "message M { string a = 1; string b = 2; }", new: "message M { oneof o { string a = 1; string b = 2; } }",
		backward: "field-lost a", jsonBackward: "shape-refused a",
	},
	{
		name: "nilslice/protolock#127: an alias is added", old: "enum E { Z = 0; A = 1; } message M { E e = 1; }", new: "enum E { option allow_alias = true; Z = 0; A = 1; AA = 1; } message M { E e = 1; }",
	},
	{
		name: "confluentinc/schema-registry#2033: an unused message is added", old: "message M { string a = 1; }", new: "message M { string a = 1; } message Unused { int32 x = 1; }",
	},
	{
		name: "Apicurio/apicurio-registry#9662: a field is added", old: "message M { string a = 1; }", new: "message M { string a = 1; string b = 2; }",
		backward: "[field-unsent b]", jsonBackward: "[field-unsent b]",
	},
	{
		name: "Apicurio/apicurio-registry#1334: a field is renamed", old: "message M { string a = 1; }", new: "message M { string b = 1; }",
		forward: "[meaning-changed b]", backward: "[meaning-changed a]", jsonForward: "field-lost b", jsonBackward: "field-lost a",
	},
	{
		name: "redpanda-data/redpanda#30374: a map field is removed", old: "message M { string a = 1; map<string, int32> m = 2; }", new: "message M { string a = 1; }",
		forward: "[field-unsent m]", jsonForward: "[field-unsent m]",
	},
	{
		name: "bufbuild/buf#3899: a rule of validation changes and no value does", old: "message M { int64 a = 1; }", new: "message M { int64 a = 1 [deprecated = true]; }",
	},
	{
		name: "bufbuild/buf#81, nilslice/protolock#150: an option of one's own changes, and no value does",
		old:  tagged + "message M { optional string a = 1 [(tag) = \"min_len=2\"]; }", new: tagged + "message M { optional string a = 1 [(tag) = \"min_len=3\"]; }",
	},
	{
		name: "bufbuild/buf#2064: a tag for the JSON of one language changes, and the JSON name does not",
		old:  tagged + "message M { optional string a = 1 [(tag) = \"json:a\"]; }", new: tagged + "message M { optional string a = 1 [(tag) = \"json:b\"]; }",
	},
	{
		name: "bufbuild/buf#2064: the JSON name changes",
		old:  "message M { string a = 1; }", new: "message M { string a = 1 [json_name = \"b\"]; }",
		jsonForward: "field-lost a", // the new reader knows the field's own name, too
	},
}

func TestThreadsProtobuf(t *testing.T) {
	for _, a := range protoThreads {
		a.as.UnknownFields = contract.Ignore
		t.Run(a.name, a.run)
	}
}
