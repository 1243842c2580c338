package parcels_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/testdata/gen/parcels/events"
	"github.com/evcontract/evcontract/testdata/gen/parcels/events/common"
	parcelsv1 "github.com/evcontract/evcontract/testdata/gen/parcels/events/parcels/v1"
)

type fakeTx struct{ drafts []event.Draft }

func (tx *fakeTx) Append(_ context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
	tx.drafts = append(tx.drafts, drafts...)
	return make([]event.Receipt, len(drafts)), nil
}

func (tx *fakeTx) Intend(context.Context, ...event.Effect) error { return nil }

func real(tx event.Tx) *fakeTx { return tx.(*fakeTx) }

func message(d event.Draft) event.Message {
	return event.Message{Type: d.Event, Schema: "evcontract:" + d.Event + "/" + d.Revision, Payload: d.Payload}
}

func sent() events.ParcelSentV1 {
	return events.ParcelSentV1{
		Version: 2, SentAt: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Service: parcelsv1.Service_SERVICE_EXPRESS,
		Price:      &common.Money{MinorUnits: 5, Currency: "EUR"},
		Stops:      []*parcelsv1.Stop{{City: "A", Street: "B"}},
		ByDay:      map[string]*parcelsv1.Stop{"mon": {City: "C", Street: "D"}},
		CustomerID: new("c-1"),
	}
}

func TestPublish(t *testing.T) {
	tx := &fakeTx{}
	key := events.NewParcelSentV1Key("p-1", 7)
	if _, err := events.PublishParcelSentV1(t.Context(), tx, key, sent()); err != nil {
		t.Fatal(err)
	}
	d := tx.drafts[0]
	var m parcelsv1.ParcelSent
	if err := proto.Unmarshal(d.Payload, &m); err != nil {
		t.Fatal(err)
	}
	if m.EventId != d.ID.String() || m.ParcelId != "p-1" || m.Run != 7 || m.GetCustomerId() != "c-1" || m.SentAt.AsTime() != sent().SentAt {
		t.Errorf("message %v", &m)
	}
	if d.Key != event.NewKey("ParcelSent", "p-1", "7") || d.Lane.ID != "p-1" || d.Version != 2 || d.ContentType != "application/protobuf" || !d.Time.Equal(sent().SentAt) {
		t.Errorf("draft %+v", d)
	}
	later := sent()
	later.Version, later.SentAt = 3, time.Time{}
	again, err := events.DraftParcelSentV1(key, later)
	if err != nil || again.Body != d.Body {
		t.Errorf("a retry has another body: %v", err)
	}
	later.Price.MinorUnits++
	if again, _ = events.DraftParcelSentV1(key, later); again.Body == d.Body {
		t.Error("another price has the same body")
	}
	got, gotKey, err := events.DecodeParcelSentV1(d.Payload)
	if err != nil || gotKey != key || *got.CustomerID != "c-1" || got.Voucher != nil || !got.SentAt.Equal(sent().SentAt) || got.Price.MinorUnits != 5 {
		t.Errorf("decoded %+v, %v, %v", got, gotKey, err)
	}
}

func TestPublishRefuses(t *testing.T) {
	both := sent()
	both.Voucher = &common.Money{}
	key := events.NewParcelSentV1Key("p-1", 7)
	for want, draft := range map[string]func() error{
		"ParcelSent.v1: several members of the oneof payer are set, and one event has one": func() error { _, err := events.DraftParcelSentV1(key, both); return err },
		"ParcelSent.v1: the aggregate's version is 0: the first is 1":                      func() error { _, err := events.DraftParcelSentV1(key, events.ParcelSentV1{}); return err },
		"ParcelSent.v1: the key's values do not fit the message's fields": func() error {
			_, err := events.DraftParcelSentV1(events.NewParcelSentV1Key("p-1", 1<<40), sent())
			return err
		},
		"ParcelLost.v1: parcel_lost.claim_id is other, and the key says c-1: leave it out": func() error {
			_, err := events.DraftParcelLostV1(events.NewParcelLostV1Key("c-1"), events.ParcelLostV1{ParcelLost: &parcelsv1.ParcelLost{ClaimId: "other"}})
			return err
		},
	} {
		if err := draft(); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := events.DraftParcelSentV1(events.ParcelSentV1Key{}, sent()); !errors.Is(err, event.ErrZeroKey) {
		t.Errorf("zero key: %v", err)
	}
}

func TestEnvelope(t *testing.T) {
	mine := &parcelsv1.ParcelLost{ParcelId: "p-1", Version: 4}
	d, err := events.DraftParcelLostV1(events.NewParcelLostV1Key("c-1"), events.ParcelLostV1{Source: "s", ParcelLost: mine})
	if err != nil {
		t.Fatal(err)
	}
	if mine.ClaimId != "" || mine.Meta != nil {
		t.Error("the caller's own message was changed")
	}
	if d.ContentType != "application/json" || !strings.Contains(string(d.Payload), `"claimId":"c-1"`) || strings.Contains(string(d.Payload), ": ") {
		t.Errorf("payload %s", d.Payload)
	}
	if !d.Time.IsZero() {
		t.Errorf("a time that nobody said: %v", d.Time)
	}
	var got events.TrackingParcelLostV1
	c := events.Tracking[*fakeTx]{ParcelLostV1: func(_ context.Context, _ *fakeTx, e events.TrackingParcelLostV1) error { got = e; return nil }}.Consumer(real)
	route := c.Routes[1]
	id, err := route.Identify(message(d))
	if err != nil || id.Key != d.Key || id.Lane != d.Lane || id.Version != 4 || id.Revision != d.Revision {
		t.Fatalf("identity %+v, %v", id, err)
	}
	if err := route.Handle(t.Context(), &fakeTx{}, message(d), id); err != nil || got.ParcelLost.ClaimID != "c-1" || got.Key() != d.Key {
		t.Errorf("%+v, %v", got, err)
	}
	m := message(d)
	m.Payload = []byte(`{"parcelFound":{}}`)
	if _, err := route.Identify(m); err == nil || err.Error() != "ParcelLost.v1: the envelope does not hold parcel_lost" {
		t.Errorf("another arm: %v", err)
	}
}

func TestView(t *testing.T) {
	d, err := events.DraftParcelSentV1(events.NewParcelSentV1Key("p-1", 7), sent())
	if err != nil {
		t.Fatal(err)
	}
	var got events.TrackingParcelSentV1
	c := events.Tracking[*fakeTx]{ParcelSentV1: func(_ context.Context, _ *fakeTx, e events.TrackingParcelSentV1) error { got = e; return nil }}.Consumer(real)
	handle := func(m *parcelsv1.ParcelSent) error {
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return c.Routes[0].Handle(t.Context(), &fakeTx{}, event.Message{Payload: data}, event.Identity{})
	}
	var m parcelsv1.ParcelSent
	if err := proto.Unmarshal(d.Payload, &m); err != nil {
		t.Fatal(err)
	}
	if err := handle(&m); err != nil || got.Stops[0].City != "A" || got.ByDay["mon"].Street != "D" || got.Price.Currency != "EUR" || *got.CustomerID != "c-1" {
		t.Errorf("%+v, %v", got, err)
	}
	m.Service = 9
	if err := handle(&m); !event.IsPermanent(err) || err.Error() != "service: 9 has no name in parcels.v1.Service" {
		t.Errorf("unknown enum: %v", err)
	}
	m.Service = 0
	m.Stops[0].ProtoReflect().SetUnknown([]byte{0x78, 1})
	if err := handle(&m); !event.IsPermanent(err) || err.Error() != "stops: a field that parcels.v1.Stop does not name" {
		t.Errorf("unknown field: %v", err)
	}
}
