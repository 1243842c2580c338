package protobuf

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// treeOf makes a tree of a txtar archive.
func treeOf(t testing.TB, archive string) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return openTree(t, dir)
}

func openTree(t testing.TB, dir string) *source.Tree {
	t.Helper()
	tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func texts(errs []*source.Error) string {
	var lines []string
	for _, e := range errs {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

func mustLoad(t testing.TB, archive, ref string) *Schema {
	t.Helper()
	s, errs := Load(treeOf(t, archive), ref, Options{ProtoPaths: []string{"."}})
	if s == nil || len(errs) > 0 {
		t.Fatalf("%s: %s", ref, texts(errs))
	}
	return s
}

const orders = `
-- orders/v1/events.proto --
syntax = "proto3";
package orders.v1;

import "google/protobuf/timestamp.proto";
import "orders/v1/money.proto";

// An order was paid.
message OrderPaid {
  string order_id = 1; // the order
  Money amount = 2;
  repeated Line lines = 3;
  map<string, Line> by_sku = 4;
  google.protobuf.Timestamp paid_at = 5;
  optional State état = 6;
  message Line { int64 quantity = 1; Line parent = 2; }
  enum State { STATE_UNSPECIFIED = 0; STATE_PAID = 1; }
}
message Cancelled { string order_id = 1; }
message Envelope {
  string id = 1;
  oneof event { OrderPaid paid = 2; Cancelled cancelled = 3; string other = 4; }
}
-- orders/v1/money.proto --
syntax = "proto3";
package orders.v1;
message Money { int64 units = 1; string currency = 2 [deprecated = true]; }
`

func TestLoad(t *testing.T) {
	archive := strings.ReplaceAll(orders, "état", "state")
	s := mustLoad(t, archive, "orders/v1/events.proto#orders.v1.OrderPaid")
	if got := s.Root(); got != "orders.v1.OrderPaid" {
		t.Errorf("root %s", got)
	}
	if got := s.Pos().String(); got != "orders/v1/events.proto:8:9" {
		t.Errorf("pos %s", got)
	}
	if got := strings.Join(s.Files(), " "); got != "orders/v1/events.proto orders/v1/money.proto" {
		t.Errorf("files %s", got)
	}
	arm := mustLoad(t, archive, "orders/v1/events.proto#orders.v1.Envelope.paid")
	if arm.Arm() == nil || arm.Descriptor().Name() != "Envelope" || arm.Pos().String() != "orders/v1/events.proto:21:27" {
		t.Errorf("arm %v of %v at %s", arm.Arm(), arm.Descriptor().Name(), arm.Pos())
	}
}

func TestFields(t *testing.T) {
	archive := strings.ReplaceAll(orders, "état", "state")
	s := mustLoad(t, archive, "orders/v1/events.proto#orders.v1.OrderPaid")
	var got []string
	for _, f := range s.Fields() {
		line := f.Path.String() + " " + string(f.Type)
		if f.Required {
			line += " required"
		}
		if f.Deprecated {
			line += " deprecated"
		}
		got = append(got, line)
	}
	want := `order_id string required
amount object
amount.units int64
amount.currency string deprecated
lines list
lines[] object
lines[].quantity int64
lines[].parent object
by_sku map
by_sku{} object
by_sku{}.quantity int64
by_sku{}.parent object
paid_at timestamp
state enum`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	p, _ := contract.ParsePath("order_id")
	if f, err := s.Field(p); err != nil || f.Doc != "the order" || f.Pos.String() != "orders/v1/events.proto:9:10" {
		t.Errorf("%+v %v", f, err)
	}
}

func TestFieldErrors(t *testing.T) {
	archive := strings.ReplaceAll(orders, "état", "state")
	s := mustLoad(t, archive, "orders/v1/events.proto#orders.v1.Envelope.paid")
	for path, want := range map[string]string{
		"paid.order_ids":      `paid has no field "order_ids" (did you mean order_id?): it has order_id, amount`,
		"cancelled.order_id":  `orders.v1.Envelope.paid has no field "cancelled"`,
		"paid.lines.quantity": `paid.lines is a list: write [] for an element and has no field "quantity"`,
		"id[]":                "id is of type string, which [] does not lead into",
		"paid.paid_at.nanos":  "paid.paid_at is a message google.protobuf.Timestamp and has no field",
	} {
		p, err := contract.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Field(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	archive := strings.ReplaceAll(orders, "état", "state") + `
-- bad.proto --
syntax = "proto3";
import "nowhere.proto";
message A { string y = 1; }
-- types.proto --
syntax = "proto3";
message A { Missing x = 1; Gone y = 2; }
-- twice.proto --
syntax = "proto3";
message A { string y = 2; int32 z = 2; }
enum E { ONE = 1; }
-- syntax.proto --
syntax = "proto3";
message A { string é; }
-- cycle1.proto --
syntax = "proto3";
import "cycle2.proto";
-- cycle2.proto --
syntax = "proto3";
import "cycle1.proto";
-- deeper.proto --
syntax = "proto3";
import "deep.proto";
-- escape.proto --
syntax = "proto3";
import "../x.proto";
-- empty.proto --
syntax = "proto3";
-- set.proto --
syntax = "proto2";
message M { option message_set_wire_format = true; extensions 4 to max; }
-- deep.proto --
syntax = "proto3"; // { [ " '
` + strings.Repeat("message M {", 600)
	tree := treeOf(t, archive)
	for ref, wants := range map[string][]string{
		"bad.proto":                             {`bad.proto:2:8: the import "nowhere.proto" is not there`},
		"types.proto":                           {"types.proto:2:13: field A.x: unknown type Missing", "types.proto:2:28: field A.y: unknown type Gone"},
		"twice.proto":                           {"twice.proto:2:37: message A: fields y and z both have the same tag 2: give", "twice.proto:3:16: enum E"},
		"syntax.proto":                          {"syntax.proto:2:20: "},
		"cycle1.proto":                          {"cycle found in imports", "move what both files need into a third one"},
		"empty.proto":                           {"declares no message"},
		"set.proto":                             {"\"M\" is a MessageSet", "take the option message_set_wire_format out"},
		"deep.proto":                            {"deep.proto: line 2: more than 512 brackets"},
		"deeper.proto":                          {"deeper.proto:2:8: the import \"deep.proto\" cannot be read: deep.proto: line 2: more than 512 brackets"},
		"escape.proto":                          {"escape.proto:2:8: the import \"../x.proto\" cannot be read: is not a path inside the tree"},
		"gone.proto":                            {"gone.proto: no such file"},
		"../x.proto":                            {"not a path inside"},
		"orders/v1/events.proto":                {"declares 3 messages", "orders.v1.OrderPaid, orders.v1.Cancelled"},
		"orders/v1/events.proto#orders.v1.Paid": {"has no message \"orders.v1.Paid\"", "want one of"},
		"orders/v1/events.proto#Envelope.other": {"is string: an event is a message"},
		"orders/v1/events.proto#Envelope.pait":  {`"pait" is no arm of a oneof in orders.v1.Envelope (did you mean paid?)`},
	} {
		s, errs := Load(tree, ref, Options{ProtoPaths: []string{"."}})
		for _, want := range wants {
			if s != nil || !strings.Contains(texts(errs), want) {
				t.Errorf("%s: got %s, want %s", ref, texts(errs), want)
			}
		}
	}
}

// TestNoText: a file that is no text at all is one error, not one for each byte.
func TestNoText(t *testing.T) {
	tree := treeOf(t, "-- wide.proto --\n\xff\xfes\x00y\x00\n-- compiled.proto --\n\x0a\x03a\xff\x00\n")
	for ref, want := range map[string]string{"wide.proto": "wide.proto: is UTF-16: save it as UTF-8", "compiled.proto": "compiled.proto: is no text"} {
		_, errs := Load(tree, ref, Options{ProtoPaths: []string{"."}})
		if got := texts(errs); len(errs) != 1 || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", ref, got, want)
		}
	}
}

func TestShadowed(t *testing.T) {
	tree := treeOf(t, "-- a/x.proto --\nsyntax = \"proto3\";\nmessage A {}\n-- b/x.proto --\nsyntax = \"proto3\";\nmessage B {}\n")
	_, errs := Load(tree, "b/x.proto", Options{ProtoPaths: []string{"a", "b"}})
	if got := texts(errs); !strings.Contains(got, `b/x.proto: is shadowed by a/x.proto: both are imported as "x.proto"`) {
		t.Error(got)
	}
}

func TestDigest(t *testing.T) {
	base := "-- a.proto --\nsyntax = \"proto3\";\npackage p;\nmessage A { string x_y = 1; B b = 2; }\nmessage B { int32 n = 1; }\n"
	digest := func(archive, ref string) string { return mustLoad(t, archive, ref).Digest() }
	want := digest(base, "a.proto#p.A")
	for what, change := range map[string][2]string{
		"comment":   {"message A", "// hello\nmessage A"},
		"package":   {"package p", "package p.q"},
		"type name": {"B b = 2; }\nmessage B", "C b = 2; }\nmessage C"},
		"go option": {"package p;", "package p; option go_package = \"x\";"},
		"unused":    {"message B", "message Z {}\nmessage B"},
	} {
		archive := strings.ReplaceAll(base, change[0], change[1])
		if got := digest(archive, "a.proto#A"); got != want {
			t.Errorf("%s changes the digest", what)
		}
	}
	for what, change := range map[string][2]string{
		"json name": {"x_y = 1", "x_y = 1 [json_name = \"z\"]"},
		"name":      {"x_y", "x_z"},
		"number":    {"n = 1", "n = 2"},
		"presence":  {"int32 n", "optional int32 n"},
	} {
		archive := strings.ReplaceAll(base, change[0], change[1])
		if got := digest(archive, "a.proto#A"); got == want {
			t.Errorf("%s does not change the digest", what)
		}
	}
}

// TestDigestOptions holds that options which a file declares itself count by
// their values: they may bound what is sent.
func TestDigestOptions(t *testing.T) {
	const archive = `
-- a.proto --
syntax = "proto3";
import "google/protobuf/descriptor.proto";
message Rule { int64 lte = 1; }
extend google.protobuf.FieldOptions { Rule rule = 50001; }
message A { int64 n = 1%s; }
`
	seen := map[string]string{}
	for _, options := range []string{"", " [(rule).lte = 1]", " [(rule).lte = 2]", " [deprecated = true, (rule).lte = 3]"} {
		digest := mustLoad(t, fmt.Sprintf(archive, options), "a.proto#A").Digest()
		if other, known := seen[digest]; known {
			t.Errorf("n%q and n%q have one digest", options, other)
		}
		seen[digest] = options
	}
	if seen[mustLoad(t, fmt.Sprintf(archive, " [deprecated = true]"), "a.proto#A").Digest()] != "" {
		t.Error("what is only deprecated has another digest")
	}
}

func TestValidate(t *testing.T) {
	archive := strings.ReplaceAll(orders, "état", "state")
	s := mustLoad(t, archive, "orders/v1/events.proto#orders.v1.Envelope.paid")
	for document, want := range map[string]string{
		`{"id":"1","paid":{"orderId":"x","paidAt":"2026-01-01T00:00:00Z"}}`: "",
		`{"id":"1","cancelled":{}}`:                                         "does not hold OrderPaid",
		`{"id":"1","paid":{"oder":1}}`:                                      `unknown field "oder"`,
		`{`:                                                                 "unexpected",
	} {
		err := s.Validate([]byte(document))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", document, err, want)
		}
	}
}

func TestFileProtos(t *testing.T) {
	s := mustLoad(t, strings.ReplaceAll(orders, "état", "state"), "orders/v1/events.proto#orders.v1.OrderPaid")
	protos := s.FileProtos()
	last := protos[len(protos)-1]
	if last.GetName() != "orders/v1/events.proto" || last.SourceCodeInfo == nil {
		t.Errorf("last file %s, source info %v", last.GetName(), last.SourceCodeInfo != nil)
	}
}
