package compat_test

import (
	"context"
	"slices"
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
		{"the partition moved, for the old reader", []string{"{event_id: id}", "{event_id: id, partition_key: id}"}, []string{"{event_id: id}", "{event_id: id, partition_key: amount}"}, rule.Forward, rule.Refuted, "partition-moved"},
		{"the partition moved, for the new reader", []string{"{event_id: id}", "{event_id: id, partition_key: amount}"}, []string{"{event_id: id}", "{event_id: id, partition_key: id}"}, rule.Backward, rule.Refuted, "partition-moved"},
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

// TestMeetMajors follows a reader from one major version to the next: what it no
// longer reads must have been sent in the new form as well.
func TestMeetMajors(t *testing.T) {
	v1, v2 := contract.Name{Base: "OrderPaid", Major: 1}, contract.Name{Base: "OrderPaid", Major: 2}
	next := []string{"event: OrderPaid.v1", "event: OrderPaid.v2"}
	second := shop(t, "reads: [", "reads: [{event: OrderPaid.v2}, ")
	beside := *shop(t)
	beside.Events = append(slices.Clone(beside.Events), shop(t, next...).Events...)
	for _, c := range []struct {
		name              string
		reader, writer    *contract.Set
		handled, received []contract.Name
		answer            rule.Answer
	}{
		{"it read v1 before", shop(t, append(next, "reads: [{event: OrderPaid.v1", "reads: [{event: OrderPaid.v2")...), shop(t), []contract.Name{v1, v2}, []contract.Name{v1}, rule.Refuted},
		{"it got v2 before", shop(t, append(next, "reads: [{event: OrderPaid.v1", "reads: [{event: OrderPaid.v2")...), shop(t), []contract.Name{v2}, []contract.Name{v1, v2}, rule.Refuted},
		{"it waits for the first v2", shop(t, append(next, "reads: [{event: OrderPaid.v1", "reads: [{event: OrderPaid.v2")...), shop(t), []contract.Name{v2}, []contract.Name{v1}, ""},
		{"v2 is sent beside v1", shop(t, append(next, "reads: [{event: OrderPaid.v1", "reads: [{event: OrderPaid.v2")...), &beside, []contract.Name{v1, v2}, []contract.Name{v1}, rule.Holds},
		{"it reads both", second, shop(t), []contract.Name{v1, v2}, []contract.Name{v1}, rule.Holds},
		{"a draft is not gated", shop(t, append(next, "reads: [{event: OrderPaid.v1", "reads: [{event: OrderPaid.v2")...), shop(t, "stable", "draft"), []contract.Name{v1, v2}, []contract.Name{v1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ms compat.Meetings
			m := compat.Meeting{
				Reader: compat.Party{Service: "loyalty", Ref: "v2", Set: c.reader},
				Writer: compat.Party{Service: "orders", Ref: "v1", Set: c.writer}, Direction: rule.Backward,
				Handled: c.handled, Received: c.received,
			}
			if got := compat.AnswerOf(ms.Meet(m)); got != c.answer {
				t.Errorf("%q, want %q: %v", got, c.answer, ms.Meet(m).Findings)
			}
			m.Handled, m.Received = nil, nil
			if got := compat.AnswerOf(ms.Meet(m)); got == rule.Refuted {
				t.Error("an answer of other services was taken")
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
