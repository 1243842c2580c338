package load_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

const event = `event: OrderPaid.v1
owner: team-orders
schema: order_paid.v1.schema.json
identity:
  event_id: event_id
  aggregate: {type: order, id: order_id, version: version}
  idempotency_key: [payment_id]
channel: {topic: orders.events}
`

const schema = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"event_id": {"type": "string"}}}`

const proto = "syntax = \"proto3\";\npackage shop;\nmessage Order { string id = 1; message Line { string sku = 1; } }\nmessage Other { Order order = 1; }\n"

// set loads files, in dir's root or as one bare file.
func set(t testing.TB, files map[string]string, file string, o load.Options) *contract.Set {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	s, err := load.Set(context.Background(), &source.Tree{Name: "test", Ref: "test", FS: fsys, File: file}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func names(s *contract.Set) string {
	var all []string
	for _, e := range s.Events {
		all = append(all, e.Name.Value.String())
	}
	return strings.Join(all, " ")
}

func TestWorkspace(t *testing.T) {
	s := set(t, map[string]string{
		"evcontract.yaml": "contracts: contracts\ndefaults: {retry: {attempts: 3}}\n",
		"contracts/orders/order_paid.v1.event.yaml":  event,
		"contracts/orders/order_paid.v1.schema.json": schema,
		"contracts/loyalty.consumer.yaml":            "consumer: loyalty\nreads: [{event: OrderPaid.v1}]\n",
		"contracts/notes.txt":                        "not a manifest",
		"elsewhere/x.event.yaml":                     event,
	}, "", load.Options{})
	if len(s.Findings) > 0 {
		t.Fatal(s.Findings)
	}
	if got := names(s); got != "OrderPaid.v1" {
		t.Errorf("events are %q", got)
	}
	if len(s.Consumers) != 1 || s.Consumers[0].Retry.Attempts.Value != 3 || s.Consumers[0].Quarantine.Keep.Value.String() != "30d" {
		t.Errorf("the consumer does not inherit: %+v", s.Consumers)
	}
	if s.Workspace.Writers.Value != contract.ClosedWriters || s.Workspace.Compatibility.Value != contract.Full {
		t.Errorf("the workspace has no defaults: %+v", s.Workspace)
	}
	if got := strings.Join(s.Schemas, " "); got != "contracts/orders/order_paid.v1.schema.json" {
		t.Errorf("schemas are %q", got)
	}
}

func TestBare(t *testing.T) {
	files := map[string]string{"shop.proto": proto, "paid.json": schema, "package.json": `{"name": "shop"}`, "sub/placed.schema.yaml": "type: object\n"}
	for _, tt := range []struct{ file, message, want string }{
		{"", "", "paid.json shop.Order shop.Other sub/placed.schema.yaml"},
		{"paid.json", "", "paid.json"},
		{"shop.proto", "", "shop.Order shop.Other"},
		{"shop.proto", "shop.Other", "shop.Other"},
		{"shop.proto", "shop.Order.Line", "shop.Order.Line"},
		{"shop.proto", "shop.Orders", ""},
	} {
		s := set(t, files, tt.file, load.Options{Message: tt.message})
		if got := names(s); got != tt.want || len(s.Findings) > 0 || !s.Bare {
			t.Errorf("%s %s: events %q, want %q; %v", tt.file, tt.message, got, tt.want, s.Findings)
		}
	}
}

// TestUnreadable holds that what is wrong has a place, and that the rest is
// loaded all the same.
func TestUnreadable(t *testing.T) {
	good := map[string]string{"evcontract.yaml": "contracts: c\n", "c/order_paid.v1.event.yaml": event, "c/order_paid.v1.schema.json": schema}
	for _, tt := range []struct{ name, file, text, place, says string }{
		{"unknown key", "evcontract.yaml", "contracts: c\nwriter: open\n", "evcontract.yaml:2:1", `did you mean "writers"`},
		{"no folder", "evcontract.yaml", "contracts: d\n", "evcontract.yaml:1:12", `no folder "d"`},
		{"empty manifest", "c/a.event.yaml", "", "c/a.event.yaml", ""},
		{"a list", "c/a.event.yaml", "- event: A.v1\n", "c/a.event.yaml:1:1", "a list"},
		{"no name", "c/a.event.yaml", "owner: team\n", "c/a.event.yaml:1:1", "event: is missing"},
		{"bad name", "c/a.event.yaml", "event: A\n", "c/a.event.yaml:1:8", "like OrderPaid.v1"},
		{"bad path", "c/a.event.yaml", "event: A.v1\npii: [a..b]\n", "c/a.event.yaml:2:7", "odd name"},
		{"bad duration", "evcontract.yaml", "contracts: c\nwindow: {retention: a week}\n", "evcontract.yaml:2:21", "write 30d"},
		{"no schema file", "c/a.event.yaml", "event: A.v1\nschema: nowhere.json\n", "c/a.event.yaml:2:9", "beside the manifest"},
		{"no proto", "c/a.event.yaml", "event: A.v1\nschema: nowhere.proto#A\n", "c/a.event.yaml:2:9", "proto_paths c"},
		{"odd schema", "c/a.event.yaml", "event: A.v1\nschema: a.avsc\n", "c/a.event.yaml:2:9", "neither a .proto nor a JSON Schema"},
		{"out of the tree", "c/a.event.yaml", "event: A.v1\nschema: ../../../../etc/passwd.json\n", "c/a.event.yaml:2:9", "there is no file"},
		{"broken consumer", "c/l.consumer.yaml", "consumer: loyalty\nreads: [{event: OrderPaid.v1, order: newest}]\n", "c/l.consumer.yaml:2:38", "any, latest or contiguous"},
	} {
		files := map[string]string{tt.file: tt.text}
		for name, text := range good {
			if _, replaced := files[name]; !replaced {
				files[name] = text
			}
		}
		s := set(t, files, "", load.Options{})
		if len(s.Findings) == 0 {
			t.Errorf("%s: nothing is unreadable", tt.name)
			continue
		}
		f := s.Findings[0]
		if f.Rule != "unreadable" || !strings.HasPrefix(f.New.String(), tt.place) || !strings.Contains(f.Message, tt.says) {
			t.Errorf("%s: %s: %s (%s)\nwant %s: …%s…", tt.name, f.New, f.Message, f.Rule, tt.place, tt.says)
		}
		if tt.name != "no folder" && s.Event(contract.Name{Base: "OrderPaid", Major: 1}) == nil {
			t.Errorf("%s: the good event was not loaded", tt.name)
		}
	}
}

// FuzzManifest holds that no text panics, and that everything wrong has a place.
func FuzzManifest(f *testing.F) {
	f.Add(event)
	f.Add("event: A.v1\nschema: x.json\nexamples: {valid: [1]}\n")
	f.Add("consumer: loyalty\nreads:\n  - event: A.v1\n    fields: [a[].b]\n")
	f.Add("contracts: c\nwaivers: [{rule: x}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"c/a.event.yaml", "c/a.consumer.yaml", "c/a.event.json", "evcontract.yaml"} {
			files := map[string]string{"evcontract.yaml": "contracts: c\n", "c/order_paid.v1.schema.json": schema}
			files[name] = text
			for _, finding := range set(t, files, "", load.Options{}).Findings {
				if finding.New.File == "" || finding.Message == "" {
					t.Errorf("%s: a finding without a place or words: %+v", name, finding)
				}
			}
		}
	})
}
