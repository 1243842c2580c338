package jsonschema

import (
	"strings"
	"testing"
)

const order = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["order_id", "customer", "lines", "paid_at", "status", "place"],
  "properties": {
    "order_id": {"type": "string", "format": "uuid"},
    "customer": {"$ref": "#/$defs/Customer"},
    "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Line"}},
    "paid_at": {"type": "string", "format": "date-time"},
    "status": {"enum": ["paid", "refunded"]},
    "note": {"type": ["string", "null"], "description": "For people.", "deprecated": true},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "place": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "minItems": 1},
    "odd name": {"type": "boolean"},
    "anything": {}
  },
  "$defs": {
    "Customer": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "email": {"type": "string"}}},
    "Line": {"type": "object", "required": ["price"], "properties": {"price": {"type": "integer"}, "parent": {"$ref": "#/$defs/Line"}}}
  }
}`

func TestFieldsInOrder(t *testing.T) {
	want := `order_id string format=uuid required
customer object required
customer.id string required
customer.email string
lines list required
lines[] object required
lines[].price integer required
lines[].parent object
paid_at timestamp format=date-time required
status enum required paid|refunded
note string deprecated
labels map
labels{} string
place list required
place[0] number required
place[1] number
"odd name" boolean
anything any`
	want = strings.Replace(want, "boolean", "bool", 1)
	if got := summaries(load(t, order)); got != want {
		t.Errorf("fields:\n%s\nwant:\n%s", got, want)
	}
}

func TestFieldSays(t *testing.T) {
	for _, tt := range []struct{ name, schema, path, want string }{
		{"through allOf", `{"allOf": [{"required": ["a"]}, {"type": "object", "properties": {"a": {"type": "string"}}}]}`, "a", "a string required"},
		{"required by one branch only", `{"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {}]}`, "a", "a string"},
		{"required by every branch", `{"type": "object", "properties": {"a": {"type": "string"}}, "oneOf": [{"required": ["a"]}, {"required": ["b", "a"]}]}`, "a", "a string required"},
		{"deep in every branch", `{"oneOf": [
			{"type": "object", "required": ["c"], "properties": {"c": {"type": "object", "required": ["e"], "properties": {"e": {"type": "string"}}}}},
			{"type": "object", "required": ["c"], "properties": {"c": {"type": "object", "required": ["e"], "properties": {"e": {"type": "string"}}}}}]}`, "c.e", "c.e string required"},
		{"deep in one branch", `{"oneOf": [
			{"type": "object", "required": ["c"], "properties": {"c": {"type": "object", "required": ["e"], "properties": {"e": {"type": "string"}}}}},
			{"type": "object", "required": ["c"], "properties": {"c": {"type": "object"}}}]}`, "c.e", "c.e any"},
		{"nullable on the way", `{"type": "object", "required": ["c"], "properties": {"c": {"type": ["object", "null"], "required": ["e"], "properties": {"e": {"type": "string"}}}}}`, "c.e", "c.e string"},
		{"nullable itself", `{"type": "object", "required": ["a"], "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}`, "a", "a string"},
		{"optional on the way", `{"type": "object", "properties": {"c": {"type": "object", "required": ["e"], "properties": {"e": {"type": "string"}}}}}`, "c.e", "c.e string"},
		{"no type but properties", `{"required": ["c"], "properties": {"c": {"required": ["e"], "properties": {"e": {"type": "string"}}}}}`, "c.e", "c.e string required"},
		{"if then else", `{"type": "object", "if": {"properties": {"k": {"const": 1}}}, "then": {"required": ["a"], "properties": {"a": {"type": "string"}}}, "else": {"required": ["a"], "properties": {"a": {"type": "integer"}}}}`, "a", "a any required"},
		{"if then", `{"type": "object", "if": {"required": ["k"]}, "then": {"required": ["a"], "properties": {"a": {"type": "string"}}}}`, "a", "a any"},
		{"dependent", `{"type": "object", "dependentSchemas": {"k": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}}`, "a", "a any"},
		{"by pattern", `{"type": "object", "patternProperties": {"^x_": {"type": "integer"}}}`, "x_size", "x_size integer"},
		{"pattern as map", `{"type": "object", "patternProperties": {"^x_": {"type": "integer"}}}`, "{}", "{} integer"},
		{"two patterns", `{"type": "object", "patternProperties": {"^x_": {"type": "integer"}, "^y_": {"type": "string"}}}`, "{}", "{} any"},
		{"oneOf of constants", `{"type": "object", "properties": {"s": {"oneOf": [{"const": "a"}, {"const": "b"}]}}}`, "s", "s enum a|b"},
		{"enum with null", `{"type": "object", "required": ["s"], "properties": {"s": {"enum": ["a", null]}}}`, "s", "s enum a"},
		{"number and integer", `{"type": "object", "properties": {"n": {"type": ["number", "integer"]}}}`, "n", "n number"},
		{"integer and string", `{"type": "object", "properties": {"n": {"type": ["string", "integer"]}}}`, "n", "n any"},
		{"narrowed by allOf", `{"type": "object", "properties": {"n": {"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}}}`, "n", "n integer"},
		{"a branch that forbids it", `{"type": "object", "oneOf": [{"properties": {"a": false}}, {"properties": {"a": {"type": "string"}}, "required": ["a"]}]}`, "a", "a string"},
		{"beside a closed schema", `{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"properties": {"a": {"format": "uuid"}}}]}`, "a", "a string format=uuid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, strings.Replace(tt.schema, "{", `{"$schema": "https://json-schema.org/draft/2020-12/schema", `, 1))
			f, err := s.Field(way(t, tt.path))
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(f); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFieldThatIsNotThere(t *testing.T) {
	s := load(t, order)
	for _, tt := range []struct{ path, want string }{
		{"order", "no order at the root: there is order_id, customer,"},
		{"ordr_id", "no ordr_id at the root: did you mean order_id?"},
		{"customer.emial", "no emial in customer: did you mean email?"},
		{"lines.price", "no price in lines: there is []"},
		{"order_id.x", "no x in order_id: the schema names nothing there"},
		{"labels.color", "no color in labels: there is {}"},
		{"place[]", "no [] in place: there is [0], [1]"},
	} {
		_, err := s.Field(way(t, tt.path))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.path, err, tt.want)
		}
	}
	closed := load(t, `{"allOf": [{"type": "object", "additionalProperties": false}, {"properties": {"a": {"type": "string"}}}]}`)
	if _, err := closed.Field(way(t, "a")); err == nil {
		t.Error("a field that one part declares and another forbids was found")
	}
}

// The same event in every draft's own words.
func TestEveryDraft(t *testing.T) {
	for _, tt := range []struct{ draft, uri, defs, tuple, rest string }{
		{"4", "http://json-schema.org/draft-04/schema#", "definitions", "items", "additionalItems"},
		{"6", "http://json-schema.org/draft-06/schema#", "definitions", "items", "additionalItems"},
		{"7", "http://json-schema.org/draft-07/schema#", "definitions", "items", "additionalItems"},
		{"2019-09", "https://json-schema.org/draft/2019-09/schema", "$defs", "items", "additionalItems"},
		{"2020-12", "https://json-schema.org/draft/2020-12/schema", "$defs", "prefixItems", "items"},
	} {
		t.Run(tt.draft, func(t *testing.T) {
			s := load(t, `{"$schema": "`+tt.uri+`", "type": "object", "required": ["id", "pair"],
				"properties": {"id": {"$ref": "#/`+tt.defs+`/ID", "description": "beside"},
					"pair": {"type": "array", "minItems": 1, "`+tt.tuple+`": [{"type": "integer"}], "`+tt.rest+`": {"type": "string"}}},
				"`+tt.defs+`": {"ID": {"type": "string"}}}`)
			want := "id string required\npair list required\npair[0] integer required\npair[] string required"
			if got := summaries(s); got != want || s.Draft() != tt.draft || len(s.Problems()) > 0 {
				t.Errorf("draft %s, problems %v, fields:\n%s", s.Draft(), s.Problems(), got)
			}
			f, _ := s.Field(way(t, "id"))
			if beside := strings.HasPrefix(tt.draft, "20"); (f.Doc == "beside") != beside {
				t.Errorf("doc beside $ref: %q", f.Doc)
			}
			if f.Pos.Line != 2 {
				t.Errorf("place of id: %s", f.Pos)
			}
			if err := s.Validate([]byte(`{"id": "a", "pair": [1, "x"]}`)); err != nil {
				t.Error(err)
			}
			if err := s.Validate([]byte(`{"id": "a", "pair": ["x"]}`)); err == nil {
				t.Error("a wrong pair is valid")
			}
		})
	}
}

func TestHostileFanOut(t *testing.T) {
	var defs []string
	for i := range 40 {
		next := `{"$ref": "#/$defs/d` + itoa(i+1) + `"}`
		defs = append(defs, `"d`+itoa(i)+`": {"anyOf": [`+next+`, `+next+`], "properties": {"a": `+next+`, "b": `+next+`}}`)
	}
	defs = append(defs, `"d40": {"required": ["a"]}`)
	s := load(t, `{"$ref": "#/$defs/d0", "type": "object", "$defs": {`+strings.Join(defs, ",")+`}}`)
	if n := len(s.Fields()); n > maxFields {
		t.Errorf("%d fields", n)
	}
	if f, err := s.Field(way(t, "a.a.b")); err == nil && f.Required {
		t.Error("required was guessed")
	}
}
