package codegen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// TestUnions: whether a union's objects have a tag or not, its decoder takes what
// the validator takes.
func TestUnions(t *testing.T) {
	const bank = `{"type": "object", "required": ["by"], "properties": {"by": {"enum": ["bank", "giro"]}, "iban": {"type": "string"}}, "additionalProperties": false}`
	const cash = `{"type": "object", "properties": {"by": {"const": "cash"}, "n": {"type": "integer"}}}`
	const giro = `{"type": "object", "required": ["by", "n"], "properties": {"by": {"enum": ["giro", "post"]}, "n": {}}}`
	const null = `{"type": "object", "required": ["by"], "properties": {"by": {"type": ["string", "null"], "enum": ["none", null]}}}`
	const part = `{"allOf": [{"required": ["by"], "properties": {"by": {"const": "part"}}}, {"type": "object", "properties": {"n": {"type": "string"}}}]}`
	const one = `{"type": "object", "required": ["by"], "properties": {"by": {"const": 1}, "n": {"type": "integer"}}}`
	const again = `{"type": "object", "required": ["by"], "properties": {"by": {"enum": [3, 10e-1]}}}`
	const listed = `{"type": "object", "required": ["by"], "properties": {"by": {"enum": [3, [1]]}}}`
	const yes = `{"type": "object", "required": ["by"], "properties": {"by": {"const": true}, "n": {"type": "integer"}}}`
	const none = `{"type": "object", "required": ["by"], "properties": {"by": {"type": "null", "enum": [null]}, "n": {"type": "string"}}}`
	const more = `{"$ref": "#/$defs/more"}`
	documents := []string{`null`, `true`, `1`, `"card"`, `[]`, `{}`, `{"by":null}`, `{"n":null}`, `{"more":null}`, `{"more":1}`, `{"by":1}`, `{"n":1}`, `{"by":"more","more":null}`, `{"by":"more","more":{"by":"more"}}`}
	for _, by := range []string{"card", "bank", "giro", "cash", "post", "none", "part", "more", ""} {
		for _, rest := range []string{``, `,"n":1`, `,"n":10`, `,"n":"x"`, `,"iban":"x"`, `,"iban":1`, `,"more":{"by":"card","n":1}`} {
			documents = append(documents, fmt.Sprintf(`{"by":%q%s}`, by, rest))
			if rest != "" {
				documents = append(documents, fmt.Sprintf(`{%s,"by":%q}`, rest[1:], by))
			}
		}
	}
	for _, by := range []string{"1", "1.0", "10e-1", "2", "-2.5", "3", "true", "false", "null", "[1]", "{}"} {
		documents = append(documents, `{"by":`+by+`}`, `{"by":`+by+`,"n":1}`, `{"n":"x","by":`+by+`}`)
	}
	cases := []unionCase{
		{"const and enum", cardArm + "," + bank, "tag"},
		{"with null and text", cardArm + "," + bank + `, {"type": "null"}, {"type": "string", "maxLength": 3}`, "tag"},
		{"the tag is not required", cardArm + "," + cash, "tries"},
		{"the tag may be null", cardArm + "," + null, "tag"},
		{"a number, a boolean and null", one + "," + yes + "," + none, "tag"},
		{"numbers and texts", one + "," + twoArm + "," + cardArm, "tag"},
		{"one number in two ways", one + "," + again, "tries"},
		{"a number and a list", one + "," + listed, "tries"},
		{"the tags overlap", bank + "," + giro, "tries"},
		{"the tag stands in allOf", cardArm + "," + part, "tag"},
		{"one twice", cardArm + "," + cardArm, "tries"},
		{"itself", cardArm + "," + more, "tag"},
		{"one defined twice", more + "," + more + "," + cardArm, "tries"},
		{"an integer and other numbers", `{"const": 1}, {"enum": [2, -2.50]}, ` + cardArm, ""},
		{"null twice", `{"type": "null"}, {"type": ["string", "null"]}, ` + cardArm + "," + bank, ""},
		{"null in each", `{"type": ["string", "null"]}, {"type": ["integer", "null"]}, ` + cardArm, ""},
		{"null below", cardArm + "," + `{"type": "object", "required": ["n"], "properties": {"n": {"oneOf": [{"type": "null"}, {"type": ["string", "null"]}]}}}, {"type": "object", "required": ["more"], "properties": {"more": {"oneOf": [{"type": ["integer", "null"]}, {"type": ["string", "null"]}]}}}`, ""},
		{"null refused aside", cardArm + "," + bank + `], "not": {"type": "null"}, "anyOf": [true, {"type": "null"}`, ""},
		{"null refused below", cardArm + "," + `{"type": "object", "required": ["n"], "properties": {"n": {"type": ["string", "null"], "not": {"type": "null"}}, "more": {"type": ["integer", "null"], "if": {"type": "null"}, "then": false}}}`, ""},
		{"with shared members", cardArm + "," + bank + `], "type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}, "by": {"type": "string"}}, "x": [`, "tag"},
		{"with shared members that nothing tells apart", cardArm + "," + giro + "," + bank + `], "type": "object", "properties": {"more": {"type": "string"}}, "x": [`, "tries"},
		{"with a shared reference", cardArm + "," + bank + `], "type": ["object", "null"], "$ref": "#/$defs/n", "x": [`, "tag"},
		{"with a condition", one + "," + twoArm + `], "type": ["object", "null"], "required": ["more"], "properties": {"more": true}, "if": {"required": ["n"]}, "then": {"properties": {"more": {"type": "object"}}}, "x": [`, "tag"},
		{"with what is left", cardArm + "," + twoArm + `], "type": "object", "properties": {"iban": {"type": "string"}}, "unevaluatedProperties": false, "x": [`, ""},
		{"below allOf", cardArm + "," + cash + `], "x": [`, ""},
		{"inside another", `{"oneOf": [` + cardArm + "," + bank + `]}, {"type": "boolean"}`, "tag"},
	}
	for _, how := range first(2, flavor{assert: true}, flavor{role: "n", reads: "by iban more", fields: true}, flavor{role: "n"}, flavor{role: "by", reads: "n iban", enums: true}) {
		t.Run(fmt.Sprintf("%+v", how), func(t *testing.T) { decodeUnions(t, how, cases, documents) })
	}
}

const cardArm = `{"type": "object", "required": ["by", "n"], "properties": {"by": {"const": "card"}, "n": {"type": "integer", "maximum": 9}}}`

const twoArm = `{"type": "object", "required": ["by"], "properties": {"by": {"enum": [2, -2.50]}, "n": {"type": "string"}}, "additionalProperties": false}`

// unionCase is a union by its arms.
type unionCase struct {
	name, arms string
	by         string // how the code tells objects apart; "": any way
}

func decodeUnions(t *testing.T, how flavor, cases []unionCase, documents []string) {
	dir, run := t.TempDir(), corpusRun{files: map[string]string{}, how: how}
	for i, c := range cases {
		for j, word := range []string{"oneOf", "anyOf"} {
			text := fmt.Sprintf(`{"$schema": "https://json-schema.org/draft/2020-12/schema", %q: [%s], "$defs": {"more":
				{"type": "object", "required": ["by"], "properties": {"by": {"const": "more"}, "more": {"$ref": "#"}}},
				"n": {"required": ["n"], "properties": {"n": {"type": ["integer", "string"]}}}}}`, word, c.arms)
			if c.name == "below allOf" {
				text = fmt.Sprintf(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "allOf": [{"type": "object", "properties": {"iban": {"type": "integer"}}},
					{"required": ["n"], %q: [%s, %s]}], "unevaluatedProperties": {"type": "object"}}`, word, cardArm, twoArm)
			}
			name := fmt.Sprintf("s%d%s.schema.json", i, word)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			tree, err := source.Open(t.Context(), dir, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			schema, errs := jsonschema.Load(tree, name, jsonschema.Options{})
			if schema == nil {
				t.Fatal(errs)
			}
			run.add(t, 2*i+j, corpusPair{New: json.RawMessage(text)}, schema)
			for _, d := range documents {
				run.questions = append(run.questions, question{2*i + j, schema, text, d})
			}
			ignores := &builder{enums: contract.Ignore} // takes every text for an enum's
			if tag := ignores.tagOf(ignores.relax(newReader(schema, false).root()).objects(), everything); tag != nil && strings.Contains(c.arms, "giro") {
				t.Errorf("%s %s: a reader that ignores unknown values has the tag %v", word, c.name, tag)
			}
			if how != (flavor{assert: true}) {
				continue
			}
			code := run.files[fmt.Sprintf("e%d.go", 2*i+j)]
			if tagged := strings.Contains(code, "s.Tag"); c.by != "" && tagged != (c.by == "tag") {
				t.Errorf("%s %s: tagged is %t\n%s", word, c.name, tagged, code)
			}
			if tries := strings.Contains(code, "s.Count("); c.by != "" && tries != (c.by == "tries") {
				t.Errorf("%s %s: alternatives are tried: %t\n%s", word, c.name, tries, code)
			}
		}
	}
	t.Logf("%d documents, %d taken", len(run.questions), run.compare(t))
}
