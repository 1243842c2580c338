package options_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/testdata/gen/options/events"
)

// TestUpcastChain: an event of the oldest version goes through every version
// between it and the one that is handled; each upcaster is asked once, and what
// any of them refuses is not handled.
func TestUpcastChain(t *testing.T) {
	one, err := draft(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := events.DraftPriceSetV2(events.NewPriceSetV2Key(8), events.PriceSetV2{SKU: "A-1", Version: 4, Cents: 250})
	if err != nil {
		t.Fatal(err)
	}
	three, err := events.DraftPriceSetV3(events.NewPriceSetV3Key(9), events.PriceSetV3{SKU: "A-1", Version: 5, Cents: 300, Currency: events.PriceSetV3CurrencyUSD})
	if err != nil {
		t.Fatal(err)
	}
	var got, asked []string
	history := events.History[event.Tx]{PriceSetV3: func(_ context.Context, _ event.Tx, e events.HistoryPriceSetV3) error {
		got = append(got, fmt.Sprintf("%d %d %s", e.Version(), e.Cents, e.Currency))
		return nil
	}}
	first := func(e events.HistoryPriceSetV1) (events.HistoryPriceSetV2, error) {
		asked = append(asked, "first")
		text, _ := e.Price.MarshalText()
		euros, err := strconv.ParseFloat(string(text), 64)
		return events.HistoryPriceSetV2{Cents: int64(euros*100 + 0.5)}, err
	}
	second := func(e events.HistoryPriceSetV2) (events.HistoryPriceSetV3, error) {
		asked = append(asked, "second")
		if e.Cents == 250 {
			return events.HistoryPriceSetV3{}, errors.New("nobody knows the currency")
		}
		return events.HistoryPriceSetV3{Cents: e.Cents, Currency: events.PriceSetV3CurrencyEUR}, nil
	}
	c := history.Consumer(func(tx event.Tx) event.Tx { return tx }, first, second)
	for i, want := range []struct {
		draft      event.Draft
		asked, got string
		refused    string
	}{
		{one, "[first second]", "[3 1999 EUR]", ""},
		{two, "[second]", "[]", "PriceSet.v2 cannot become PriceSet.v3: nobody knows the currency"},
		{three, "[]", "[5 300 USD]", ""},
	} {
		got, asked = nil, nil
		r, m := c.Routes[i], event.Message{Payload: want.draft.Payload}
		id, err := r.Identify(m)
		if err != nil || id.Key != want.draft.Key {
			t.Fatal(r.Event, id, err)
		}
		refused := ""
		if err := r.Handle(t.Context(), nil, m, id); err != nil {
			refused = err.Error()
			if !event.IsPermanent(err) {
				t.Errorf("%s: %v may be tried again", r.Event, err)
			}
		}
		if fmt.Sprint(asked) != want.asked || fmt.Sprint(got) != want.got || refused != want.refused {
			t.Errorf("%s: asked %v, handled %v, refused %q", r.Event, asked, got, refused)
		}
	}
	for i, routes := range [][]event.Route{history.Consumer(nil, nil, second).Routes, history.Consumer(nil, first, nil).Routes} {
		if routes[0].Handle != nil || (routes[1].Handle == nil) != (i == 1) || routes[2].Handle == nil {
			t.Errorf("%d: an upcaster that is not set is not missed, or another is", i)
		}
	}
}
