package compat_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/evcontract/evcontract/internal/compat"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// shop is a workspace in which orders sends OrderPaid.v1 and loyalty reads it;
// every second argument replaces the one before it in any file.
func shop(t *testing.T, replace ...string) *contract.Set {
	t.Helper()
	files := map[string]string{
		"evcontract.yaml": "contracts: contracts\n",
		"contracts/paid.event.yaml": `event: OrderPaid.v1
producer: orders
status: stable
schema: paid.schema.json
identity: {event_id: id}
channel: {topic: orders.events}
`,
		"contracts/paid.schema.json":      `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["id", "amount"], "properties": {"id": {"type": "string"}, "amount": {"type": "integer"}}}`,
		"contracts/loyalty.consumer.yaml": "consumer: loyalty\nreads: [{event: OrderPaid.v1, fields: [amount]}]\n",
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		if text = strings.NewReplacer(replace...).Replace(text); text != "" {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	s, err := load.Set(context.Background(), &source.Tree{Name: "test", Ref: "test", FS: fsys}, load.Options{})
	if err != nil || len(s.Findings) > 0 {
		t.Fatal(err, s.Findings)
	}
	return s
}

func TestMeet(t *testing.T) {
	const event = "event: OrderPaid.v1\nproducer"
	number := []string{`"amount": {"type": "integer"}`, `"amount": {"type": "number"}`}
	moved := []string{"orders.events", "orders.paid"}
	for _, c := range []struct {
		name           string
		reader, writer []string // replacements
		direction      rule.Direction
		answer         rule.Answer
		rules          string
	}{
		{"the same revision", nil, nil, rule.Forward, rule.Holds, ""},
		{"the writer sends what the old reader refuses", nil, number, rule.Forward, rule.Refuted, "type-refused"},
		{"the new reader takes more", number, nil, rule.Backward, rule.Holds, ""},
		{"a field that the reader does not read", nil, []string{`"amount": {`, `"note": {}, "amount": {`}, rule.Forward, rule.Holds, ""},
		{"the event is gone", nil, []string{event, "event: OrderSettled.v1\nproducer"}, rule.Forward, rule.Refuted, "event-removed"},
		{"the event is gone, retired", []string{"stable", "retired"}, []string{event, "event: OrderSettled.v1\nproducer"}, rule.Forward, "", ""},
		{"the event is not sent yet", nil, []string{event, "event: OrderSettled.v1\nproducer"}, rule.Backward, "", ""},
		{"another service sends it", nil, []string{"producer: orders", "producer: payments"}, rule.Forward, rule.Refuted, "event-removed"},
		{"a draft is not gated", []string{"stable", "draft"}, number, rule.Forward, "", ""},
		{"the topic moved, for the old reader", nil, moved, rule.Forward, rule.Refuted, "topic-moved"},
		{"the topic moved, for the new reader", moved, nil, rule.Backward, rule.Refuted, "topic-moved"},
		{"the reader has no contract of it", []string{event, "event: Other.v1\nproducer"}, nil, rule.Forward, rule.Unknown, "undecided"},
		{"the service reads nothing", []string{"consumer: loyalty", "consumer: somebody"}, nil, rule.Forward, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := compat.Meeting{
				Reader: compat.Party{Service: "loyalty", Ref: "v1", Set: shop(t, c.reader...)},
				Writer: compat.Party{Service: "orders", Ref: "v2", Set: shop(t, c.writer...)}, Direction: c.direction,
			}
			var ms compat.Meetings
			r := ms.Meet(m)
			var rules []string
			for _, f := range r.Findings {
				if f.Severity == rule.Error {
					rules = append(rules, f.Rule)
				}
			}
			if got := compat.AnswerOf(r); got != c.answer || strings.Join(rules, " ") != c.rules {
				t.Errorf("%q %v, want %q %s", got, rules, c.answer, c.rules)
			}
			for _, read := range r.Reads {
				if read.Reader.Ref != "v1" || read.Writer.Ref != "v2" || read.Reader.Consumer != "loyalty" {
					t.Errorf("%+v", read)
				}
			}
			if again := ms.Meet(m); again != r || ms.Asked() != 1 {
				t.Error("asked twice")
			}
		})
	}
}

// TestMeetingsTellApart shows that what changes an answer is never taken for what
// was asked before.
func TestMeetingsTellApart(t *testing.T) {
	base := compat.Party{Service: "loyalty", Ref: "v1", Set: shop(t)}
	for _, change := range [][]string{
		{"fields: [amount]", "fields: [id]"}, {"fields: [amount]", "unknown_fields: reject"}, {"fields: [amount]", "unknown_enums: ignore"},
		{`"integer"`, `"number"`}, {"stable", "retired"}, {"contracts: contracts", "contracts: contracts\nwriters: open"},
		{"contracts: contracts", "contracts: contracts\nformats: assert"}, {"orders.events", "orders.paid"}, {"event_id: id", "event_id: amount"},
	} {
		other := compat.Party{Service: "loyalty", Ref: "v1", Set: shop(t, change...)}
		if base.Says() == other.Says() {
			t.Errorf("%v says the same", change)
		}
	}
	if again := (compat.Party{Service: "loyalty", Ref: "v9", Set: shop(t)}); again.Says() != base.Says() {
		t.Error("the same contracts do not say the same")
	}
}
