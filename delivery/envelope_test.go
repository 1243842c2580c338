package delivery_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

func TestEnvelope(t *testing.T) {
	full := event.Message{
		ID: "1", Source: "orders", Type: "OrderPaid.v1", Subject: "o-1", Time: time.Date(2026, 11, 1, 9, 30, 0, 5, time.UTC),
		ContentType: "application/json", Schema: "OrderPaid.v1/0011223344556677", AggregateType: "order",
		Version: 3, Previous: 2, Chained: true, IdempotencyKey: "k", PartitionKey: "o-1",
		Headers: map[string]string{"traceparent": "00-…"}, Topic: "orders.events", Position: event.Position{Partition: 4, Offset: 9},
	}
	far := event.Message{ID: "2", Time: time.Date(300000, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, tt := range []struct {
		name     string
		in, want event.Message
	}{
		{"everything", full, full},
		{"nothing", event.Message{}, event.Message{}},
		{"a time that JSON cannot say is left out, and the event is kept", far, event.Message{ID: "2"}},
	} {
		text, err := delivery.EncodeEnvelope(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, err := delivery.DecodeEnvelope(text)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}

// FuzzEnvelope holds that no stored text panics, and that what can be read is
// written and read back the same.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"id":"1","time":"2026-11-01T09:30:00Z","headers":{"a":"b"},"chained":true,"aggregateversion":18446744073709551615}`))
	f.Add([]byte(`{"time":"9999-12-31T23:59:59-23:59"}`))
	f.Add([]byte(`{"headers":null}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := delivery.DecodeEnvelope(text)
		if err != nil {
			return
		}
		again, err := delivery.EncodeEnvelope(m)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", text, err)
		}
		back, err := delivery.DecodeEnvelope(again)
		if err != nil {
			t.Fatalf("%q cannot be read back: %v", again, err)
		}
		twice, err := delivery.EncodeEnvelope(back)
		if err != nil || string(twice) != string(again) {
			t.Fatalf("%q becomes %q: %v", again, twice, err)
		}
	})
}
