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
		if got := delivery.DecodeEnvelope(text); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// What is stored and cannot be read is kept as a header.
func TestSpoiled(t *testing.T) {
	m := delivery.DecodeEnvelope([]byte("{\xff"))
	if want := (event.Message{Headers: map[string]string{"evcontract-envelope": "{\uFFFD"}}); !reflect.DeepEqual(m, want) {
		t.Errorf("an envelope is read as %+v, want %+v", m, want)
	}
	for text, want := range map[string]map[string]string{"": nil, `{"a":"b"}`: {"a": "b"}, `{"a":1}`: {"evcontract-headers": `{"a":1}`}} {
		if h := delivery.DecodeHeaders(text); !reflect.DeepEqual(h, want) {
			t.Errorf("headers %q are read as %v, want %v", text, h, want)
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
		again, err := delivery.EncodeEnvelope(delivery.DecodeEnvelope(text))
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", text, err)
		}
		twice, err := delivery.EncodeEnvelope(delivery.DecodeEnvelope(again))
		if err != nil || string(twice) != string(again) {
			t.Fatalf("%q becomes %q: %v", again, twice, err)
		}
	})
}
