package codegen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/rule"
)

const findingsEvent = `event: OrderPaid.v1
summary: s
owner: o
producer: p
status: stable
schema: s.schema.json
identity:
  event_id: id
  aggregate: {type: order, id: order, version: version}
  idempotency_key: [payment]
  occurred_at: at
channel: {topic: t}
`

const findingsSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "required": ["id", "order", "version", "payment", "at"],
  "properties": {
    "id": {"type": "string"}, "order": {"type": "string"}, "version": {"type": "integer"}, "payment": {"type": "string"},
    "at": {"type": "string", "format": "date-time"},
    "more": {"type": "string"}
  }
}`

// TestFindings: what cannot be generated as it stands is said with its place,
// and an error leaves no files.
func TestFindings(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", `"more": {"type": "string"}`, `"more": {"type": "string"}`, ""},
		{"a tuple", `"more": {"type": "string"}`, `"more": {"type": "array", "prefixItems": [{"type": "string"}]}`, ""},
		{"several kinds", `"more": {"type": "string"}`, `"more": {"minimum": 3}`,
			"warning contracts/s.schema.json:7:13 OrderPaid.v1/more: the value may be of several kinds: it is checked, and handed over as json.RawMessage"},
		{"what nothing else evaluates", `"more": {"type": "string"}`, `"more": {"type": "object", "unevaluatedProperties": false}`, ""},
		{"an integer without bounds", `"more": {"type": "string"}`, `"more": {"type": "integer", "minimum": 0}`,
			"warning contracts/s.schema.json:7:13 OrderPaid.v1/more: an integer without bounds: it is int64, and one that doesn't fit is refused"},
		{"an integer with bounds", `"more": {"type": "string"}`, `"more": {"type": "integer", "minimum": 0, "exclusiveMaximum": 100}`, ""},
		{"a pattern", `"more": {"type": "string"}`, `"more": {"type": "string", "pattern": "(a)\\1"}`,
			`error contracts/s.schema.json:7:32 OrderPaid.v1/more: pattern cannot be checked by generated code: no decoder is generated that would ignore it (the pattern "(a)\\1" uses a back-reference, which is not regular)`},
		{"a pattern in an alternative", `"more": {"type": "string"}`, `"more": {"type": "string", "anyOf": [{"pattern": "(?<=a)b"}, {"minLength": 1}]}`,
			`error contracts/s.schema.json:7:43 OrderPaid.v1: pattern cannot be checked by generated code: no decoder is generated that would ignore it (the pattern "(?<=a)b" uses lookaround, which is not regular)`},
		{"an optional key", `"version", "payment", `, `"version", `,
			"error contracts/e.event.yaml:10:21 OrderPaid.v1: idempotency_key: payment is not in every event: make it required, and never null"},
		{"a key that is null", `"payment": {"type": "string"}`, `"payment": {"type": ["string", "null"]}`,
			"error contracts/e.event.yaml:10:21 OrderPaid.v1: idempotency_key: payment is not in every event: make it required, and never null"},
		{"a key of the wrong type", `"payment": {"type": "string"}`, `"payment": {"type": "number"}`,
			"error contracts/e.event.yaml:10:21 OrderPaid.v1: idempotency_key: payment has a type that cannot play this role"},
		{"no key", `idempotency_key: [payment]`, `partition_key: order`,
			"error contracts/e.event.yaml:1:1 OrderPaid.v1: the event declares no idempotency_key"},
		{"no topic", `channel: {topic: t}`, ``, "error contracts/e.event.yaml:1:1 OrderPaid.v1: the event declares no topic"},
		{"a list of keys", `[payment]`, `["more[]"]`,
			"error contracts/e.event.yaml:10:21 OrderPaid.v1: idempotency_key: more is not in every event: make it required, and never null"},
		{"no object", `"type": "object",`, `"type": "array",`,
			"error contracts/s.schema.json:1:1 OrderPaid.v1: the payload is no object with named members: no Go type can stand for it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"evcontract.yaml":         "contracts: contracts\n",
				"contracts/e.event.yaml":  strings.Replace(findingsEvent, c.old, c.new, 1),
				"contracts/s.schema.json": strings.Replace(findingsSchema, c.old, c.new, 1),
			} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			files, found, err := Go(loadSet(t, dir), Options{Module: "m", Package: "events"})
			if err != nil {
				t.Fatal(err)
			}
			failed := false
			var got []string
			for _, f := range found {
				got = append(got, f.Severity.String()+" "+f.New.String()+" "+f.Path+": "+f.Message)
				failed = failed || f.Severity == rule.Error
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
			if failed != (files == nil) {
				t.Errorf("failed %t, %d files", failed, len(files))
			}
		})
	}
}

// TestDecimalType: what generate.go.decimal names must be a type of a package.
func TestDecimalType(t *testing.T) {
	for text, good := range map[string]bool{
		"github.com/shopspring/decimal.Decimal": true, "example.com/money/v2.Amount": true, "decimal.Decimal": true,
		"github.com/shopspring/decimal": false, "Decimal": false, "github.com/shopspring/decimal.": false,
		"github.com/shopspring/decimal.decimal": false, "github.com/shopspring/decimal.Deci-mal": false, ".Decimal": false,
		"*github.com/shopspring/decimal.Decimal": false, "github.com/shopspring/decimal Decimal.X": false,
	} {
		dir := t.TempDir()
		for name, content := range map[string]string{
			"evcontract.yaml":         "contracts: contracts\ngenerate: {go: {out: events, package: events, decimal: '" + text + "'}}\n",
			"contracts/e.event.yaml":  findingsEvent,
			"contracts/s.schema.json": strings.Replace(findingsSchema, `"more": {"type": "string"}`, `"more": {"type": "number"}`, 1),
		} {
			if err := os.MkdirAll(filepath.Join(dir, "contracts"), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, name), content)
		}
		files, found, err := Go(loadSet(t, dir), Options{Module: "m", Package: "events"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if good {
			if files == nil || len(found) != 0 {
				t.Errorf("%s: %v", text, found)
			}
			continue
		}
		if files != nil || len(found) != 1 {
			t.Errorf("%s is taken: %v", text, found)
			continue
		}
		want := "evcontract.yaml:2:56: generate.go.decimal: \"" + text + "\" is no Go type: want an import path and a type, like github.com/shopspring/decimal.Decimal"
		if got := found[0].New.String() + ": " + found[0].Message; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
