package compat

import (
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// validateRules is as much of buf/validate/validate.proto as integers need.
const validateRules = `
enum Ignore { IGNORE_UNSPECIFIED = 0; IGNORE_IF_ZERO_VALUE = 1; IGNORE_ALWAYS = 3; }
message Rules {
  oneof type { F float = 1; D double = 2; I3 int32 = 3; I4 int64 = 4; I5 uint32 = 5; I7 sint32 = 7; Y bool = 13; N enum = 16; L repeated = 18; P map = 19; }
  optional bool required = 25; optional Ignore ignore = 27;
}
message L { optional uint64 min_items = 1; optional uint64 max_items = 2; optional Rules items = 4; }
message P { optional uint64 min_pairs = 1; optional uint64 max_pairs = 2; optional Rules keys = 4; optional Rules values = 5; }
message F { optional float const = 1; optional float lt = 2; optional float lte = 3; optional float gt = 4; optional float gte = 5; repeated float in = 6; }
message D { optional double const = 1; optional double lt = 2; optional double lte = 3; optional double gt = 4; optional double gte = 5; repeated double in = 6 [packed = true]; }
message Y { optional bool const = 1; }
message N { optional int32 const = 1; optional bool defined_only = 2; repeated int32 in = 3; repeated int32 not_in = 4; }
message Few { enum E { ZERO = 0; ONE = 1; } }
message More { enum E { ZERO = 0; ONE = 1; TWO = 2; } }
message Gaps { enum E { ZERO = 0; TEN = 10; ELEVEN = 11; NINETEEN = 19; TWENTY = 20; } }
message I3 { optional int32 const = 1; optional int32 lt = 2; optional int32 lte = 3; optional int32 gt = 4; optional int32 gte = 5; repeated int32 in = 6; }
message I4 { optional int64 const = 1; optional int64 lt = 2; optional int64 lte = 3; optional int64 gt = 4; optional int64 gte = 5; repeated int64 in = 6 [packed = true]; }
message I5 { optional uint32 const = 1; optional uint32 lt = 2; optional uint32 lte = 3; optional uint32 gt = 4; optional uint32 gte = 5; repeated uint32 in = 6; }
message I7 { optional sint32 const = 1; optional sint32 lt = 2; optional sint32 lte = 3; optional sint32 gt = 4; optional sint32 gte = 5; repeated sint32 in = 6; }
extend google.protobuf.FieldOptions { optional Rules field = 1159; }
`

func TestBoundsProtobuf(t *testing.T) {
	for _, c := range []struct {
		writer, reader string
		binary, json   rule.Answer
	}{
		{"optional int64 a = 1", "optional int32 a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1 [(field).int64 = {gte: 0, lte: 1000}]", "optional int32 a = 1", rule.Holds, rule.Holds},
		{"optional int64 a = 1 [(field).int64 = {gte: 0, lt: 2147483648}]", "optional int32 a = 1", rule.Holds, rule.Holds},
		{"optional int64 a = 1 [(field).int64 = {gte: 0, lte: 2147483648}]", "optional int32 a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1 [(field).int64 = {gte: 0}]", "optional uint64 a = 1", rule.Holds, rule.Holds},
		{"optional int64 a = 1 [(field).int64 = {gt: 10, lt: 5}]", "optional int32 a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1 [(field).int64 = {in: [1, 2, 300]}]", "optional int32 a = 1", rule.Holds, rule.Holds},
		{"optional int64 a = 1 [(field).int64 = {in: [1, 4294967297]}]", "optional int32 a = 1", rule.Refuted, rule.Refuted},
		{"optional int32 a = 1 [(field).int32 = {const: 0}]", "optional sint32 a = 1", rule.Holds, rule.Holds},
		{"optional int32 a = 1 [(field).int32 = {gte: 0, lte: 1}]", "optional sint32 a = 1", rule.Refuted, rule.Holds},
		{"optional int32 a = 1 [(field).int32 = {gte: 0, lte: 1}]", "optional bool a = 1", rule.Holds, rule.Refuted},
		{"optional int64 a = 1 [(field).int64 = {gte: 0, lte: 9007199254740992}]", "optional double a = 1", rule.Refuted, rule.Holds},
		{"repeated int64 a = 1 [(field).repeated = {items: {int64: {gte: 0, lte: 9}}}]", "repeated int32 a = 1", rule.Holds, rule.Holds},
		{"map<int64, int64> a = 1", "map<int32, int64> a = 1", rule.Refuted, rule.Refuted},
		{"map<int64, int64> a = 1 [(field).map = {keys: {int64: {gte: 0, lte: 9}}}]", "map<int32, int64> a = 1", rule.Holds, rule.Holds},
		{"map<int64, int64> a = 1 [(field).map = {keys: {int64: {gte: 0, lte: 9}}}]", "map<int64, int32> a = 1", rule.Refuted, rule.Refuted},
		{"map<int64, int64> a = 1 [(field).map = {values: {int64: {gte: 0, lte: 9}}}]", "map<int64, int32> a = 1", rule.Holds, rule.Holds},
		{"map<int64, int64> a = 1 [(field).int64 = {gte: 0, lte: 9}]", "map<int64, int32> a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1", "optional int64 a = 1 [(field).int64 = {gte: 0, lte: 9}]", rule.Holds, rule.Holds}, // who decodes does not validate
		{"optional int64 a = 1 [(field).int64 = {gte: 0, lte: 9}, (field).ignore = IGNORE_ALWAYS]", "optional int32 a = 1", rule.Refuted, rule.Refuted},
		{"optional int32 a = 1 [(field).int32 = {gte: 10, lte: 20}]", "optional Gaps.E a = 1", rule.Refuted, rule.Refuted}, // closed, and 15 has no name
		{"optional int32 a = 1 [(field).int32 = {gte: 10, lte: 11}]", "optional Gaps.E a = 1", rule.Holds, rule.Holds},
		{"optional int32 a = 1 [(field).int32 = {in: [10, 20]}]", "optional Gaps.E a = 1", rule.Holds, rule.Holds},
		{"optional int32 a = 1 [(field).int32 = {in: [10, 20, 30], lte: 25}]", "optional Gaps.E a = 1", rule.Holds, rule.Holds},
		{"optional int32 a = 1 [(field).int32 = {in: [10, 20], gte: 1}, (field).ignore = IGNORE_IF_ZERO_VALUE]", "optional Gaps.E a = 1", rule.Holds, rule.Holds},
		{"optional int64 a = 1 [(field).int64 = {in: [4, 5]}, (field).ignore = IGNORE_IF_ZERO_VALUE]", "optional string a = 1", rule.Refuted, rule.Holds},
		{"optional More.E a = 1", "optional Few.E a = 1", rule.Refuted, rule.Refuted},
		{"optional More.E a = 1 [(field).enum = {in: [0, 1]}]", "optional Few.E a = 1", rule.Holds, rule.Holds},
		{"optional More.E a = 1 [(field).enum = {const: 1}]", "optional Few.E a = 1", rule.Holds, rule.Holds},
		{"optional More.E a = 1 [(field).enum = {defined_only: true}]", "optional Few.E a = 1", rule.Refuted, rule.Refuted},
		{"repeated More.E a = 1 [(field).repeated = {items: {enum: {in: [1]}}}]", "repeated Few.E a = 1", rule.Holds, rule.Holds},
		{"map<string, More.E> a = 1 [(field).map = {values: {enum: {in: [0, 1]}}}]", "map<string, Few.E> a = 1", rule.Holds, rule.Holds},
		{"optional bool a = 1 [(field).bool.const = false]", "optional sint32 a = 1", rule.Holds, rule.Refuted},
		{"optional bool a = 1 [(field).bool.const = true]", "optional sint32 a = 1", rule.Refuted, rule.Refuted},
		{"optional string a = 1", "required string a = 1", rule.Refuted, rule.Refuted},
		{"optional string a = 1 [(field).required = true]", "required string a = 1", rule.Holds, rule.Holds},
		{"optional string a = 1 [(field).required = true, (field).ignore = IGNORE_ALWAYS]", "required string a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1 [(field).required = true]", "required int32 a = 1", rule.Refuted, rule.Refuted},
		{"repeated string a = 1 [(field).repeated.max_items = 1]", "optional string a = 1", rule.Holds, rule.Refuted},
		{"repeated string a = 1 [(field).repeated.max_items = 2]", "optional string a = 1", rule.Refuted, rule.Refuted},
		{"optional double a = 1 [(field).double = {gte: 0, lte: 1000}]", "optional float a = 1", rule.Refuted, rule.Refuted},
		{"optional double a = 1 [(field).double = {gte: 1e300, lte: 1e301}]", "optional float a = 1", rule.Refuted, rule.Refuted},
		{"optional double a = 1 [(field).double = {in: [0.5, 2, 1024]}]", "optional float a = 1", rule.Refuted, rule.Holds},
		{"optional double a = 1 [(field).double = {in: [0.1]}]", "optional float a = 1", rule.Refuted, rule.Refuted},
		{"optional double a = 1 [(field).double = {in: [1, 2]}]", "optional int32 a = 1", rule.Refuted, rule.Holds},
		{"optional float a = 1 [(field).float = {const: 3e9}]", "optional int32 a = 1", rule.Refuted, rule.Refuted},
		{"optional float a = 1 [(field).float = {gt: 7, lt: 8}]", "optional int32 a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1 [(field).int64 = {gte: 9007199254740995, lte: 9007199254740999}]", "optional double a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1 [(field).int64 = {gte: -9007199254740999, lte: 0}]", "optional double a = 1", rule.Refuted, rule.Refuted},
		{"optional int64 a = 1 [(field).int64 = {in: [9007199254740994, 9007199254740996]}]", "optional double a = 1", rule.Refuted, rule.Holds},
	} {
		head := "syntax = \"proto2\";\nimport \"google/protobuf/descriptor.proto\";\n" + validateRules
		both := protoEvents(t, "M", head+"message M { "+c.writer+"; }", head+"message M { "+c.reader+"; }")
		for encoding, want := range map[contract.Encoding]rule.Answer{contract.Protobuf: c.binary, contract.JSON: c.json} {
			r := readProtobuf(Question{Reader: both[1], Writer: both[0], As: Assumptions{Encoding: encoding}})
			q := Question{Reader: both[1], Writer: both[0], As: Assumptions{Encoding: encoding}}
			if problem := unconfirmed(q, r); problem != "" || r.Reason+r.Open != "" {
				t.Errorf("%s read as %s in %s: %s %s", c.writer, c.reader, encoding, problem, r.Reason+r.Open)
			}
			if r.Answer != want {
				t.Errorf("%s read as %s in %s: got %s, want %s\n%s", c.writer, c.reader, encoding, r.Answer, want, breakLines(r))
			}
		}
	}
}
