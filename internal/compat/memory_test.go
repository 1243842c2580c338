package compat_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// TestMemory holds the questions that are one question to be asked once: what
// changes no revision and no way of reading.
func TestMemory(t *testing.T) {
	const schema = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"id": {"type": "string"}}}`
	one, other := event(t, schema, ""), event(t, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}`, "")
	read := func(m *compat.Memory, reader, writer *contract.Event, as compat.Assumptions) {
		if r := m.Read(compat.Question{Reader: reader, Writer: writer, As: as}); r.Answer != compat.Read(compat.Question{Reader: reader, Writer: writer, As: as}).Answer {
			t.Errorf("remembered %v", r)
		}
	}
	a, b := contract.Path{{Name: "a"}}, contract.Path{{Name: "b"}}
	base := compat.Assumptions{Writers: contract.ClosedWriters, Encoding: contract.JSON, Fields: []contract.Path{a, b}}
	for _, c := range []struct {
		name   string
		second *contract.Event
		as     func(*compat.Assumptions)
		want   int
	}{
		{"the same", one, func(*compat.Assumptions) {}, 1},
		{"a title", event(t, `{"title": "x", `+schema[1:], ""), func(*compat.Assumptions) {}, 1},
		{"fields in another order, one twice", one, func(as *compat.Assumptions) { as.Fields = []contract.Path{b, a, b} }, 1},
		{"another schema", event(t, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array"}`, ""), func(*compat.Assumptions) {}, 2},
		{"a rename", event(t, schema, "renamed: {id: old}\n"), func(*compat.Assumptions) {}, 2},
		{"formats are assertions", event(t, schema, "", load.Options{AssertFormats: true}), func(*compat.Assumptions) {}, 2},
		{"every field", one, func(as *compat.Assumptions) { as.Fields = nil }, 2},
		{"no field", one, func(as *compat.Assumptions) { as.Fields = []contract.Path{} }, 2},
		{"unknown fields", one, func(as *compat.Assumptions) { as.UnknownFields = contract.Reject }, 2},
		{"unknown enums", one, func(as *compat.Assumptions) { as.UnknownEnums = contract.Reject }, 2},
		{"open writers", one, func(as *compat.Assumptions) { as.Writers = contract.OpenWriters }, 2},
		{"declared", one, func(as *compat.Assumptions) { as.Declared = true }, 2},
	} {
		var m compat.Memory
		as := base
		c.as(&as)
		read(&m, one, other, base)
		read(&m, c.second, other, as)
		if m.Pairs() != c.want {
			t.Errorf("%s: %d questions, want %d", c.name, m.Pairs(), c.want)
		}
	}
	var m compat.Memory
	if read(&m, one, event(t, schema, "owner: o\n"), base); m.Pairs() != 0 {
		t.Errorf("a revision was asked whether it reads itself")
	}
	read(&m, &contract.Event{Manifest: &contract.Manifest{}}, one, base)
	read(&m, &contract.Event{Manifest: &contract.Manifest{}}, one, base)
	if m.Pairs() != 2 {
		t.Errorf("two schemas that cannot be read are taken for one")
	}
}

func event(t *testing.T, schema, more string, o ...load.Options) *contract.Event {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"evcontract.yaml": "contracts: .\n", "e.schema.json": schema,
		"e.event.yaml": "event: E.v1\nschema: e.schema.json\n" + more,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	set, err := load.Set(t.Context(), tree, append(o, load.Options{})[0])
	if err != nil || len(set.Events) != 1 || set.Events[0].Schema == nil {
		t.Fatal(err, set.Findings)
	}
	return set.Events[0]
}
