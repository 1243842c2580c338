package contract

import (
	"testing"

	"github.com/evcontract/evcontract/internal/source"
)

type fakeSchema struct {
	Schema
	digest string
}

func (s fakeSchema) Digest() string { return s.digest }
func (s fakeSchema) Format() Format { return JSONSchemaFormat }

// TestConsumerRevision holds what a consumer's revision depends on: all that
// changes what it can read, and nothing else.
func TestConsumerRevision(t *testing.T) {
	name := func(s string) Name {
		n, err := ParseName(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	said := source.Pos{File: "c.yaml", Line: 1, Column: 1}
	revision := func(change func(c *Consumer, e *Event)) string {
		e := &Event{Manifest: &Manifest{}, Schema: fakeSchema{digest: "d1"}}
		e.Name.Value = name("Paid.v1")
		later := &Event{Manifest: &Manifest{}, Schema: fakeSchema{digest: "d2"}}
		later.Name.Value = name("Paid.v2")
		c := &Consumer{Reads: make([]Reading, 1)}
		c.Name.Value = "loyalty"
		c.Reads[0].Event.Value = e.Name.Value
		change(c, e)
		return c.Revision(&Set{Events: []*Event{e, later}})
	}
	base := revision(func(*Consumer, *Event) {})
	seen := map[string]string{base: "nothing changed"}
	for what, change := range map[string]func(c *Consumer, e *Event){
		"schema":         func(_ *Consumer, e *Event) { e.Schema = fakeSchema{digest: "d3"} },
		"unknown_fields": func(c *Consumer, _ *Event) { c.Reads[0].UnknownFields.Value = Reject },
		"unknown_enums":  func(c *Consumer, _ *Event) { c.Reads[0].UnknownEnums.Value = Ignore },
		"order":          func(c *Consumer, _ *Event) { c.Reads[0].Order.Value = Latest },
		"batch":          func(c *Consumer, _ *Event) { c.Reads[0].Batch.Value = true },
		"upcast": func(c *Consumer, _ *Event) {
			c.Reads[0].Upcast = source.At[Name]{Value: name("Paid.v2"), Pos: said}
		},
		"fields": func(c *Consumer, _ *Event) {
			c.Reads[0].Fields = []source.At[Path]{{Value: Path{{Kind: FieldStep, Name: "total"}}}}
		},
		"an event more": func(c *Consumer, _ *Event) {
			c.Reads = append(c.Reads, Reading{Event: source.At[Name]{Value: name("Paid.v2")}})
		},
		"name": func(c *Consumer, _ *Event) { c.Name.Value = "audit" },
	} {
		got := revision(change)
		if other, twice := seen[got]; twice {
			t.Errorf("%s: the revision is that of %s", what, other)
		}
		seen[got] = what
	}
	for what, change := range map[string]func(c *Consumer, e *Event){
		"defaults that are said": func(c *Consumer, _ *Event) {
			c.Reads[0].Order.Value, c.Reads[0].UnknownFields.Value, c.Reads[0].UnknownEnums.Value = AnyOrder, Ignore, Reject
		},
		"owner":   func(c *Consumer, e *Event) { c.Owner.Value, e.Owner.Value = "team", "team" },
		"retries": func(c *Consumer, _ *Event) { c.Retry.Attempts.Value = 7 },
	} {
		if got := revision(change); got != base {
			t.Errorf("%s: another revision, %s", what, got)
		}
	}
	if len(base) != 16 {
		t.Errorf("revision %q: want 16 digits", base)
	}
}
