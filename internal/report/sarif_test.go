package report

import (
	"encoding/json"
	"net/url"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// TestSARIFSchema validates against the official schema, which is not ours to
// keep a copy of.
func TestSARIFSchema(t *testing.T) {
	file := os.Getenv("EVCONTRACT_SARIF_SCHEMA")
	if file == "" {
		t.Skip("set EVCONTRACT_SARIF_SCHEMA to a copy of " + sarifSchema)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.CompileString("sarif.json", string(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range reports() {
		if err := s.Validate(parsed(t, render(t, "sarif", r, Options{}))); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// sarifRequired is what the standard, and GitHub beyond it, demand of the parts
// that are written: SARIF 2.1.0 sections 3.13 to 3.52.
const sarifRequired = `{
  "type": "object", "required": ["$schema", "version", "runs"],
  "properties": {"version": {"const": "2.1.0"}, "runs": {"type": "array", "minItems": 1, "maxItems": 20, "items": {
    "required": ["tool", "columnKind", "results"],
    "properties": {
      "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
      "tool": {"required": ["driver"], "properties": {"driver": {"required": ["name", "rules"], "properties": {
        "name": {"type": "string", "minLength": 1},
        "rules": {"type": "array", "uniqueItems": true, "items": {
          "required": ["id", "shortDescription", "fullDescription", "help", "defaultConfiguration"],
          "properties": {
            "shortDescription": {"$ref": "#/$defs/text"}, "fullDescription": {"$ref": "#/$defs/text"}, "help": {"$ref": "#/$defs/text"},
            "defaultConfiguration": {"properties": {"level": {"$ref": "#/$defs/level"}}},
            "properties": {"properties": {"tags": {"type": "array", "uniqueItems": true, "maxItems": 10}}}}}}}}}},
      "results": {"type": "array", "items": {
        "required": ["ruleId", "level", "message", "locations", "partialFingerprints"],
        "properties": {
          "ruleIndex": {"type": "integer", "minimum": 0},
          "level": {"$ref": "#/$defs/level"},
          "message": {"$ref": "#/$defs/text"},
          "locations": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/location"}},
          "relatedLocations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
          "partialFingerprints": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string", "minLength": 1}},
          "suppressions": {"type": "array", "items": {"required": ["kind"], "properties": {
            "kind": {"enum": ["inSource", "external"]}, "status": {"enum": ["accepted", "underReview", "rejected"]}}}}}}}}}}},
  "$defs": {
    "level": {"enum": ["none", "note", "warning", "error"]},
    "text": {"required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}},
    "location": {"required": ["physicalLocation"], "properties": {"physicalLocation": {
      "required": ["artifactLocation"],
      "properties": {
        "artifactLocation": {"required": ["uri"], "properties": {"uri": {"type": "string", "minLength": 1}}},
        "region": {"required": ["startLine"], "properties": {
          "startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1}}}}}}}
  }
}`

func TestSARIFStructure(t *testing.T) {
	s := jsonschema.MustCompileString("required.json", sarifRequired)
	for name, r := range reports() {
		out := render(t, "sarif", r, Options{})
		if err := s.Validate(parsed(t, out)); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
		var log sarifLog
		if err := json.Unmarshal(out, &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		for _, result := range run.Results {
			if i := result.RuleIndex; i != nil && run.Tool.Driver.Rules[*i].ID != result.RuleID {
				t.Errorf("%s: ruleIndex %d is not %s", name, *i, result.RuleID)
			}
		}
	}
}

func TestFileURI(t *testing.T) {
	for _, file := range []string{"a b/c#d?.yaml", "c:d.yaml", "100%.yaml", "ü.yaml", nasty} {
		base := &url.URL{Scheme: "file", Path: "/root/"}
		ref, err := url.Parse(fileURI(file))
		if err != nil {
			t.Errorf("%q: %v", file, err)
			continue
		}
		if got := base.ResolveReference(ref).Path; got != "/root/"+file {
			t.Errorf("%q leads to %q", file, got)
		}
	}
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
