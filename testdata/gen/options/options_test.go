package options_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/testdata/gen/options/decimal"
	"github.com/evcontract/evcontract/testdata/gen/options/events"
)

func draft(t *testing.T, change func(*events.PriceSetV1)) (event.Draft, error) {
	t.Helper()
	p := events.PriceSetV1{
		SKU: "A-1", Version: 3, OccurredAt: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Price: decimal.New("19.99"),
	}
	if change != nil {
		change(&p)
	}
	return events.DraftPriceSetV1(events.NewPriceSetV1Key(7), p)
}

// TestOptions: what is absent is not written, what is there comes back.
func TestOptions(t *testing.T) {
	d, err := draft(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `"sku":"A-1","version":3,"change":7,"occurred_at":"2026-11-29T12:00:00Z","price":19.990,"former":null}`
	if _, got, _ := strings.Cut(string(d.Payload), ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	full := func(p *events.PriceSetV1) {
		p.Former = event.Some(decimal.New("25"))
		p.Rebate = event.Some(decimal.New("0.25"))
		p.Steps = []decimal.Decimal{decimal.New("1"), decimal.New("1.5")}
		p.Until = event.Some(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
		p.Reason = event.Some("")
		p.Kind = event.Some(events.PriceSetV1KindSale)
		p.Counter = event.Some[json.Number]("123456789012345678901234567890")
		p.Public = event.Some(false)
		p.Parent = &events.PriceSetV1Product{SKU: event.Some("B"), Parent: &events.PriceSetV1Product{}}
	}
	if d, err = draft(t, full); err != nil {
		t.Fatal(err)
	}
	want = `"former":25.000,"rebate":0.250,"steps":[1.000,1.500],"until":"2027-01-01T00:00:00Z","reason":"","kind":"sale",` +
		`"counter":123456789012345678901234567890,"public":false,"parent":{"sku":"B","parent":{}}}`
	if !strings.HasSuffix(string(d.Payload), want) {
		t.Errorf("got  %s\nwant %s", d.Payload, want)
	}
	got, _, err := events.DecodePriceSetV1(d.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if public, set := got.Public.Get(); public || !set || got.Reason.Or("none") != "" || got.Kind.Value != "sale" || !got.Until.Set || got.Parent.SKU.Value != "B" {
		t.Errorf("decoded %+v", got)
	}
}

// TestDefaults: a consumer sees the default of what is absent, and nothing of
// what has none.
func TestDefaults(t *testing.T) {
	d, err := draft(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got events.ShelfPriceSetV1
	c := events.Shelf[event.Tx]{PriceSetV1: func(_ context.Context, _ event.Tx, e events.ShelfPriceSetV1) error { got = e; return nil }}.
		Consumer(func(tx event.Tx) event.Tx { return tx })
	if err := c.Routes[0].Handle(t.Context(), nil, event.Message{Payload: d.Payload}, event.Identity{}); err != nil {
		t.Fatal(err)
	}
	if rebate, _ := got.Rebate.MarshalText(); string(rebate) != "0.500" || got.Former.Set || got.Public.Set || got.Counter.Set {
		t.Errorf("the handler got %+v", got)
	}
}

func TestOptionsRefuse(t *testing.T) {
	d, err := draft(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`19.990`, `19.995`, "price: 19.995 is not a multiple of 0.01"},
		{`19.990`, `-1`, "price: want at least 0, not -1"},
		{`19.990`, `1` + strings.Repeat("0", 60), "price: 1000000000000000000000000000000000000000 is too long for a decimal"},
		{`null`, `null,"reason":"` + strings.Repeat("x", 21) + `"`, "reason: want at most 20 characters, not 21"},
		{`null`, `null,"counter":1.5`, "counter: want an integer, not 1.5"},
		{`null`, `null,"until":"soon"`, `until: "soon" is not a date and time like 2026-11-29T12:00:00Z`},
		{`null`, `null,"kind":null`, "kind: want a string, not null"},
	} {
		data := strings.Replace(string(d.Payload), c.old, c.new, 1)
		if _, _, err := events.DecodePriceSetV1([]byte(data)); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
}

// TestTexts: strings of a format come back as they were written, and what is not
// of its format is refused, because this workspace asserts formats.
func TestTexts(t *testing.T) {
	page := event.URI("https://example.com/A%2f?b#c")
	p := events.PriceSetV3{
		SKU: "A-1", Version: 5, Cents: 300, Currency: events.PriceSetV3CurrencyEUR,
		Session: event.Some(event.UUID("0B1C2D3E-0000-4000-8000-00000000000F")), Page: event.Some(page), Pages: []*event.URI{nil, &page},
		ValidFor: event.Some[event.Duration]("PT36H"), Image: []byte("image"),
		Cause: events.PriceSetV3CauseString{Value: event.NewUUID([16]byte{1})},
	}
	d, err := events.DraftPriceSetV3(events.NewPriceSetV3Key(9), p)
	if err != nil {
		t.Fatal(err)
	}
	want := `"session":"0B1C2D3E-0000-4000-8000-00000000000F","page":"https://example.com/A%2f?b#c","pages":[null,"https://example.com/A%2f?b#c"],` +
		`"valid_for":"PT36H","image":"aW1hZ2U=","cause":"01000000-0000-0000-0000-000000000000"}`
	if !strings.HasSuffix(string(d.Payload), want) {
		t.Errorf("got %s\nwant %s", d.Payload, want)
	}
	got, _, err := events.DecodePriceSetV3(d.Payload)
	if err != nil || got.Session != p.Session || got.Page != p.Page || got.ValidFor != p.ValidFor || string(got.Image) != "image" || got.Cause != p.Cause || *got.Pages[1] != page {
		t.Errorf("decoded %+v, %v", got, err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"0B1C2D3E-0000-4000-8000-00000000000F"`, `"0B1C"`, `session: "0B1C" is no uuid`},
		{`"PT36H"`, `"36h"`, `valid_for: "36h" is no duration`},
		{`"page":"https`, `"page":"` + strings.Repeat("a", 41), "page: want at most 40 characters, not 64"},
		{`"01000000-0000`, `"zz`, `cause: "zz-0000-0000-000000000000" is no uuid`},
	} {
		data := strings.Replace(string(d.Payload), c.old, c.new, 1)
		if _, _, err := events.DecodePriceSetV3([]byte(data)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
}

// TestUnknown: what a contract doesn't name is kept, in its order and at every
// depth, and written back.
func TestUnknown(t *testing.T) {
	d, err := draft(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	const more = `,"parent":{"sku":"B","parent":{"deep":[1.50]},"color":"red"},"z":{"b":1,"a":2.0},"a":null}`
	whole := append(d.Payload[:len(d.Payload)-1:len(d.Payload)-1], more...)
	p, key, err := events.DecodePriceSetV1(whole)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Unknown) != 2 || p.Unknown[0].Name != "z" || string(p.Unknown[1].Value) != "null" || string(p.Parent.Parent.Unknown[0].Value) != "[1.50]" {
		t.Errorf("decoded %+v", p)
	}
	again, err := events.DraftPriceSetV1(key, p)
	if err != nil {
		t.Fatal(err)
	}
	if string(again.Payload) != string(whole) {
		t.Errorf("got  %s\nwant %s", again.Payload, whole)
	}
	if again.Body == d.Body {
		t.Error("members that the contract doesn't name are no part of what the key says")
	}
	seen := events.ShelfPriceSetV1{}
	c := events.Shelf[event.Tx]{PriceSetV1: func(_ context.Context, _ event.Tx, e events.ShelfPriceSetV1) error { seen = e; return nil }}.
		Consumer(func(tx event.Tx) event.Tx { return tx })
	if err := c.Routes[0].Handle(t.Context(), nil, event.Message{Payload: whole}, event.Identity{}); err != nil {
		t.Fatal(err)
	}
	if len(seen.Unknown) != 2 || len(seen.Parent.Unknown) != 1 {
		t.Errorf("the handler got %+v", seen)
	}
}

// TestUnknownCannotLie: no member gets around what the contract says of it.
func TestUnknownCannotLie(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"change", `8`, "change: the member stands there twice"},
		{"event_id", `"x"`, "event_id: the member stands there twice"},
		{"reason", `1`, "reason: want a string, not a number"},
		{"x", ``, "no value was set"},
		{"x", `1,"change":8`, "change: the member stands there twice"},
		{"x", `1}`, "something follows the end of the JSON document"},
		{"y", `1`, "y: the member stands there twice"},
	} {
		_, err := draft(t, func(p *events.PriceSetV1) {
			p.Unknown = []event.Member{{Name: "y", Value: json.RawMessage(`1`)}, {Name: c.name, Value: json.RawMessage(c.value)}}
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: got %v, want %s", c.name, c.value, err, c.want)
		}
	}
	many := make([]event.Member, 100)
	for i := range many {
		many[i] = event.Member{Name: "m" + strings.Repeat("x", i%99), Value: json.RawMessage("1")}
	}
	if _, err := draft(t, func(p *events.PriceSetV1) { p.Parent = &events.PriceSetV1Product{Unknown: many} }); err == nil || !strings.Contains(err.Error(), "parent.m: the member stands there twice") {
		t.Errorf("of many: %v", err)
	}
	if _, err := draft(t, func(p *events.PriceSetV1) { p.Unknown = many[1:] }); err != nil {
		t.Error(err)
	}
}

// TestBytes: text that stands for bytes is bytes, and what is absent, null or
// empty stays so.
func TestBytes(t *testing.T) {
	d, err := draft(t, func(p *events.PriceSetV1) {
		p.Label = []byte{}
		p.Scans = [][]byte{{0, 255}, nil, {}}
		p.Seal = event.Some(event.NewBase64([]byte("ab")))
		p.Stamp = events.PriceSetV1StampString("x")
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `"label":"","scans":["AP8=",null,""],"seal":"YWI=","stamp":"eA=="}`
	if !strings.HasSuffix(string(d.Payload), want) {
		t.Errorf("got %s, want %s", d.Payload, want)
	}
	got, key, err := events.DecodePriceSetV1(d.Payload)
	if err != nil || got.Label == nil || len(got.Scans) != 3 || got.Scans[1] != nil || got.Scans[2] == nil || string(got.Scans[0]) != "\x00\xff" {
		t.Errorf("decoded %+v, %v", got, err)
	}
	if again, err := events.DraftPriceSetV1(key, got); err != nil || string(again.Payload) != string(d.Payload) {
		t.Errorf("written again: %s, %v", again.Payload, err)
	}
	for _, text := range []string{"A", "AP8", "AP9=", "AP8=\\n", "é", "A-8="} {
		bad := strings.Replace(string(d.Payload), `"AP8="`, `"`+text+`"`, 1)
		if _, _, err := events.DecodePriceSetV1([]byte(bad)); err == nil || !strings.Contains(err.Error(), "scans[0]: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
