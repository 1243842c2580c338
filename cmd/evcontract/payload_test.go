package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

var personalContracts = map[string][]byte{
	"evcontract.yaml": []byte("contracts: contracts\n"),
	"contracts/a.v1.event.yaml": []byte(`event: A.v1
schema: a.json
channel: {topic: a, encoding: json}
pii: [customer.email, "lines[].phone", "notes{}", "pair[0]"]
`),
	"contracts/a.json": []byte(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {
		"id": {"type": "string"},
		"customer": {"type": "object", "properties": {"id": {"type": "string"}, "email": {"type": "string"}}},
		"lines": {"type": "array", "items": {"type": "object", "properties": {"phone": {"type": "string"}, "sku": {"type": "string"}}}},
		"notes": {"type": "object", "additionalProperties": {"type": "string"}},
		"pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}]}}}`),
	"contracts/b.v1.event.yaml": []byte(`event: B.v1
schema: b.proto#b.B
channel: {topic: b, encoding: protobuf}
pii: [customer.email]
`),
	"contracts/b.proto": []byte(`syntax = "proto3";
package b;
message B { string id = 1; Customer customer = 2; }
message Customer { string id = 1; string email = 2; }
`),
}

func TestPayloadView(t *testing.T) {
	dir := t.TempDir()
	if err := source.WriteFiles(dir, personalContracts); err != nil {
		t.Fatal(err)
	}
	a := &app{out: io.Discard, err: io.Discard, now: time.Now}
	j, err := a.open(t.Context(), []string{dir}, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(j.set.Findings) > 0 {
		t.Fatal(j.set.Findings)
	}
	for _, c := range []struct {
		name, event, payload string
		want                 string // as JSON; or what the error says
	}{
		{"what is personal", "A.v1", `{"id": "secret-not", "customer": {"id": "c", "email": "secret"}}`, `{"customer":{"email":"(masked)","id":"c"},"id":"secret-not"}`},
		{"in lists", "A.v1", `{"lines": [{"phone": "secret", "sku": "s"}, {"phone": 12345}]}`, `{"lines":[{"phone":"(masked)","sku":"s"},{"phone":"(masked)"}]}`},
		{"in maps", "A.v1", `{"notes": {"x": "secret"}}`, `{"notes":{"x":"(masked)"}}`},
		{"in tuples", "A.v1", `{"pair": ["secret", "secret"]}`, `{"pair":["(masked)","(masked)"]}`},
		{"not in the contract", "A.v1", `{"id": "i", "email": "secret", "customer": {"mail": "secret"}, "lines": [["secret"]]}`, `{"customer":{"mail":"(masked)"},"email":"(masked)","id":"i","lines":[["(masked)"]]}`},
		{"of another shape", "A.v1", `{"customer": "secret", "notes": "secret", "lines": "secret"}`, `{"customer":"(masked)","lines":"(masked)","notes":"(masked)"}`},
		{"not even an object", "A.v1", `"secret"`, `"(masked)"`},
		{"poison", "A.v1", `{"customer": secret`, "not JSON"},
		{"two values", "A.v1", `{} {"customer": "secret"}`, "more than one"},
		{"no contract", "C.v1", `{}`, "its contract is not at hand"},
		{"no type", "", `{}`, "its contract is not at hand"},
		{"protobuf", "B.v1", "\x0a\x01i\x12\x08\x12\x06secret", `{"customer":{"email":"(masked)"},"id":"i"}`},
		{"broken protobuf", "B.v1", "\x0a\x7fsecret", "not a message of its contract"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := event.Message{Type: c.event, Payload: []byte(c.payload)}
			shown, hidden, err := payloadView{contracts: j.set}.payload(m)
			got, _ := json.Marshal(shown)
			if err != nil {
				if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			if string(got) != c.want {
				t.Errorf("shown %s\n want %s", got, c.want)
			}
			for _, h := range hidden {
				if text := (payloadView{contracts: j.set}).errorText("it says "+h+"!", m); text != "it says (masked)!" {
					t.Errorf("error text: %s", text)
				}
			}
			all, _, err := payloadView{pii: true}.payload(m)
			if text, _ := json.Marshal(all); err != nil || strings.Contains(c.payload, "secret") && !strings.Contains(string(text), "secret") {
				t.Errorf("with everything: %s, %v", text, err)
			}
		})
	}
}
