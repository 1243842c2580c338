package events

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/evcontract/evcontract/event"
)

// The same structs as encoding/json needs them: with the key's fields, and tags.
type plainPaid struct {
	EventID          string    `json:"event_id"`
	OrderID          string    `json:"order_id"`
	AggregateVersion int64     `json:"aggregate_version"`
	PaymentID        string    `json:"payment_id"`
	OccurredAt       time.Time `json:"occurred_at"`
	Customer         struct {
		ID    string  `json:"id"`
		Email *string `json:"email,omitempty"`
	} `json:"customer"`
	Amount plainMoney         `json:"amount"`
	Method *OrderPaidV1Method `json:"method,omitempty"`
	Coupon *string            `json:"coupon,omitempty"`
}

type plainPlaced struct {
	EventID          string               `json:"event_id"`
	OrderID          string               `json:"order_id"`
	AggregateVersion int64                `json:"aggregate_version"`
	OccurredAt       time.Time            `json:"occurred_at"`
	Channel          OrderPlacedV1Channel `json:"channel"`
	Customer         struct {
		ID          string                            `json:"id"`
		Email       string                            `json:"email"`
		Phone       *string                           `json:"phone,omitempty"`
		Locale      *string                           `json:"locale,omitempty"`
		LoyaltyTier *OrderPlacedV1CustomerLoyaltyTier `json:"loyalty_tier,omitempty"`
	} `json:"customer"`
	Shipping plainAddress `json:"shipping"`
	Billing  plainAddress `json:"billing"`
	Lines    []plainLine  `json:"lines"`
	Totals   struct {
		Net   plainMoney `json:"net"`
		Tax   plainMoney `json:"tax"`
		Gross plainMoney `json:"gross"`
	} `json:"totals"`
	Coupons []string          `json:"coupons,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Note    *string           `json:"note,omitempty"`
}

type plainOpened struct {
	EventID          string    `json:"event_id"`
	TicketID         string    `json:"ticket_id"`
	AggregateVersion int64     `json:"aggregate_version"`
	OccurredAt       time.Time `json:"occurred_at"`
	Customer         struct {
		Email string  `json:"email"`
		Phone *string `json:"phone,omitempty"`
	} `json:"customer"`
	Period  string   `json:"period"`
	Tags    []string `json:"tags"`
	Subject *string  `json:"subject,omitempty"`
}

type plainAddress struct {
	Name     string `json:"name"`
	Street   string `json:"street"`
	City     string `json:"city"`
	Postcode string `json:"postcode"`
	Country  string `json:"country"`
}

type plainLine struct {
	Line      int64        `json:"line"`
	SKU       string       `json:"sku"`
	Name      string       `json:"name"`
	Quantity  int64        `json:"quantity"`
	Weight    *json.Number `json:"weight,omitempty"`
	Gift      *bool        `json:"gift,omitempty"`
	Warehouse *string      `json:"warehouse,omitempty"`
	Price     plainMoney   `json:"price"`
	Discount  *plainMoney  `json:"discount,omitempty"`
}

type plainMoney struct {
	MinorUnits int64  `json:"minor_units"`
	Currency   string `json:"currency"`
}

// payload is one event, and the ways to read and to write it.
type payload struct {
	name      string
	data      []byte
	schema    *jsonschema.Schema
	decode    func([]byte) (encode func() []byte, err error)
	unmarshal func([]byte) (any, error)
}

// payloads are events of about 400 bytes, 2 KB and 50 KB, and one whose every text
// is held against a pattern that needs a regular expression.
func payloads(t testing.TB) []payload {
	list := []payload{
		{name: "small", decode: decodeAs[OrderPaidV1], unmarshal: unmarshalAs[plainPaid]},
		{name: "medium", decode: decodeAs[OrderPlacedV1], unmarshal: unmarshalAs[plainPlaced]},
		{name: "large", decode: decodeAs[OrderPlacedV1], unmarshal: unmarshalAs[plainPlaced]},
		{name: "patterns", decode: decodeAs[TicketOpenedV1], unmarshal: unmarshalAs[plainOpened]},
	}
	for i := range list {
		data, err := os.ReadFile(filepath.Join("../payloads", list[i].name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		list[i].data = data
		file := map[string]string{"small": "order_paid", "patterns": "ticket_opened"}[list[i].name]
		file = cmp.Or(file, "order_placed") + ".v1.schema.json"
		if list[i].schema, err = jsonschema.Compile(filepath.Join("../contracts", file)); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// coder is what every generated payload has: a reader and a writer of its own.
type coder[T any] interface {
	*T
	decode(s *event.Scanner)
	append(b []byte, whole bool) []byte
}

func decodeAs[T any, P coder[T]](data []byte) (func() []byte, error) {
	v := P(new(T))
	s := event.NewScanner(data)
	v.decode(&s)
	return func() []byte { return event.Encode(func(b []byte) []byte { return v.append(b, true) }) }, s.End()
}

func unmarshalAs[T any](data []byte) (any, error) {
	v := new(T)
	return v, json.Unmarshal(data, v)
}

func (p *payload) validate(t testing.TB) {
	var v any
	d := json.NewDecoder(bytes.NewReader(p.data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if err := p.schema.Validate(v); err != nil {
		t.Fatal(err)
	}
}

// TestSame holds that what is measured does the same: both read all that stands
// there and write it again.
func TestSame(t *testing.T) {
	for _, p := range payloads(t) {
		encode, err := p.decode(p.data)
		if err != nil {
			t.Fatal(p.name, err)
		}
		if got := encode(); !bytes.Equal(got, p.data) {
			t.Errorf("%s: generated code writes %.400s", p.name, got)
		}
		plain, err := p.unmarshal(p.data)
		if err != nil {
			t.Fatal(p.name, err)
		}
		if got, _ := json.Marshal(plain); !bytes.Equal(got, p.data) {
			t.Errorf("%s: encoding/json writes %.400s", p.name, got)
		}
		p.validate(t)
	}
}

// each runs one benchmark for every payload, and tells its allocations as a
// figure of their own.
func each(b *testing.B, f func(b *testing.B, p *payload)) {
	for _, p := range payloads(b) {
		b.Run(p.name, func(b *testing.B) {
			b.SetBytes(int64(len(p.data)))
			for b.Loop() {
				f(b, &p)
			}
			b.ReportMetric(testing.AllocsPerRun(10, func() { f(b, &p) }), "allocations")
		})
	}
}

// BenchmarkDecode reads and validates with generated code.
func BenchmarkDecode(b *testing.B) {
	each(b, func(b *testing.B, p *payload) {
		if _, err := p.decode(p.data); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkUnmarshal reads with encoding/json, and validates nothing.
func BenchmarkUnmarshal(b *testing.B) {
	each(b, func(b *testing.B, p *payload) {
		if _, err := p.unmarshal(p.data); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkUnmarshalValidate reads with encoding/json, and validates with a
// validator of JSON Schema.
func BenchmarkUnmarshalValidate(b *testing.B) {
	each(b, func(b *testing.B, p *payload) {
		if _, err := p.unmarshal(p.data); err != nil {
			b.Fatal(err)
		}
		p.validate(b)
	})
}

// BenchmarkEncode writes with generated code.
func BenchmarkEncode(b *testing.B) {
	for _, p := range payloads(b) {
		encode, err := p.decode(p.data)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				encode()
			}
		})
	}
}

// BenchmarkMarshal writes with encoding/json.
func BenchmarkMarshal(b *testing.B) {
	for _, p := range payloads(b) {
		plain, err := p.unmarshal(p.data)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := json.Marshal(plain); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
