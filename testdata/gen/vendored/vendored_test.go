// Package vendored_test reads events of another repository with code that was
// generated from copies of its contracts.
package vendored_test

import (
	"context"
	"testing"
	"time"

	"github.com/evcontract/evcontract/event"
	shop "github.com/evcontract/evcontract/testdata/gen/shop/events"
	"github.com/evcontract/evcontract/testdata/gen/vendored/events"
)

type noTx struct{ event.Tx }

// TestRead publishes with the producer's own code and reads with the consumer's,
// which has no way to publish.
func TestRead(t *testing.T) {
	draft, err := shop.DraftOrderPaidV1(shop.NewOrderPaidV1Key("p-1"), shop.OrderPaidV1{
		OrderID: "o-1", AggregateVersion: 3, OccurredAt: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
		Customer: shop.OrderPaidV1Customer{ID: "c-1"}, Amount: shop.OrderPaidV1Amount{MinorUnits: 1999, Currency: "EUR"},
		Method: new(shop.OrderPaidV1MethodCard),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got events.CourierOrderPaidV1
	route := events.Courier[noTx]{OrderPaidV1: func(_ context.Context, _ noTx, e events.CourierOrderPaidV1) error {
		got = e
		return nil
	}}.Consumer(func(event.Tx) noTx { return noTx{} }).Routes[0]
	m := event.Message{Type: draft.Event, Schema: "evcontract:" + draft.Event + "/" + draft.Revision, Time: draft.Time, Payload: draft.Payload}
	id, err := route.Identify(m)
	if err != nil {
		t.Fatal(err)
	}
	if id.Key != draft.Key || id.Lane != draft.Lane || id.Version != draft.Version || id.Revision != draft.Revision {
		t.Errorf("the consumer identifies %+v: the producer published key %v, lane %v, version %d, revision %s", id, draft.Key, draft.Lane, draft.Version, draft.Revision)
	}
	if err := route.Handle(t.Context(), noTx{}, m, id); err != nil {
		t.Fatal(err)
	}
	if got.Amount.MinorUnits != 1999 || got.Method == nil || *got.Method != events.CourierOrderPaidV1MethodCard {
		t.Errorf("the handler got %+v", got)
	}
}
