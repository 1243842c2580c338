package shop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/testdata/gen/shop/events"
)

// The plain types that a person would write for encoding/json, which validates
// nothing.
type plainPaid struct {
	EventID          string `json:"event_id"`
	OrderID          string `json:"order_id"`
	AggregateVersion int64  `json:"aggregate_version"`
	PaymentID        string `json:"payment_id"`
	OccurredAt       string `json:"occurred_at"`
	Customer         struct {
		ID    string  `json:"id"`
		Email *string `json:"email"`
	} `json:"customer"`
	Amount struct {
		MinorUnits int64  `json:"minor_units"`
		Currency   string `json:"currency"`
	} `json:"amount"`
	Method *string `json:"method"`
	Coupon *string `json:"coupon"`
}

const small = `{"event_id":"018f3c9a-0000-8000-8000-000000000000","order_id":"order-4711","aggregate_version":3,"payment_id":"pay-0815",` +
	`"occurred_at":"2026-11-29T12:00:00.5Z","customer":{"id":"customer-1","email":"someone@example.com"},` +
	`"amount":{"minor_units":1999,"currency":"EUR"},"method":"card"}`

func BenchmarkDecodeSmall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := events.DecodeOrderPaidV1([]byte(small)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeSmallEncodingJSON(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var v plainPaid
		if err := json.Unmarshal([]byte(small), &v); err != nil {
			b.Fatal(err)
		}
	}
}

type plainMoney struct {
	Value    json.Number `json:"value"`
	Currency string      `json:"currency"`
}

type plainLine struct {
	SKU      string      `json:"sku"`
	Quantity int64       `json:"quantity"`
	Price    plainMoney  `json:"price"`
	Parts    []plainLine `json:"parts"`
}

type plainPaid2 struct {
	Meta  struct{ ID, At, Trace string }
	Order struct {
		ID      string
		Version int64
	}
	Payment struct {
		ID    string
		Total plainMoney
		Lines []plainLine
	}
	Note   *string
	Labels map[string]string
}

// large is an event of about 50 KB.
var large = func() []byte {
	line := `{"sku":"ABC-12345","quantity":2,"price":{"value":19.99,"currency":"EUR"},"parts":[]},`
	lines := strings.TrimSuffix(strings.Repeat(line, 100), ",")
	parts := strings.Replace(line, "[]", "["+lines+"]", 1)
	all := strings.TrimSuffix(strings.Repeat(parts, 6), ",")
	return []byte(`{"meta":{"id":"e","at":"2026-11-29T12:00:00Z"},"order":{"id":"o","version":1},"payment":{"id":"p","total":{"value":1.5,"currency":"EUR"},"lines":[` + all + `]}}`)
}()

func BenchmarkDecodeLarge(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(large)))
	for b.Loop() {
		if _, _, err := events.DecodeOrderPaidV2(large); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeLargeEncodingJSON(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(large)))
	for b.Loop() {
		var v plainPaid2
		if err := json.Unmarshal(large, &v); err != nil {
			b.Fatal(err)
		}
	}
}
