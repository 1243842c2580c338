package codegen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// misuses are programs that must not compile, and what the compiler says.
var misuses = []struct{ name, body, want string }{
	{"no key", `events.PublishOrderPaidV1(ctx, tx, events.OrderPaidV1{})`,
		`not enough arguments in call to events.PublishOrderPaidV1`},
	{"another event's key", `events.PublishOrderPaidV1(ctx, tx, events.NewOrderPaidV2Key("p"), events.OrderPaidV1{})`,
		`cannot use events.NewOrderPaidV2Key("p") (value of struct type events.OrderPaidV2Key) as events.OrderPaidV1Key value in argument to events.PublishOrderPaidV1`},
	{"a converted key", `events.PublishOrderPaidV1(ctx, tx, events.OrderPaidV1Key(events.NewOrderPaidV2Key("p")), events.OrderPaidV1{})`,
		`cannot convert events.NewOrderPaidV2Key("p") (value of struct type events.OrderPaidV2Key) to type events.OrderPaidV1Key`},
	{"a string for a key", `events.PublishOrderPaidV1(ctx, tx, "p", events.OrderPaidV1{})`,
		`cannot use "p" (untyped string constant) as events.OrderPaidV1Key value in argument to events.PublishOrderPaidV1`},
	{"a key of too few fields", `events.NewStockMovedV1Key("w")`,
		`not enough arguments in call to events.NewStockMovedV1Key`},
	{"a key of too many fields", `events.NewOrderPaidV1Key("p", "q")`,
		`too many arguments in call to events.NewOrderPaidV1Key`},
	{"a key made by hand", `_ = events.OrderPaidV1Key{paymentID: "p"}`,
		`cannot refer to unexported field paymentID in struct literal of type events.OrderPaidV1Key`},
	{"a key field filled twice", `_ = events.OrderPaidV1{PaymentID: "p"}`,
		`unknown field PaymentID in struct literal of type events.OrderPaidV1, but does have unexported paymentID`},
	{"an event id of one's own", `_ = events.OrderPaidV1{EventID: "e"}`,
		`unknown field EventID in struct literal of type events.OrderPaidV1`},
	{"a field that the consumer did not declare", `var e events.LoyaltyOrderPaidV1; _ = e.Coupon`,
		`e.Coupon undefined (type events.LoyaltyOrderPaidV1 has no field or method Coupon)`},
	{"a nested field that the consumer did not declare", `var e events.LoyaltyOrderPaidV1; _ = e.Customer.Email`,
		`e.Customer.Email undefined (type events.LoyaltyOrderPaidV1Customer has no field or method Email)`},
	{"a handler of another event", `_ = events.Loyalty[int]{OrderPaidV1: func(context.Context, int, events.LoyaltyOrderPaidV2) error { return nil }}`,
		`value in struct literal`},
	{"no upcaster", `events.Ledger[int]{}.Consumer(nil)`,
		`not enough arguments in call to events.Ledger[int]{}.Consumer`},
	{"an upcaster of another version", `events.Ledger[int]{}.Consumer(nil, func(e events.LedgerOrderPaidV2) (events.LedgerOrderPaidV2, error) { return e, nil })`,
		`value of type func(e events.LedgerOrderPaidV2)`},
	{"a handler of an event that is upcast", `_ = events.Ledger[int]{OrderPaidV1: nil}`,
		`unknown field OrderPaidV1 in struct literal of type events.Ledger[int]`},
	{"an arm of another value", `_ = events.StockMovedV1{Carrier: events.StockMovedV1EitherString("ab")}`,
		`events.StockMovedV1EitherString does not implement events.StockMovedV1Carrier (missing method isStockMovedV1Carrier)`},
	{"an arm that is no pointer", `_ = events.StockMovedV1{Carrier: events.StockMovedV1CarrierTruck{}}`,
		`method isStockMovedV1Carrier has pointer receiver`},
	{"a case that no arm is", `var e events.StockMovedV1; switch e.Carrier.(type) { case *events.StockMovedV1EitherObject: }`,
		`cannot have dynamic type *events.StockMovedV1EitherObject (missing method isStockMovedV1Carrier)`},
	{"an effect that the consumer did not declare", `var e events.LoyaltyOrderPaidV1; _ = e.Mail`,
		`e.Mail undefined`},
}

const misuse = `package p

import (
	"context"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/testdata/gen/shop/events"
)

var _ = event.ErrZeroKey

func f(ctx context.Context, tx event.Tx) {
	%BODY%
}
`

// TestMisuseDoesNotCompile builds one package a misuse, none of which is on
// disk in the module.
func TestMisuseDoesNotCompile(t *testing.T) {
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	args := []string{"build", "-overlay", filepath.Join(t.TempDir(), "overlay.json")}
	for i, m := range misuses {
		file := filepath.Join(t.TempDir(), "p.go")
		if err := os.WriteFile(file, []byte(strings.Replace(misuse, "%BODY%", m.body, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		dir := "internal/codegen/misuse" + string(rune('a'+i))
		overlay[filepath.Join(module, dir, "p.go")] = file
		args = append(args, "./"+dir)
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(args[2], data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = module
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatal("everything compiles")
	}
	said := map[string]string{}
	for _, part := range regexp.MustCompile(`(?m)^# `).Split(string(out), -1) {
		name, text, _ := strings.Cut(part, "\n")
		said[name] = text
	}
	for i, m := range misuses {
		got := said["github.com/evcontract/evcontract/internal/codegen/misuse"+string(rune('a'+i))]
		if !strings.Contains(got, m.want) {
			t.Errorf("%s: the compiler says %q, want %q", m.name, got, m.want)
		}
	}
}
