package jsonschema

import (
	"slices"
	"strings"
	"testing"
)

const (
	latest = `"$schema": "https://json-schema.org/draft/2020-12/schema"`
	seven  = `"$schema": "http://json-schema.org/draft-07/schema#"`
)

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, archive, want string }{ // want: place, kind, part of the message
		{"dangling pointer", `{` + latest + `,
 "properties": {"a": {"$ref": "#/$defs/Ordr"}}, "$defs": {"Order": {}}}`, "schema.json:2:31 ref-dangling did you mean Order?"},
		{"dangling file", `{` + latest + `,
 "properties": {"a": {"$ref": "lib/a.json"}}}`, "schema.json:2:31 ref-dangling no file lib/a.json"},
		{"dangling anchor", `{` + latest + `,
 "$ref": "#Ordr", "$defs": {"Order": {"$anchor": "Order"}}}`, "schema.json:2:10 ref-dangling no anchor Ordr in schema.json; did you mean Order?"},
		{"out of the tree", `{` + latest + `, "$ref": "../../../etc/passwd"}`, "schema.json:1:69 ref-dangling no file etc/passwd"},
		{"no schema", `{` + latest + `, "$ref": "#/required", "required": ["a"]}`, "schema.json:1:69 ref-dangling a list, which is no schema"},
		{"remote", `{` + latest + `, "$ref": "https://example.com/a.json"}`, "schema.json:1:69 ref-remote nothing is fetched"},
		{"broken file", "-- schema.json --\n{" + latest + `, "$ref": "a.json"}` + "\n-- a.json --\n{\"type\" 1}\n", "a.json:1:9 ref-dangling schema.json:1:69 refers to it"},
		{"cycle", `{` + latest + `, "allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"anyOf": [{"$ref": "#"}]}}}`, " ref-cycle without going down"},
		{"itself", `{` + latest + `, "properties": {"a": {"$ref": "#/properties/a"}}}`, " ref-cycle without going down"},
		{"two of one id", `{` + latest + `, "$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}}`, " id-duplicate already the name of schema.json:1:71"},
		{"two of one anchor", `{` + latest + `, "$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}`, " id-duplicate already the name of"},
		{"no draft", `{"type": "object"}`, "schema.json:1:1 schema-missing $schema is missing"},
		{"unknown draft", `{"$schema": "http://json-schema.org/draft-03/schema#"}`, "schema.json:1:13 draft-unknown names no draft"},
		{"another draft's keyword", `{` + seven + `, "dependentRequired": {"a": ["b"]}}`, " keyword-draft dependentRequired belongs to draft 2019-09, 2020-12"},
		{"an older draft's keyword", `{` + latest + `, "additionalItems": false}`, " keyword-draft a validator of draft 2020-12 ignores it"},
		{"empty enum", `{` + seven + `, "enum": []}`, " enum-empty"},
		{"one key twice", `{` + latest + `, "type": "object", "type": "string"}`, " key-duplicate"},
		{"no such type", `{` + latest + `,
 "properties": {"a": {"type": "strng"}}}`, "schema.json:2:31 schema-invalid type: none of the forms"},
		{"bad pattern", `{` + latest + `,
 "pattern": "(a"}`, "schema.json schema-invalid does not compile"},
		{"a wrong keyword's value", `{` + latest + `, "properties": {"A": {"required": "a"}}}`, "schema.json:1:94 schema-invalid required: expected array"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, tt.archive)
			var all []string
			for _, p := range s.Problems() {
				line := p.Pos.String() + " " + p.Kind + " " + p.Message
				all = append(all, line)
				place, rest, _ := strings.Cut(tt.want, " ")
				kind, says, _ := strings.Cut(rest, " ")
				if strings.HasPrefix(line, place) && p.Kind == kind && strings.Contains(line, says) {
					if p.Fix == "" {
						t.Errorf("no remedy: %s", line)
					}
					return
				}
			}
			t.Errorf("want %s, got:\n%s", tt.want, strings.Join(all, "\n"))
		})
	}
}

func TestHoles(t *testing.T) {
	holed := load(t, `{`+latest+`, "type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": "https://example.com/b.json"}}}`)
	if err := holed.Validate([]byte(`{}`)); err == nil || !strings.Contains(err.Error(), "schema.json:1:") {
		t.Errorf("validated by a schema with a hole: %v", err)
	}
	if got := summaries(holed); got != "a string\nb any" {
		t.Errorf("fields beside a hole:\n%s", got)
	}
	unused := load(t, `{`+latest+`, "type": "object", "$defs": {"B": {"$ref": "https://example.com/b.json"}}}`)
	if err := unused.Validate([]byte(`{}`)); err != nil || len(unused.Problems()) > 0 {
		t.Errorf("a hole that nothing reaches: %v, %v", err, unused.Problems())
	}
}

func TestUnreadable(t *testing.T) {
	for _, tt := range []struct{ archive, ref, want string }{
		{"-- a.json --\n{}", "b.json", "b.json: no such file"},
		{"-- a.json --\n{\"a\": }", "a.json", "a.json:1:7"},
		{"-- a.json --\n[1]", "a.json", "a.json:1:1: is no JSON Schema: want an object"},
		{"-- a.json --\n{\"$defs\": {\"Order\": {}}}", "a.json#/$defs/Ordr", "did you mean Order?"},
		{"-- a.json --\n{\"required\": [\"a\"]}", "a.json#/required", "is no JSON Schema but a list"},
		{"-- a.txt --\n{}", "a.txt", "neither .json nor .yaml"},
	} {
		s, errs := Load(tree(t, tt.archive), tt.ref, Options{})
		if s != nil || len(errs) == 0 || !strings.Contains(errs[0].Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.ref, errs, tt.want)
		}
	}
}

func TestReferences(t *testing.T) {
	const archive = `
-- order.yaml --
$schema: https://json-schema.org/draft/2020-12/schema
$id: https://example.com/schemas/order.json
type: object
required: [customer]
properties:
  customer: {$ref: customer.json}
  line: {$ref: "lib/lines.yaml#Line"}
  money: {$ref: "urn:example:money"}
  again: {$ref: "https://example.com/schemas/order.json"}
  embedded: {$ref: "inside"}
$defs:
  Inside: {$id: inside, type: "null"}
-- customer.json --
{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
-- lib/lines.yaml --
$schema: https://json-schema.org/draft/2020-12/schema
$defs:
  Line: {$anchor: Line, type: integer}
-- other/money.yml --
$schema: https://json-schema.org/draft/2020-12/schema
$id: urn:example:money
type: number
`
	s := load(t, archive, "order.yaml")
	want := "customer object required\ncustomer.id string required\nline integer\nmoney number\nagain object\nembedded null"
	if got := summaries(s); got != want || len(s.Problems()) > 0 {
		t.Errorf("%v\n%s\nwant\n%s", s.Problems(), got, want)
	}
	if got := s.Files(); !slices.Equal(got, []string{"order.yaml", "customer.json", "lib/lines.yaml", "other/money.yml"}) {
		t.Errorf("files: %v", got)
	}
	for document, valid := range map[string]bool{
		`{"customer": {"id": "a"}, "line": 1, "money": 1.5, "embedded": null}`: true,
		`{"customer": {"id": "a"}, "money": "1"}`:                              false,
		`{"customer": {"id": "a"}, "again": {}}`:                               false,
	} {
		if err := s.Validate([]byte(document)); (err == nil) != valid {
			t.Errorf("%s: %v", document, err)
		}
	}
}

func TestEntry(t *testing.T) {
	const archive = `-- all.json --
{` + latest + `, "$defs": {"Order": {"type": "object", "properties": {"a": {"type": "string"}}}, "Line": {"$anchor": "L", "type": "object", "properties": {"b": {"$ref": "#/$defs/Order"}}}}}`
	for ref, want := range map[string]string{
		"all.json#/$defs/Order":  "a string",
		"all.json#Order":         "a string",
		"all.json#L":             "b object\nb.a string",
		"./all.json#/$defs/Line": "b object\nb.a string",
	} {
		s := load(t, archive, ref)
		if got := summaries(s); got != want || s.Root() != ref {
			t.Errorf("%s (%s):\n%s", ref, s.Root(), got)
		}
		if at := s.Pos(); at.Line != 1 || at.Column < 70 {
			t.Errorf("%s stands at %s", ref, at)
		}
		if err := s.Validate([]byte(`5`)); err == nil {
			t.Errorf("%s: 5 is valid", ref)
		}
	}
}

func TestCursor(t *testing.T) {
	s := load(t, order)
	customer := s.Sub(s.RootRef(), "properties", "customer")
	target, ok := s.Follow(customer)
	if !ok || target.Pointer != "/$defs/Customer" || s.DraftAt(target) != "2020-12" {
		t.Errorf("followed to %+v, %v", target, ok)
	}
	if _, ok := s.Follow(target); ok {
		t.Error("followed what refers to nothing")
	}
	if r := s.Sub(customer, "nothing", "at all"); r.Node != nil || r.Pointer != "/properties/customer/nothing/at all" {
		t.Errorf("nothing is %+v", r)
	}
	if at := s.PosAt("schema.json", "/properties/customer"); at.Line != 7 {
		t.Errorf("customer stands at %s", at)
	}
}

func TestDynamicReferences(t *testing.T) {
	static := load(t, `{`+latest+`, "$dynamicAnchor": "node", "type": "object", "properties": {"v": {"type": "integer"}, "next": {"$dynamicRef": "#node"}}}`)
	if got := summaries(static); got != "v integer\nnext object" {
		t.Errorf("one anchor:\n%s", got)
	}
	several := load(t, "-- schema.json --\n{"+latest+`, "$id": "https://example.com/a", "$dynamicAnchor": "node", "$ref": "b.json"}`+
		"\n-- b.json --\n{"+latest+`, "$id": "https://example.com/b", "$dynamicAnchor": "node", "type": "object", "properties": {"next": {"$dynamicRef": "#node"}}}`)
	if got := summaries(several); got != "next any" {
		t.Errorf("two anchors:\n%s", got)
	}
}
