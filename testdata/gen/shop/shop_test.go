package shop_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/testdata/gen/shop/events"
)

// fakeTx is a transaction that remembers what is written to it.
type fakeTx struct {
	drafts  []event.Draft
	effects []event.Effect
}

func (tx *fakeTx) Append(_ context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
	receipts := make([]event.Receipt, len(drafts))
	for i, d := range drafts {
		receipts[i] = event.Receipt{ID: d.ID}
	}
	tx.drafts = append(tx.drafts, drafts...)
	return receipts, nil
}

func (tx *fakeTx) Intend(_ context.Context, effects ...event.Effect) error {
	tx.effects = append(tx.effects, effects...)
	return nil
}

// message is a draft as it arrives at a consumer.
func message(d event.Draft) event.Message {
	return event.Message{
		ID: d.ID.String(), Type: d.Event, Subject: d.Lane.ID, Time: d.Time, Version: d.Version,
		Schema: "evcontract:" + d.Event + "/" + d.Revision, PartitionKey: d.PartitionKey, Headers: d.Headers,
		ContentType: d.ContentType, Payload: d.Payload,
	}
}

func paid() events.OrderPaidV1 {
	return events.OrderPaidV1{
		OrderID: "o-1", AggregateVersion: 3, OccurredAt: time.Date(2026, 11, 29, 12, 0, 0, 500, time.FixedZone("", 3600)),
		Customer: events.OrderPaidV1Customer{ID: "c-1", Email: new("a@example.com")},
		Amount:   events.OrderPaidV1Amount{MinorUnits: 1999, Currency: "EUR"},
		Method:   new(events.OrderPaidV1MethodCard),
	}
}

func TestPublish(t *testing.T) {
	tx := &fakeTx{}
	key := events.NewOrderPaidV1Key("p-1")
	receipt, err := events.PublishOrderPaidV1(t.Context(), tx, key, paid())
	if err != nil {
		t.Fatal(err)
	}
	d := tx.drafts[0]
	want := `{"event_id":"` + receipt.ID.String() + `","order_id":"o-1","aggregate_version":3,"payment_id":"p-1",` +
		`"occurred_at":"2026-11-29T12:00:00.0000005+01:00","customer":{"id":"c-1","email":"a@example.com"},` +
		`"amount":{"minor_units":1999,"currency":"EUR"},"method":"card"}`
	if string(d.Payload) != want {
		t.Errorf("payload %s\nwant    %s", d.Payload, want)
	}
	if d.Key != event.NewKey("OrderPaid", "p-1") || d.ID != event.NewID("OrderPaid.v1", d.Key) || d.Version != 3 ||
		d.Lane != (event.Lane{Type: "order", ID: "o-1"}) || d.PartitionKey != "o-1" || d.Topic != "orders.events" || d.Source != "orders" {
		t.Errorf("draft %+v", d)
	}
	got, gotKey, err := events.DecodeOrderPaidV1(d.Payload)
	if err != nil || gotKey != key {
		t.Fatalf("decode: %v, key %v", err, gotKey)
	}
	if !got.OccurredAt.Equal(paid().OccurredAt) {
		t.Errorf("occurred at %v", got.OccurredAt)
	}
	got.OccurredAt = paid().OccurredAt
	if !reflect.DeepEqual(got, paid()) {
		t.Errorf("decoded %+v", got)
	}
}

// TestBody: a retry may change event id, version and time, and nothing else.
func TestBody(t *testing.T) {
	key := events.NewOrderPaidV1Key("p-1")
	body := func(change func(*events.OrderPaidV1)) [32]byte {
		p := paid()
		change(&p)
		d, err := events.DraftOrderPaidV1(key, p)
		if err != nil {
			t.Fatal(err)
		}
		return d.Body
	}
	first := body(func(*events.OrderPaidV1) {})
	if body(func(p *events.OrderPaidV1) { p.AggregateVersion, p.OccurredAt = 9, time.Time{} }) != first {
		t.Error("a later attempt has another body")
	}
	if body(func(p *events.OrderPaidV1) { p.Amount.MinorUnits++ }) == first {
		t.Error("another amount has the same body")
	}
}

func TestPublishRefuses(t *testing.T) {
	for want, change := range map[string]func(*events.OrderPaidV1){
		"OrderPaid.v1: order_id: want 1 to 64 characters, not 0":             func(p *events.OrderPaidV1) { p.OrderID = "" },
		"OrderPaid.v1: aggregate_version: want 1 to 9007199254740991, not 0": func(p *events.OrderPaidV1) { p.AggregateVersion = 0 },
		`OrderPaid.v1: amount.currency: "eur" does not match ^[A-Z]{3}$`:     func(p *events.OrderPaidV1) { p.Amount.Currency = "eur" },
		`OrderPaid.v1: method: want card, transfer or wallet, not "cash"`:    func(p *events.OrderPaidV1) { p.Method = new(events.OrderPaidV1Method("cash")) },
		"OrderPaid.v1: customer.id: not JSON: a string that is not UTF-8":    func(p *events.OrderPaidV1) { p.Customer.ID = "\xff" },
		"OrderPaid.v1: coupon: want at most 32 characters, not 33":           func(p *events.OrderPaidV1) { p.Coupon = new(strings.Repeat("é", 33)) },
	} {
		tx, p := &fakeTx{}, paid()
		change(&p)
		if _, err := events.PublishOrderPaidV1(t.Context(), tx, events.NewOrderPaidV1Key("p-1"), p); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if len(tx.drafts) > 0 {
			t.Errorf("%s: something was written", want)
		}
	}
	tx := &fakeTx{}
	for _, key := range []events.OrderPaidV1Key{{}, events.NewOrderPaidV1Key("")} {
		if _, err := events.PublishOrderPaidV1(t.Context(), tx, key, paid()); !errors.Is(err, event.ErrZeroKey) || len(tx.drafts) > 0 {
			t.Errorf("zero key: %v", err)
		}
	}
}

// TestMajors: one fact has one key, whichever major version tells it.
func TestMajors(t *testing.T) {
	money := events.OrderPaidV2Money{Value: "19.99", Currency: events.OrderPaidV2MoneyCurrencyEUR}
	d, err := events.DraftOrderPaidV2(events.NewOrderPaidV2Key("p-1"), events.OrderPaidV2{
		Order: events.OrderPaidV2Order{ID: "o-1", Version: 3},
		Payment: events.OrderPaidV2Payment{Total: money, Lines: []events.OrderPaidV2Line{
			{SKU: "A-1", Quantity: 2, Price: money, Parts: []events.OrderPaidV2Line{{SKU: "B-2", Quantity: 1, Price: money}}},
		}},
		Labels: map[string]string{"b": "2", "a": "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.Key != events.NewOrderPaidV1Key("p-1").Key() || d.ID == event.NewID("OrderPaid.v1", d.Key) {
		t.Errorf("key %v, id %v", d.Key, d.ID)
	}
	if d.Time.IsZero() || !strings.Contains(string(d.Payload), `"labels":{"a":"1","b":"2"}`) {
		t.Errorf("draft %s", d.Payload)
	}
	_, err = events.DraftOrderPaidV2(events.NewOrderPaidV2Key("p-1"), events.OrderPaidV2{})
	if err == nil || err.Error() != "OrderPaid.v2: order.id: want at least 1 character, not 0" {
		t.Errorf("empty payload: %v", err)
	}
}

func TestRolesOutsideThePayload(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	d, err := events.DraftStockMovedV1(events.NewStockMovedV1Key("w-1", 7), events.StockMovedV1{
		Either: events.StockMovedV1EitherString("ab"), AggregateID: "sku-1", AggregateVersion: 4, PartitionKey: "eu", OccurredAt: at,
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.Lane.ID != "sku-1" || d.Version != 4 || d.PartitionKey != "eu" || d.Headers["region"] != "eu" || !d.Time.Equal(at) {
		t.Errorf("draft %+v", d)
	}
	if !strings.Contains(string(d.Payload), `"type":"move"`) {
		t.Errorf("the constant is not written: %s", d.Payload)
	}
	route := consumer(func(context.Context, *fakeTx, events.AuditStockMovedV1) error { return nil }).Routes[2]
	id, err := route.Identify(message(d))
	if err != nil || id.Key != d.Key || id.Lane != d.Lane || id.Version != 4 || !id.Time.Equal(at) || id.Revision != d.Revision {
		t.Errorf("identity %+v, %v", id, err)
	}
	if route.Order != event.OrderContiguous {
		t.Errorf("order %v", route.Order)
	}
}

// TestUnknown: a consumer takes or refuses what its contract doesn't know as it
// declared, and reads no field that it did not declare.
func TestUnknown(t *testing.T) {
	d, err := events.DraftOrderPaidV1(events.NewOrderPaidV1Key("p-1"), paid())
	if err != nil {
		t.Fatal(err)
	}
	var loyal events.LoyaltyOrderPaidV1
	loyalty := events.Loyalty[*fakeTx]{OrderPaidV1: func(_ context.Context, _ *fakeTx, e events.LoyaltyOrderPaidV1) error { loyal = e; return nil }}.Consumer(real)
	audit := consumer(nil)
	for _, c := range []struct{ old, new, loyalty, audit string }{
		{`{"event_id"`, `{"new":{"x":[1]},"event_id"`, "", ""},
		{`"method":"card"`, `"method":"crypto"`, "", `method: want card, transfer or wallet, not "crypto"`},
		{`"email":"a@example.com"`, `"email":7`, "", "customer.email: want a string, not a number"},
		{`"payment_id":"p-1"`, `"payment_id":""`, "payment_id: want 1 to 64 characters, not 0", "payment_id: want 1 to 64 characters, not 0"},
		{`"customer":`, `"customer":{},"customer":`, "customer.id: required, but missing", "customer.id: required, but missing"},
		{`"method":"card"`, `"method":"card","method":"card"`, "method: the member stands there twice", "method: the member stands there twice"},
	} {
		m := message(d)
		m.Payload = []byte(strings.Replace(string(m.Payload), c.old, c.new, 1))
		for route, want := range map[*event.Route]string{&loyalty.Routes[0]: c.loyalty, &audit.Routes[0]: c.audit} {
			got := ""
			if err := route.Handle(t.Context(), &fakeTx{}, m, event.Identity{}); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s: %q, want %q", c.new, got, want)
			}
		}
	}
	m := message(d)
	m.Payload = []byte(strings.Replace(string(m.Payload), `"card"`, `"crypto"`, 1))
	if err := loyalty.Routes[0].Handle(t.Context(), &fakeTx{}, m, event.Identity{}); err != nil || *loyal.Method != "crypto" {
		t.Errorf("an unknown value is not passed on: %v, %v", loyal.Method, err)
	}
}

// TestPart: what a consumer did not declare it doesn't judge, be it in a place
// that is judged as a whole.
func TestPart(t *testing.T) {
	d, err := events.DraftStockMovedV1(events.NewStockMovedV1Key("w-1", 7), events.StockMovedV1{
		Either: events.StockMovedV1EitherString("ab"), AggregateID: "sku-1", AggregateVersion: 4,
		Conditional: &events.StockMovedV1Conditional{Mode: new("light")},
		Extended:    &events.StockMovedV1Extended{City: "x", Door: 1}, More: &events.StockMovedV1More{A: new(int64(1))},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got events.LoyaltyStockMovedV1
	loyalty := events.Loyalty[*fakeTx]{StockMovedV1: func(_ context.Context, _ *fakeTx, e events.LoyaltyStockMovedV1) error { got = e; return nil }}.Consumer(real)
	audit := consumer(func(context.Context, *fakeTx, events.AuditStockMovedV1) error { return nil })
	for _, c := range []struct{ old, new, loyalty, audit string }{
		{`"light"`, `"light"`, "", ""},
		{`"light"`, `"heavy"`, "", "conditional.weight: required, but missing"},
		{`,"door":1`, ``, "", "extended.door: required, but missing"},
		{`"more":{"a":1},`, ``, "", "more: required, but missing"},
		{`"light"`, `7`, "conditional.mode: want a string, not a number", "conditional.mode: want a string, not a number"},
		{`"city":"x"`, `"city":"longer than nine"`, "extended.city: want at most 9 characters, not 16", "extended.city: want at most 9 characters, not 16"},
		{`"either":"ab"`, `"either":"a"`, "either: none of 2 alternatives fits", "either: none of 2 alternatives fits"},
	} {
		m := message(d)
		m.Payload = []byte(strings.Replace(string(m.Payload), c.old, c.new, 1))
		for route, want := range map[*event.Route]string{&loyalty.Routes[2]: c.loyalty, &audit.Routes[2]: c.audit} {
			text := ""
			if err := route.Handle(t.Context(), &fakeTx{}, m, event.Identity{}); err != nil {
				text = err.Error()
			}
			if text != want {
				t.Errorf("%s: %q, want %q", c.new, text, want)
			}
		}
	}
	if got.Speed != events.StockMovedV1SpeedSlow || got.Boxes != 1 || strings.Contains(string(d.Payload), "speed") {
		t.Errorf("defaults are applied on reading only: %+v, %s", got, d.Payload)
	}
}

// TestUnion: every arm of a value that may be of several kinds comes back as
// what it was; without one there is no event.
func TestUnion(t *testing.T) {
	draft := func(e events.StockMovedV1Either, carrier events.StockMovedV1Carrier, route ...events.StockMovedV1RouteItem) (event.Draft, error) {
		return events.DraftStockMovedV1(events.NewStockMovedV1Key("w-1", 7), events.StockMovedV1{
			AggregateID: "a", AggregateVersion: 1, Either: e, Carrier: carrier, Route: route,
		})
	}
	text := events.StockMovedV1EitherString("ab")
	truck := &events.StockMovedV1CarrierTruck{Plate: "p"}
	ferry := &events.StockMovedV1CarrierObject{By: events.StockMovedV1CarrierObjectByFerry, Then: truck}
	for _, c := range []struct {
		either  events.StockMovedV1Either
		carrier events.StockMovedV1Carrier
		route   []events.StockMovedV1RouteItem
		want    string // in the payload, or the refusal
	}{
		{text, nil, nil, `"either":"ab"}`},
		{&events.StockMovedV1EitherObject{Size: new(int64(3))}, nil, nil, `"either":{"kind":"box","size":3}}`},
		{text, truck, nil, `"carrier":{"plate":"p","by":"truck"}}`},
		{text, ferry, nil, `"carrier":{"by":"ferry","then":{"plate":"p","by":"truck"}}}`},
		{text, nil, []events.StockMovedV1RouteItem{
			events.StockMovedV1RouteItemBool(true), nil, events.StockMovedV1RouteItemObject{Value: ferry},
		}, `"route":[true,null,{"by":"ferry","then":{"plate":"p","by":"truck"}}]}`},
		{nil, nil, nil, "either: "},
		{(*events.StockMovedV1EitherObject)(nil), nil, nil, "either: "},
		{events.StockMovedV1EitherString("a"), nil, nil, "either: want exactly one of 2 alternatives to fit, not 0"},
		{text, &events.StockMovedV1CarrierTruck{}, nil, "carrier: want exactly one of 3 alternatives to fit, not 0"},
		{text, &events.StockMovedV1CarrierObject{By: "plane"}, nil, "carrier: want exactly one of 3 alternatives to fit, not 0"},
		{text, nil, []events.StockMovedV1RouteItem{events.StockMovedV1RouteItemObject{}}, "route[0]: not JSON: no value was set, where a value should stand"},
	} {
		d, err := draft(c.either, c.carrier, c.route...)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "com.example.StockMoved.v1: "+c.want) {
				t.Errorf("got %s, want %s", err, c.want)
			}
			continue
		}
		if !strings.HasSuffix(string(d.Payload), c.want) {
			t.Errorf("got %s, want %s", d.Payload, c.want)
		}
		got, _, err := events.DecodeStockMovedV1(d.Payload)
		if err != nil || !reflect.DeepEqual(got.Either, c.either) || !reflect.DeepEqual(got.Carrier, c.carrier) || !reflect.DeepEqual(got.Route, c.route) {
			t.Errorf("%s comes back as %+v, %v", d.Payload, got, err)
		}
	}
}

func real(tx event.Tx) *fakeTx { return tx.(*fakeTx) }

func consumer(stock func(context.Context, *fakeTx, events.AuditStockMovedV1) error) event.Consumer {
	return events.Audit[*fakeTx]{
		OrderPaidV1:  func(context.Context, *fakeTx, events.AuditOrderPaidV1) error { return nil },
		OrderPaidV2:  func(context.Context, *fakeTx, events.AuditOrderPaidV2) error { return nil },
		StockMovedV1: stock,
	}.Consumer(real)
}

func TestConsume(t *testing.T) {
	tx := &fakeTx{}
	d, err := events.DraftOrderPaidV1(events.NewOrderPaidV1Key("p-1"), paid())
	if err != nil {
		t.Fatal(err)
	}
	var got events.LoyaltyOrderPaidV1
	c := events.Loyalty[*fakeTx]{
		OrderPaidV1: func(ctx context.Context, tx *fakeTx, e events.LoyaltyOrderPaidV1) error {
			got = e
			return e.PointsAPI(ctx, []byte("20 points"))
		},
	}.Consumer(real)
	if c.Name != "loyalty" || c.Policy.Retry.Attempts != 12 || c.Policy.Retry.Max != 5*time.Minute || c.Policy.Owner != "team-loyalty" {
		t.Errorf("consumer %+v", c)
	}
	if c.Routes[1].Handle != nil || c.Routes[1].Event != "OrderPaid.v2" || c.Routes[1].Order != event.OrderLatest {
		t.Errorf("a handler that is not set: %+v", c.Routes[1])
	}
	m := message(d)
	id, err := c.Routes[0].Identify(m)
	if err != nil || id.Key != d.Key || id.Lane != d.Lane || id.Version != d.Version || id.Revision != d.Revision || !id.Time.Equal(d.Time) {
		t.Fatalf("identity %+v, %v", id, err)
	}
	id.Attempt = 2
	if err := c.Routes[0].Handle(t.Context(), tx, m, id); err != nil {
		t.Fatal(err)
	}
	if got.OrderID != "o-1" || got.Customer.ID != "c-1" || got.Amount.MinorUnits != 1999 || *got.Method != "card" ||
		got.Key() != d.Key || got.Version() != 3 || got.Attempt() != 2 || got.Lane() != d.Lane {
		t.Errorf("handler got %+v", got)
	}
	e := tx.effects[0]
	if e.Key != event.NewEffectKey(d.Key, "loyalty", "points-api") || e.Event != d.Key || string(e.Request) != "20 points" {
		t.Errorf("effect %+v", e)
	}
	m.Payload = []byte(strings.Replace(string(m.Payload), `"id":"c-1"`, `"id":7`, 1))
	err = c.Routes[0].Handle(t.Context(), tx, m, id)
	if !event.IsPermanent(err) || err.Error() != "customer.id: want a string, not a number" {
		t.Errorf("bad payload: %v", err)
	}
	m.Payload = []byte(`{"order_id":"o-1"}`)
	if _, err := c.Routes[0].Identify(m); err == nil || err.Error() != "aggregate_version: required, but missing" {
		t.Errorf("identify: %v", err)
	}
}

// TestUpcast: events of an older version reach the handler of a later one, in a
// batch, with the identity that they arrived under.
func TestUpcast(t *testing.T) {
	one, err := events.DraftOrderPaidV1(events.NewOrderPaidV1Key("p-1"), paid())
	if err != nil {
		t.Fatal(err)
	}
	money := events.OrderPaidV2Money{Value: "5", Currency: events.OrderPaidV2MoneyCurrencyUSD}
	two, err := events.DraftOrderPaidV2(events.NewOrderPaidV2Key("p-2"), events.OrderPaidV2{
		Order:   events.OrderPaidV2Order{ID: "o-1", Version: 4},
		Payment: events.OrderPaidV2Payment{Total: money, Lines: []events.OrderPaidV2Line{{SKU: "A-1", Quantity: 1, Price: money}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []events.LedgerOrderPaidV2
	handler := events.Ledger[*fakeTx]{OrderPaidV2: func(_ context.Context, _ *fakeTx, events []events.LedgerOrderPaidV2) []error {
		got = append(got, events...)
		return nil
	}}
	upcast := func(e events.LedgerOrderPaidV1) (events.LedgerOrderPaidV2, error) {
		if e.Coupon != nil {
			return events.LedgerOrderPaidV2{}, errors.New("coupons have no place in it")
		}
		total := events.LedgerOrderPaidV2Money{Value: "19.99", Currency: events.OrderPaidV2MoneyCurrency(e.Amount.Currency)}
		return events.LedgerOrderPaidV2{Payment: events.LedgerOrderPaidV2Payment{Total: total}}, nil
	}
	c := handler.Consumer(real, upcast)
	for i, d := range []event.Draft{one, two} {
		r := c.Routes[i]
		id, err := r.Identify(message(d))
		if err != nil || r.Handle != nil {
			t.Fatal(r.Event, err)
		}
		for _, err := range r.Batch(t.Context(), &fakeTx{}, []event.Message{message(d)}, []event.Identity{id}) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if len(got) != 2 || got[0].Payment.Total.Value != "19.99" || got[0].Version() != 3 || got[0].Key() != one.Key ||
		got[1].Payment.Total.Currency != "USD" || got[1].Version() != 4 {
		t.Errorf("the handler got %+v", got)
	}

	refused, unreadable := message(one), message(one)
	refused.Payload = []byte(strings.Replace(string(one.Payload), `"method"`, `"coupon":"x","method"`, 1))
	unreadable.Payload = []byte(`{}`)
	got = nil
	errs := c.Routes[0].Batch(t.Context(), &fakeTx{}, []event.Message{refused, message(one), unreadable}, make([]event.Identity, 3))
	if len(errs) != 3 || errs[0] == nil || errs[1] != nil || errs[2] == nil || got != nil {
		t.Fatalf("errors %v, handled %v", errs, got)
	}
	if want := "OrderPaid.v1 cannot become OrderPaid.v2: coupons have no place in it"; errs[0].Error() != want || !event.IsPermanent(errs[0]) || !event.IsPermanent(errs[2]) {
		t.Errorf("got %v, want %s", errs[0], want)
	}

	if r := handler.Consumer(real, nil).Routes; r[0].Batch != nil || r[1].Batch == nil {
		t.Error("an upcaster that is not set is not missed")
	}
}

// TestTexts: where a format is an annotation, what is not of it is passed on as it
// came.
func TestTexts(t *testing.T) {
	batch := event.UUID("0B1C2D3E, or so")
	d, err := events.DraftStockMovedV1(events.NewStockMovedV1Key("w-1", 7), events.StockMovedV1{
		AggregateID: "a", AggregateVersion: 1, Either: events.StockMovedV1EitherString("ab"), Batch: &batch,
		Scans: []event.Base64{event.NewBase64([]byte{0}), "?"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := events.DecodeStockMovedV1(d.Payload)
	if err != nil || *got.Batch != batch || len(got.Scans) != 2 || got.Scans[0] != "AA==" || got.Scans[1] != "?" {
		t.Errorf("%s comes back as %+v, %v", d.Payload, got, err)
	}
}

// TestUnreadableTime: to this workspace a format is an annotation. A time that
// cannot be read is no reason to refuse an event, and none is written.
func TestUnreadableTime(t *testing.T) {
	d, err := events.DraftOrderPaidV1(events.NewOrderPaidV1Key("p-1"), paid())
	if err != nil {
		t.Fatal(err)
	}
	m := message(d)
	m.Payload = []byte(strings.Replace(string(m.Payload), `"2026-11-29T12:00:00.0000005+01:00"`, `"yesterday"`, 1))
	route := consumer(nil).Routes[0]
	id, err := route.Identify(m)
	if err != nil || !id.Time.IsZero() || id.Key != d.Key {
		t.Errorf("identity %+v, %v", id, err)
	}
	if err := route.Handle(t.Context(), &fakeTx{}, m, id); err != nil {
		t.Errorf("a time that cannot be read: %v", err)
	}
	late := paid()
	late.OccurredAt = time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)
	_, err = events.DraftOrderPaidV1(events.NewOrderPaidV1Key("p-1"), late)
	if want := "OrderPaid.v1: occurred_at: no date and time is written with the year 12026"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestTuple: every element comes back at its place, and an absent one moves no
// other.
func TestTuple(t *testing.T) {
	place := events.StockMovedV1Maybe{City: "x"}
	for _, c := range []struct {
		track events.StockMovedV1Track
		want  string
	}{
		{events.StockMovedV1Track{Item0: "a"}, `["a"]`},
		{events.StockMovedV1Track{Item0: "a", Item1: new(json.Number("1.50"))}, `["a",1.50]`},
		{events.StockMovedV1Track{Item0: "a", Item2: &place}, `["a",null,{"city":"x"}]`},
		{events.StockMovedV1Track{Item0: "a", Item2: &place, Item3: json.RawMessage("7"), Rest: []string{"x", "y"}}, `["a",null,{"city":"x"},7,"x","y"]`},
		{events.StockMovedV1Track{Item0: "a", Item3: json.RawMessage("7")}, "track[2]: want an object, not null"},
		{events.StockMovedV1Track{Item0: "a", Item2: &place, Item3: json.RawMessage("7"), Rest: []string{"longer"}}, "track[4]: want at most 3 characters, not 6"},
		{events.StockMovedV1Track{Item0: "a", Item2: &place, Item3: json.RawMessage("7"), Rest: []string{"x", "y", "z"}}, "track: want 1 to 6 elements, not 7"},
	} {
		d, err := events.DraftStockMovedV1(events.NewStockMovedV1Key("w-1", 7), events.StockMovedV1{
			AggregateID: "a", AggregateVersion: 1, Either: events.StockMovedV1EitherString("ab"), Track: &c.track,
		})
		if err != nil {
			if got := err.Error(); got != "com.example.StockMoved.v1: "+c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			continue
		}
		_, got, _ := strings.Cut(string(d.Payload), `"track":`)
		if got != c.want+"}" {
			t.Errorf("got %s, want %s", got, c.want)
		}
		back, _, err := events.DecodeStockMovedV1(d.Payload)
		if err != nil || !reflect.DeepEqual(*back.Track, c.track) {
			t.Errorf("%s comes back as %+v, %v", c.want, back.Track, err)
		}
	}
}
