package compat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// protoAsk is one pair and what is said of it. A want lists the rules of the
// breaks with their paths, a warning's in brackets; "" holds and is silent.
type protoAsk struct {
	name     string
	old, new string            // bodies of proto3 files, or whole files
	renamed  map[string]string // new to old
	fields   string            // what the reader reads
	as       Assumptions

	forward, backward         string // in binary
	jsonForward, jsonBackward string // in JSON, unknown fields ignored
}

var protoAsks = []protoAsk{
	{
		name: "swapped numbers", old: "message M { int64 price = 1; int64 discount = 2; }", new: "message M { int64 price = 2; int64 discount = 1; }",
		forward: "meaning-changed discount", backward: "meaning-changed discount",
	},
	{
		name: "three exchanged numbers, and one more pair", old: "message M { int64 a = 1; int64 b = 2; int64 c = 3; string x = 4; string y = 5; }", new: "message M { int64 a = 2; int64 b = 3; int64 c = 1; string x = 5; string y = 4; }",
		forward: "meaning-changed a, meaning-changed x", backward: "meaning-changed a, meaning-changed x",
	},
	{
		name: "a number passed on", old: "message M { int64 a = 1; int64 b = 2; }", new: "message M { int64 a = 2; int64 b = 3; }",
		forward: "meaning-changed a, [field-unsent a]", backward: "meaning-changed b, [field-unsent b]",
	},
	{
		name: "plain rename", old: "message M { string total = 1; }", new: "message M { string amount = 1; }",
		forward: "[meaning-changed amount]", backward: "[meaning-changed total]",
		jsonForward: "field-lost amount", jsonBackward: "field-lost total",
	},
	{
		name: "rename that the manifest declares", old: "message M { string total = 1; }", new: "message M { string amount = 1; }",
		renamed:     map[string]string{"amount": "total"},
		jsonForward: "field-lost amount", jsonBackward: "field-lost total",
	},
	{
		name: "removed and its number reused", old: "message M { string email = 1; }", new: "message M { reserved \"email\"; string phone = 1; }",
		forward: "meaning-changed phone", backward: "meaning-changed email",
		jsonForward: "field-lost phone", jsonBackward: "field-lost email",
	},
	{
		name: "a reserved number comes back", old: "message M { string a = 1; reserved 2; reserved \"b\"; }", new: "message M { string a = 1; int32 c = 2; }",
		forward: "meaning-changed c", backward: "[field-unsent c]", jsonBackward: "[field-unsent c]",
	},
	{
		name: "a reserved field comes back", old: "message M { string a = 1; reserved 2; reserved \"b\"; }", new: "message M { string a = 1; int32 b = 2; }",
		backward: "[field-unsent b]", jsonBackward: "[field-unsent b]",
	},
	{
		name: "a name comes back as another type", old: "message M { string total = 1; }", new: "message M { reserved 1; int64 total = 2; }",
		forward: "[field-unsent total]", backward: "[field-unsent total]",
		jsonForward: "meaning-changed total", jsonBackward: "type-refused total",
	},
	{
		name: "a field has another number", old: "message M { string a = 1; int32 b = 2; }", new: "message M { string a = 1; int64 b = 7; }",
		forward: "field-lost b", backward: "field-lost b", jsonForward: "value-refused b",
	},
	{
		name: "a field that nobody reads has another number", old: "message M { string a = 1; int32 b = 2; }", new: "message M { string a = 1; int32 b = 7; }",
		fields: "a",
	},
	{
		name: "an extension has another number",
		old:  "syntax = \"proto2\"; message M { extensions 10 to 20; } extend M { optional string x = 10; }", new: "syntax = \"proto2\"; message M { extensions 10 to 20; } extend M { optional string x = 11; }",
		forward: "field-lost \"[x]\"", backward: "field-lost \"[x]\"",
	},
	{
		name: "values exchanged", old: "enum E { Z = 0; A = 1; B = 2; } message M { E e = 1; }", new: "enum E { Z = 0; A = 2; B = 1; } message M { E e = 1; }",
		forward: "meaning-changed e", backward: "meaning-changed e",
	},
	{
		name: "a value renamed", old: "enum E { Z = 0; A = 1; B = 2; } message M { E e = 1; }", new: "enum E { Z = 0; A = 1; C = 2; } message M { E e = 1; }",
		forward: "[meaning-changed e]", backward: "[meaning-changed e]", jsonForward: "value-refused e", jsonBackward: "value-refused e",
	},
	{
		name: "the prefix of all values renamed", old: "enum E { E_Z = 0; E_A = 1; E_B = 2; } message M { E e = 1; }", new: "enum F { F_Z = 0; F_A = 1; F_B = 2; } message M { F e = 1; }",
		forward: "[meaning-changed e]", backward: "[meaning-changed e]", jsonForward: "value-refused e", jsonBackward: "value-refused e",
	},
	{
		name: "one break of a type that many fields share", old: "message P { int64 n = 1; } message M { P a = 1; repeated P b = 2; map<string, P> c = 3; }",
		new:     "message P { string n = 1; } message M { P a = 1; repeated P b = 2; map<string, P> c = 3; }",
		forward: "field-lost a.n", backward: "field-lost a.n", jsonForward: "type-refused a.n",
	},
	{
		name: "a recursive type", old: "message N { int32 v = 1; N next = 2; repeated N all = 3; } message M { N root = 1; }", new: "message N { int64 v = 1; N next = 2; repeated N all = 3; } message M { N root = 1; }",
		forward: "value-truncated root.v", jsonForward: "value-refused root.v",
	},
	{
		name: "what the reader does not read", old: "message A { int32 x = 1; int32 y = 2; } message M { A a = 1; int32 b = 2; }", new: "message A { int64 x = 1; int64 y = 2; } message M { A a = 1; string b = 2; }",
		fields: "a.x", forward: "value-truncated a.x", jsonForward: "value-refused a.x",
	},
	{
		name: "Any holds types by name", old: "import \"google/protobuf/any.proto\"; message P { int32 x = 1; } message M { google.protobuf.Any a = 1; }",
		new:     "import \"google/protobuf/any.proto\"; message P { int64 x = 1; } message M { google.protobuf.Any a = 1; }",
		forward: "value-truncated a.x", jsonForward: "value-refused a.x",
	},
	{
		name: "Any whose type was renamed", old: "import \"google/protobuf/any.proto\"; message P { int32 x = 1; } message M { google.protobuf.Any a = 1; }",
		new:     "import \"google/protobuf/any.proto\"; message Q { int32 x = 1; } message M { google.protobuf.Any a = 1; }",
		forward: "[field-lost a]", backward: "[field-lost a]", jsonForward: "[parse-refused a]", jsonBackward: "[parse-refused a]",
	},
	{
		name: "a message that requires itself never exists",
		old:  "syntax = \"proto2\"; message N { required N a = 1; optional int32 v = 2; } message M { optional N n = 1; }", new: "syntax = \"proto2\"; message N { required N a = 1; optional string v = 2; } message M { optional N n = 1; }",
	},
	{
		name: "an alias before the old name", old: "enum E { Z = 0; A = 1; } message M { E e = 1; }", new: "enum E { option allow_alias = true; Z = 0; AA = 1; A = 1; } message M { E e = 1; }",
		jsonForward: "value-refused e",
	},
	{
		name: "lists and maps", old: "message M { int32 a = 1; string b = 2; map<int32, string> c = 3; }", new: "message M { repeated int32 a = 1; repeated string b = 2; map<int64, string> c = 3; }",
		forward:     "field-lost a, element-lost b, value-truncated c",
		jsonForward: "shape-refused a, shape-refused b, value-refused c", jsonBackward: "shape-refused a, shape-refused b",
	},
}

func TestCasesProtobuf(t *testing.T) {
	for _, a := range protoAsks {
		t.Run(a.name, func(t *testing.T) { a.run(t) })
	}
}

// run asks both ways in both encodings.
func (a protoAsk) run(t *testing.T) {
	both := protoEvents(t, "M", protoFile(a.old), protoFile(a.new))
	prev, next := both[0], both[1]
	next.Renamed = map[string]source.At[contract.Path]{}
	for to, from := range a.renamed {
		next.Renamed[to] = source.At[contract.Path]{Value: contract.Path{}.Field(from)}
	}
	if a.fields != "" {
		p, err := contract.ParsePath(a.fields)
		if err != nil {
			t.Fatal(err)
		}
		a.as.Fields = []contract.Path{p}
	}
	for _, way := range []struct {
		name           string
		reader, writer *contract.Event
		encoding       contract.Encoding
		want           string
	}{
		{"binary forward", prev, next, contract.Protobuf, a.forward},
		{"binary backward", next, prev, contract.Protobuf, a.backward},
		{"JSON forward", prev, next, contract.JSON, a.jsonForward},
		{"JSON backward", next, prev, contract.JSON, a.jsonBackward},
	} {
		a.as.Encoding = way.encoding
		r := readProtobuf(Question{Reader: way.reader, Writer: way.writer, As: a.as})
		if got := breakNames(r); got != way.want {
			t.Errorf("%s: got %q, want %q\n%s", way.name, got, way.want, breakLines(r))
		}
	}
}

func protoFile(body string) string {
	if strings.HasPrefix(body, "syntax") || strings.HasPrefix(body, "edition") {
		return body
	}
	return "syntax = \"proto3\";\n" + body
}

func breakNames(r Result) string {
	var names []string
	for _, b := range r.Breaks {
		name := b.Rule + " " + b.Path.String()
		if b.Severity < rule.Error {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	if r.Answer == rule.Unknown {
		names = append(names, "unknown: "+r.Reason)
	}
	return strings.Join(names, ", ")
}

const envelopes = `
message Paid { string order = 1; %s total = 2; }
message Cancelled { string order = 1; %s reason = 2; }
message Envelope { string id = 1; oneof event { Paid paid = 2; Cancelled cancelled = 3; } }
`

// TestArmProtobuf reads one event of an envelope: what becomes of the others is
// not its business.
func TestArmProtobuf(t *testing.T) {
	both := protoEvents(t, "Envelope.paid", protoFile(fmt.Sprintf(envelopes, "int32", "string")), protoFile(fmt.Sprintf(envelopes, "int64", "bytes")))
	as := Assumptions{Encoding: contract.Protobuf}
	r := readProtobuf(Question{Reader: both[0], Writer: both[1], As: as})
	if got := breakNames(r); got != "value-truncated paid.total" {
		t.Errorf("got %q\n%s", got, breakLines(r))
	}
	if w := r.Breaks[0].Witness; w.Text != "paid:{total:4294967301}" || string(w.Event) != `{"paid":{"total":"4294967301"}}` ||
		w.Mark != "/paid/total" || w.ReaderSees != "writer sent 4294967301, reader sees 5" {
		t.Errorf("witness %+v", w)
	}
}

func TestUnsentProtobuf(t *testing.T) {
	both := protoEvents(t, "M", protoFile("message M { string a = 1; string b = 2; }"), protoFile("message M { string a = 1; }"))
	for _, c := range []struct {
		as   Assumptions
		want string
	}{
		{Assumptions{}, "[field-unsent b]"},
		{Assumptions{Declared: true}, "field-unsent b"},
		{Assumptions{Declared: true, Fields: []contract.Path{{{Name: "a"}}}}, ""},
		{Assumptions{Declared: true, Fields: []contract.Path{{{Name: "b"}}}}, "field-unsent b"},
	} {
		if got := breakNames(readProtobuf(Question{Reader: both[0], Writer: both[1], As: c.as})); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.as, got, c.want)
		}
	}
}

// TestTreatmentsProtobuf holds what readers do with what they don't know.
func TestTreatmentsProtobuf(t *testing.T) {
	open := protoEvents(t, "M", protoFile("enum E { Z = 0; } message M { E e = 1; }"), protoFile("enum E { Z = 0; A = 1; } message M { E e = 1; string s = 2; }"))
	closed := protoEvents(t, "M", "syntax = \"proto2\"; enum E { Z = 0; } message M { optional E e = 1; }", "syntax = \"proto2\"; enum E { Z = 0; A = 1; } message M { optional E e = 1; optional string s = 2; }")
	for _, c := range []struct {
		encoding      contract.Encoding
		fields, enums contract.Treatment
		open, closed  string
	}{
		{contract.Protobuf, contract.Ignore, "", "[enum-unnamed e]", "field-lost e"},
		{contract.Protobuf, contract.Ignore, contract.Ignore, "[enum-unnamed e]", "[enum-unnamed e]"},
		{contract.Protobuf, contract.Ignore, contract.Reject, "value-refused e", "value-refused e"},
		{contract.Protobuf, contract.Reject, "", "[enum-unnamed e], field-refused s", "value-refused e, field-refused s"},
		{contract.JSON, contract.Ignore, "", "value-refused e", "value-refused e"},
		{contract.JSON, contract.Ignore, contract.Ignore, "[enum-unnamed e]", "[enum-unnamed e]"},
		{contract.JSON, contract.Reject, "", "value-refused e, field-refused s", "value-refused e, field-refused s"},
		{contract.JSON, contract.Reject, contract.Ignore, "[enum-unnamed e], field-refused s", "[enum-unnamed e], field-refused s"},
	} {
		as := Assumptions{Encoding: c.encoding, UnknownFields: c.fields, UnknownEnums: c.enums}
		for _, side := range []struct {
			events []*contract.Event
			want   string
		}{{open, c.open}, {closed, c.closed}} {
			r := readProtobuf(Question{Reader: side.events[0], Writer: side.events[1], As: as})
			if got := breakNames(r); got != side.want {
				t.Errorf("%+v: got %q, want %q\n%s", as, got, side.want, breakLines(r))
			}
		}
	}
}
