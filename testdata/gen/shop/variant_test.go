package shop_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/testdata/gen/shop/events"
)

func tried(method events.PaymentTriedV1Method) events.PaymentTriedV1 {
	return events.PaymentTriedV1{OrderID: "o-1", Version: 2, OccurredAt: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Attempt: new(int64(1)), Method: method}
}

// TestVariants: a payload that may be one of several objects says which it is by
// the type of one field, and is written and read as the schema has it.
func TestVariants(t *testing.T) {
	card := &events.PaymentTriedV1MethodCard{Last4: "0815", Details: &events.PaymentTriedV1MethodCardDetails{Network: new(events.PaymentTriedV1MethodCardDetailsNetworkVisa)}}
	transfer := &events.PaymentTriedV1MethodTransfer{Method: events.PaymentTriedV1MethodTransferMethodGiro, IBAN: "DE02"}
	for _, c := range []struct {
		method events.PaymentTriedV1Method
		want   string
	}{
		{card, `"attempt":1,"method":"card","last4":"0815","details":{"network":"visa"}}`},
		{transfer, `"attempt":1,"method":"giro","iban":"DE02"}`},
	} {
		d, err := events.DraftPaymentTriedV1(events.NewPaymentTriedV1Key("p-1"), tried(c.method))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(string(d.Payload), c.want) {
			t.Errorf("%s\nends not in %s", d.Payload, c.want)
		}
		got, key, err := events.DecodePaymentTriedV1(d.Payload)
		if err != nil || key != events.NewPaymentTriedV1Key("p-1") || !reflect.DeepEqual(got, tried(c.method)) {
			t.Errorf("%+v, key %v, %v", got, key, err)
		}
	}
	for want, method := range map[string]events.PaymentTriedV1Method{
		"PaymentTried.v1: method: required, but missing":                   nil,
		`PaymentTried.v1: method: want card, transfer or giro, not "cash"`: &events.PaymentTriedV1MethodTransfer{Method: "cash"},
		`PaymentTried.v1: last4: "8" does not match ^[0-9]{4}$`:            &events.PaymentTriedV1MethodCard{Last4: "8"},
	} {
		if _, err := events.DraftPaymentTriedV1(events.NewPaymentTriedV1Key("p-1"), tried(method)); err == nil || err.Error() != want {
			t.Errorf("%v\nis not %s", err, want)
		}
	}
}

// TestVariantConsumer: a consumer sees of each object what it declared, and may
// refuse what the contract doesn't name.
func TestVariantConsumer(t *testing.T) {
	var seen []string
	consumer := events.Till[*fakeTx]{
		PaymentTriedV1: func(_ context.Context, _ *fakeTx, e events.TillPaymentTriedV1) error {
			switch m := e.Method.(type) {
			case *events.TillPaymentTriedV1MethodCard:
				seen = append(seen, fmt.Sprint(e.OrderID, " card ", *m.Details.Network))
			case *events.TillPaymentTriedV1MethodTransfer:
				seen = append(seen, fmt.Sprint(e.OrderID, " ", m.Method, " ", m.IBAN))
			}
			return nil
		},
		DoorOpenedV1: func(_ context.Context, _ *fakeTx, e events.TillDoorOpenedV1) error {
			switch by := e.By.(type) {
			case *events.TillDoorOpenedV1ByKey:
				seen = append(seen, fmt.Sprint(e.Door, e.Count, by.Holder))
			case *events.TillDoorOpenedV1ByCode:
				seen = append(seen, fmt.Sprint(e.Door, e.Count, *by.Tries))
			}
			return nil
		},
	}.Consumer(func(tx event.Tx) *fakeTx { return tx.(*fakeTx) })
	const paid = `"event_id":"e","payment_id":"p","order_id":"o","version":1,"occurred_at":"2026-11-29T12:00:00Z"`
	for _, c := range []struct{ event, payload, want string }{
		{"PaymentTried.v1", `{` + paid + `,"method":"card","last4":"0815","details":{"network":"visa"},"bic":1}`, "o card visa"},
		{"PaymentTried.v1", `{"iban":"DE02","method":"giro",` + paid + `}`, "o giro DE02"},
		{"PaymentTried.v1", `{` + paid + `,"method":"cash"}`, `method: want card, transfer or giro, not "cash"`},
		{"PaymentTried.v1", `{` + paid + `,"method":"transfer"}`, "iban: required, but missing"},
		{"DoorOpened.v1", `{"by":"key","door":"d","count":1,"holder":"h"}`, "d1h"},
		{"DoorOpened.v1", `{"door":"d","tries":3,"count":2,"by":"code"}`, "d2 3"},
		{"DoorOpened.v1", `{"by":"code","door":"d","count":1,"holder":"h"}`, "want exactly one of 2 alternatives to fit, not 0"},
	} {
		for _, r := range consumer.Routes {
			if r.Event != c.event {
				continue
			}
			seen = nil
			m := event.Message{Type: c.event, ContentType: "application/json", Payload: []byte(c.payload)}
			id, err := r.Identify(m)
			if err != nil {
				t.Fatal(c.payload, err)
			}
			if err := r.Handle(t.Context(), &fakeTx{}, m, id); err != nil {
				seen = append(seen, err.Error())
			}
			if len(seen) != 1 || !strings.HasSuffix(seen[0], c.want) {
				t.Errorf("%s\n%q, not %s", c.payload, seen, c.want)
			}
		}
	}
}
