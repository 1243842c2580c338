package compat

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// jsonDefaults are the assumptions of a reader that says nothing.
var jsonDefaults = Assumptions{UnknownFields: contract.Ignore, Writers: contract.ClosedWriters, Encoding: contract.JSON}

func jsonEvent(t *testing.T, name, text string) *contract.Event {
	return &contract.Event{Manifest: &contract.Manifest{}, Schema: jsonSchema(t, name, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", `+text+`}`)}
}

// breaksOf writes breaks as rule path, sorted.
func breaksOf(r Result) string {
	var list []string
	for _, b := range r.Breaks {
		s := b.Rule + " " + b.Path.String()
		if b.Severity != rule.Error {
			s += " " + b.Severity.String()
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func rejecting(as Assumptions) Assumptions {
	as.UnknownFields = contract.Reject
	return as
}

func open(as Assumptions) Assumptions {
	as.Writers = contract.OpenWriters
	return as
}

func reading1(as Assumptions, fields ...string) Assumptions {
	for _, f := range fields {
		p, _ := contract.ParsePath(f)
		as.Fields = append(as.Fields, p)
	}
	as.Declared = true
	return as
}

func ignoringEnums(as Assumptions) Assumptions {
	as.UnknownEnums = contract.Ignore
	return as
}

// TestReadJSONSchema asks both ways about a change from one schema to another.
// An empty answer is holds.
func TestReadJSONSchema(t *testing.T) {
	const (
		ab   = `"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}`
		a    = `"properties": {"a": {"type": "string"}}`
		shut = `, "additionalProperties": false`
	)
	for _, tt := range []struct {
		name              string
		old, new          string
		as                Assumptions
		forward, backward string
	}{
		{"nothing", ab, ab, jsonDefaults, "", ""},
		{"a title", a, a + `, "title": "A"`, jsonDefaults, "", ""},
		{"optional field to an open object", a, ab, jsonDefaults, "", "field-unsent b warning"},
		{"optional field to an open object, open writers", a, ab, open(jsonDefaults), "", "type-refused b"},
		{"optional field to a closed object", a + shut, ab + shut, jsonDefaults, "", "field-unsent b warning"},
		{"optional field to a closed object, strict reader", a + shut, ab + shut, rejecting(jsonDefaults), "field-refused b", "field-unsent b warning"},
		{"optional field removed", ab, a, jsonDefaults, "field-unsent b warning", ""},
		{"declared field removed", ab, a, reading1(jsonDefaults, "b"), "field-unsent b", ""},
		{"another field removed", ab, a, reading1(jsonDefaults, "a"), "", ""},
		{"required field removed", ab + `, "required": ["b"]`, a, jsonDefaults, "field-missing b", ""},
		{"required field added", a, ab + `, "required": ["b"]`, jsonDefaults, "", "field-missing b"},
		{"made optional", a + `, "required": ["a"]`, a, jsonDefaults, "field-missing a", ""},
		{"type changed", a, `"properties": {"a": {"type": "integer"}}`, jsonDefaults, "type-refused a", "type-refused a"},
		{"type widened", `"properties": {"a": {"type": "integer"}}`, `"properties": {"a": {"type": ["integer", "null"]}}`, jsonDefaults, "type-refused a", ""},
		{"integer to number", `"properties": {"a": {"type": "integer"}}`, `"properties": {"a": {"type": "number"}}`, jsonDefaults, "type-refused a", ""},
		{"another type, not read", ab, `"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}`, reading1(jsonDefaults, "b"), "", ""},
		{"enum value added", `"properties": {"a": {"enum": ["x"]}}`, `"properties": {"a": {"enum": ["x", "y"]}}`, jsonDefaults, "value-refused a", ""},
		{"enum value added, ignored", `"properties": {"a": {"enum": ["x"]}}`, `"properties": {"a": {"enum": ["x", "y"]}}`, ignoringEnums(jsonDefaults), "", ""},
		{"bounds", `"properties": {"a": {"type": "integer", "minimum": 1}}`, `"properties": {"a": {"type": "integer", "minimum": 0}}`, jsonDefaults, "value-refused a", ""},
		{"length", `"properties": {"a": {"type": "string", "maxLength": 3}}`, `"properties": {"a": {"type": "string", "maxLength": 4}}`, jsonDefaults, "value-refused a", ""},
		{"nested in a list", `"properties": {"l": {"type": "array", "items": {"type": "object", "properties": {"p": {"type": "integer"}}}}}`,
			`"properties": {"l": {"type": "array", "items": {"type": "object", "properties": {"p": {"type": "string"}}}}}`, jsonDefaults, "type-refused l[].p", "type-refused l[].p"},
		{"elements", `"properties": {"l": {"type": "array", "maxItems": 1}}`, `"properties": {"l": {"type": "array", "maxItems": 2}}`, jsonDefaults, "shape-refused l", ""},
		{"a name", `"additionalProperties": {"type": "string"}, "propertyNames": {"maxLength": 2}`, `"additionalProperties": {"type": "string"}, "propertyNames": {"maxLength": 3}`, jsonDefaults, "field-refused xxx", ""},
		{"a field beside another", `"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}`, `"properties": {"a": {}, "b": {}}`, jsonDefaults, "field-missing b", ""},
		{"a field forbidden", `"properties": {"a": false}`, `"properties": {"a": {"type": "string"}}`, jsonDefaults, "field-refused a", "field-unsent a warning"},
		{"an alternative more", `"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}}`, `"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "integer"}]}}`, jsonDefaults, "shape-refused a", ""},
		{"a pattern", `"properties": {"a": {"type": "string", "pattern": "^[a-z]+$"}}`, `"properties": {"a": {"type": "string", "pattern": "^[a-z0-9]+$"}}`, jsonDefaults, "value-refused a", ""},
		{"two at once", ab, `"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}`, jsonDefaults, "type-refused a, type-refused b", "type-refused a, type-refused b"},
		{"behind a $ref", `"properties": {"c": {"$ref": "#/$defs/C"}}, "$defs": {"C": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}`,
			`"properties": {"c": {"type": "object", "properties": {"id": {"type": "string"}}}}`, jsonDefaults, "field-missing c.id", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			prev, next := jsonEvent(t, "old.json", tt.old), jsonEvent(t, "new.json", tt.new)
			checkRead(t, "forward", Question{Reader: prev, Writer: next, As: tt.as}, tt.forward)
			checkRead(t, "backward", Question{Reader: next, Writer: prev, As: tt.as}, tt.backward)
		})
	}
}

func checkRead(t *testing.T, direction string, q Question, want string) {
	t.Helper()
	r := readJSONSchema(q)
	answer := rule.Holds
	if slices.ContainsFunc(strings.Split(want, ", "), func(s string) bool { return s != "" && !strings.HasSuffix(s, " warning") }) {
		answer = rule.Refuted
	}
	if r.Answer != answer || breaksOf(r) != want {
		t.Errorf("%s: %s (%s) %q, want %s %q", direction, r.Answer, r.Reason, breaksOf(r), answer, want)
	}
	for _, b := range r.Breaks {
		replay(t, direction, q, b)
	}
}

// replay holds a break to its word: the writer's own schema accepts the event,
// and the reader's refuses it.
func replay(t *testing.T, direction string, q Question, b Break) {
	t.Helper()
	if b.Reader.Line == 0 || b.Writer.Line == 0 || b.Message == "" {
		t.Errorf("%s: incomplete: %+v", direction, b)
	}
	if b.Witness == nil {
		if b.Rule != "field-unsent" {
			t.Errorf("%s: %s without a witness", direction, b.Rule)
		}
		return
	}
	if !json.Valid(b.Witness.Event) || b.Witness.ReaderSees == "" {
		t.Errorf("%s: witness %+v", direction, b.Witness)
	}
	if err := q.Writer.Schema.Validate(b.Witness.Event); err != nil {
		t.Errorf("%s: the writer refuses %s: %v", direction, b.Witness.Event, err)
	}
	if err := q.Reader.Schema.Validate(b.Witness.Event); err == nil {
		t.Errorf("%s: the reader accepts %s", direction, b.Witness.Event)
	}
}

func TestReadJSONSchemaUndecided(t *testing.T) {
	whole := jsonEvent(t, "whole.json", `"properties": {"a": {"type": "string"}}`)
	holed := jsonEvent(t, "holed.json", `"properties": {"a": {"$ref": "https://example.com/a.json"}}`)
	for _, q := range []Question{{Reader: whole, Writer: holed, As: jsonDefaults}, {Reader: holed, Writer: whole, As: jsonDefaults}} {
		if r := readJSONSchema(q); r.Answer != rule.Unknown || !strings.Contains(r.Reason, "holed.json:1:") {
			t.Errorf("%s: %s", r.Answer, r.Reason)
		}
	}
}

func TestReadJSONSchemaReason(t *testing.T) {
	look := jsonEvent(t, "look.json", `"properties": {"a": {"type": "string", "pattern": "^(?=x).(?!y)"}}`)
	other := jsonEvent(t, "other.json", `"properties": {"a": {"type": "string", "pattern": "^(?=x)..?(?!z)"}}`)
	r := readJSONSchema(Question{Reader: look, Writer: other, As: jsonDefaults})
	if r.Answer == rule.Holds || r.Answer == rule.Unknown && !strings.Contains(r.Reason, ".json:1:") {
		t.Errorf("%s: %s %v", r.Answer, r.Reason, breaksOf(r))
	}
}
