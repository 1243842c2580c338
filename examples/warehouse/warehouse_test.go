package warehouse

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/broker/memory"
	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"

	"example.com/warehouse/events"
)

// TestParcels runs the shop and the warehouse on a database each: three payments
// of which one is booked twice, and one more message of the first, under another
// id. Every order gets one parcel and one ParcelPacked.v1.
func TestParcels(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	shop, here := open(t, "shop.db"), open(t, "warehouse.db")
	if _, err := here.DB().ExecContext(ctx, Tables); err != nil {
		t.Fatal(err)
	}
	for i, payment := range []string{"1", "2", "1", "3"} {
		if receipt := pay(ctx, t, shop, payment); receipt.Duplicate != (i == 2) {
			t.Errorf("payment %s was booked before: %v", payment, receipt.Duplicate)
		}
	}

	var hub memory.Hub
	outcomes := make(chan delivery.Outcome, 100)
	start(ctx, t, delivery.Relay{Store: shop, Broker: hub.Broker("")}.Run)
	start(ctx, t, delivery.Relay{Store: here, Broker: hub.Broker("")}.Run)
	start(ctx, t, func(ctx context.Context) error {
		inbox := delivery.Inbox{Store: here, Broker: hub.Broker("warehouse"), Observe: func(o delivery.Observation) {
			for range o.Count {
				outcomes <- o.Outcome
			}
		}}
		return inbox.Run(ctx, Consumer())
	})
	paid := collect(ctx, t, &hub, "orders.events", 3)
	twin := paid[0]
	twin.ID = event.ID{1}.String()
	for _, err := range hub.Broker("").Publish(ctx, []event.Message{twin}) {
		if err != nil {
			t.Fatal(err)
		}
	}

	orders := map[string]bool{}
	for _, m := range collect(ctx, t, &hub, "parcels.events", 3) {
		_, key, err := events.DecodeParcelPackedV1(m.Payload)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []string{"order-1", "order-2", "order-3"} {
			if key == events.NewParcelPackedV1Key(order) {
				orders[order] = true
			}
		}
	}
	if len(orders) != 3 {
		t.Errorf("ParcelPacked.v1 names the orders %v, want three", orders)
	}
	done := map[delivery.Outcome]int{}
	for range 4 {
		select {
		case o := <-outcomes:
			done[o]++
		case <-ctx.Done():
			t.Fatalf("handled %v: %v", done, ctx.Err())
		}
	}
	if done[delivery.Done] != 3 || done[delivery.Duplicate] != 1 {
		t.Errorf("handled %v, want 3 done and 1 seen before", done)
	}
	for _, table := range []string{"parcels", "evc_effect"} {
		var n int
		if err := here.Reader().QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 3 {
			t.Errorf("%s holds %d rows, want 3: %v", table, n, err)
		}
	}
}

// TestContract holds the copy of the shop's contract against the original.
func TestContract(t *testing.T) {
	for _, name := range []string{"order_paid.v1.event.yaml", "order_paid.v1.schema.json"} {
		original, err := os.ReadFile(filepath.Join("../../contracts/orders", name))
		if err != nil {
			t.Fatal(err)
		}
		original, _, _ = bytes.Cut(original, []byte("examples:\n")) // they stay with the shop
		own, err := os.ReadFile(filepath.Join("contracts/orders", name))
		if err != nil || !bytes.Equal(own, original) {
			t.Errorf("%s is another one than the shop's: %v", name, err)
		}
	}
}

// TestImports holds what generated code imports: package event, the official
// Protobuf runtime, and the standard library.
func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./events/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		if name != "github.com/evcontract/evcontract/event" && !strings.HasPrefix(name, "google.golang.org/protobuf/") && !strings.HasPrefix(name, "example.com/warehouse/events") {
			t.Errorf("generated code needs %s", name)
		}
	}
}

func open(t *testing.T, name string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// pay is what the shop does.
func pay(ctx context.Context, t *testing.T, shop *sqlite.Store, payment string) (receipt event.Receipt) {
	t.Helper()
	err := shop.InTx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		receipt, err = events.PublishOrderPaidV1(ctx, sqlite.In(tx), events.NewOrderPaidV1Key("payment-"+payment), events.OrderPaidV1{
			OrderID:          "order-" + payment,
			AggregateVersion: 1,
			OccurredAt:       time.Now(),
			Customer:         events.OrderPaidV1Customer{ID: "customer-1"},
			Amount:           events.OrderPaidV1Amount{MinorUnits: 1250, Currency: "EUR"},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

// start runs a loop until the test ends.
func start(ctx context.Context, t *testing.T, loop func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- loop(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// collect waits for some messages of a topic, as a group of its own.
func collect(ctx context.Context, t *testing.T, hub *memory.Hub, topic string, n int) []event.Message {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var list []event.Message
	err := hub.Broker("test-"+topic).Consume(ctx, []string{topic}, func(_ context.Context, ms []event.Message) error {
		if list = append(list, ms...); len(list) >= n {
			stop()
		}
		return nil
	})
	if len(list) != n {
		t.Fatalf("%s: %d messages, want %d: %v", topic, len(list), n, err)
	}
	return list
}
