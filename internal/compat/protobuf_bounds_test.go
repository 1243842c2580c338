package compat

import (
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// validateRules is as much of buf/validate/validate.proto as integers need.
const validateRules = `
message Rules { oneof type { I3 int32 = 3; I4 int64 = 4; I5 uint32 = 5; I7 sint32 = 7; L repeated = 18; P map = 19; } }
message L { optional uint64 min_items = 1; optional Rules items = 4; }
message P { optional uint64 min_pairs = 1; optional Rules keys = 4; optional Rules values = 5; }
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
	} {
		head := "syntax = \"proto2\";\nimport \"google/protobuf/descriptor.proto\";\n" + validateRules
		both := protoEvents(t, "M", head+"message M { "+c.writer+"; }", head+"message M { "+c.reader+"; }")
		for encoding, want := range map[contract.Encoding]rule.Answer{contract.Protobuf: c.binary, contract.JSON: c.json} {
			r := readProtobuf(Question{Reader: both[1], Writer: both[0], As: Assumptions{Encoding: encoding}})
			if r.Answer != want {
				t.Errorf("%s read as %s in %s: got %s, want %s\n%s", c.writer, c.reader, encoding, r.Answer, want, breakLines(r))
			}
		}
	}
}
