package shop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
	"github.com/evcontract/evcontract/testdata/gen/shop/events"
)

// seeds are valid events that hold every place of their schemas. All that one
// change can make of them is decoded and validated.
var seeds = []struct {
	schema string
	decode func([]byte) error
	seed   string
}{
	{"order_paid.v1.schema.json", func(b []byte) error { _, _, err := events.DecodeOrderPaidV1(b); return err }, `{
		"event_id": "e", "order_id": "o", "aggregate_version": 1, "payment_id": "p", "occurred_at": "2026-11-29T12:00:00Z",
		"customer": {"id": "c", "email": "m"}, "amount": {"minor_units": 1, "currency": "EUR"}, "method": "card", "coupon": "x"}`},
	{"order_paid.v2.schema.json", func(b []byte) error { _, _, err := events.DecodeOrderPaidV2(b); return err }, `{
		"meta": {"id": "e", "at": "2026-11-29T12:00:00Z", "trace": "t"}, "order": {"id": "o", "version": 1},
		"payment": {"id": "p", "total": {"value": 1.50, "currency": "EUR"}, "tip": {"value": 0, "currency": "USD"},
			"lines": [{"sku": "A-1", "quantity": 1, "price": {"value": 1, "currency": "EUR"},
				"parts": [{"sku": "A-2", "quantity": 3, "price": {"value": 1, "currency": "EUR"}}]}]},
		"note": "n", "labels": {"a": "b"}}`},
	{"stock_moved.v1.schema.yaml", func(b []byte) error { _, _, err := events.DecodeStockMovedV1(b); return err }, `{
		"warehouse": "w", "movement": 7, "type": "move", "range": [1, 2.5], "url": "u", "URL": "U", "key": "k", "version": 2, "huge": 1,
		"matrix": [[1, null], []], "by_day": {"mon": {"am": [true]}}, "nothing": null, "anything": [1], "either": {"kind": "box", "size": 3},
		"mixed": 5, "speed": "fast", "boxes": 2, "flag": "skip", "zero": 0, "owner": {"id": "i", "name": "n"}, "carrier": {"by": "truck", "plate": "p"},
		"batch": "0B1C2D3E-0000-4000-8000-000000000000", "scans": ["AA==", "no base64"], "route": [{"by": "ship", "berths": 1, "then": {"by": "truck", "plate": "q"}}, true, null], "maybe": {"city": "x", "zip code": "z"}, "from": {"city": "y"}, "tags": ["cold", "fragile"], "pair": ["a", 1],
		"more": {"a": 1, "b": "c"}, "picky": {"xa": 1}, "extended": {"city": "x", "door": 1},
		"conditional": {"mode": "heavy", "weight": 2}, "deps": {"card": "c", "billing": "b"}}`},
}

func TestDecodeIsValidate(t *testing.T) {
	tree, err := source.Open(context.Background(), "contracts", source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, s := range seeds {
		t.Run(s.schema, func(t *testing.T) {
			schema, errs := jsonschema.Load(tree, s.schema, jsonschema.Options{})
			for _, err := range errs {
				t.Fatal(err)
			}
			taken, refused := 0, 0
			for i, document := range mutants(t, s.seed) {
				want, got := schema.Validate([]byte(document)), s.decode([]byte(document))
				if i == 0 && want != nil {
					t.Fatal(want)
				}
				if got != nil && strings.Contains(got.Error(), "does not fit") {
					continue // the documented limit of integers without bounds
				}
				if (want == nil) != (got == nil) {
					t.Errorf("%s\nvalidator: %v\ndecoder:   %v", document, want, got)
				}
				if got == nil {
					taken++
				} else {
					refused++
				}
			}
			t.Logf("%d documents taken, %d refused", taken, refused)
		})
	}
}

// values are put in the place of every value of a seed.
var values = []string{
	`null`, `true`, `0`, `-1`, `1.0`, `1.5`, `1e2`, `100000000000000000000`, `""`, `"a"`, `"ab"`, `"EUR"`, `"card"`, `"move"`,
	`"a string that is longer than all limits of the short ones"`, `[]`, `[1]`, `["cold","cold"]`, `["a",1,2]`, `{}`, `{"a":1}`,
	`{"city":"x","door":1}`, `{"mode":"light","weight":1}`, `{"mode":"heavy"}`, `{"card":"c"}`, `{"A":1}`, `{"xa":"1"}`, `{"kind":"bag"}`, `{"by":"ferry"}`, `{"plate":"p","by":"truck"}`, `"ferry"`, `"truck"`, `"skip"`, `"NULL_VALUE"`, `["x"]`, `{"id":1}`, `{"name":"n"}`, `2.5`,
}

// mutants gives a seed, and what becomes of it if one value is replaced, one
// member left out or one added.
func mutants(t *testing.T, seed string) []string {
	var v any
	d := json.NewDecoder(strings.NewReader(seed))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	list := []string{seed}
	root := v
	note := func() {
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(root); err != nil {
			t.Fatal(err)
		}
		list = append(list, b.String())
	}
	mutate(root, func(x any) { root = x }, note)
	return list
}

func mutate(v any, set func(any), note func()) {
	if text, ok := v.(string); !ok || !strings.HasPrefix(text, "2026-") { // occurred_at is a time by its role
		for _, x := range values {
			set(json.RawMessage(x))
			note()
		}
		set(v)
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			mutate(x, func(x any) { v[i] = x }, note)
		}
		set(append(slices.Clone(v), json.RawMessage(`7`)))
		note()
		set(v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			x := v[name]
			mutate(x, func(x any) { v[name] = x }, note)
			delete(v, name)
			note()
			v[name] = x
		}
		for _, name := range []string{"unknown", "forbidden"} {
			v[name] = json.RawMessage(`1`)
			note()
			delete(v, name)
		}
	}
}
