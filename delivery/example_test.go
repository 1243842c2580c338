package delivery_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

// An order is marked paid and the event is published in one transaction; a
// relay sends it and an inbox adds points, once, although the order is paid twice.
func Example() {
	if err := example(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// duplicate: false
	// duplicate: true
	// points: 10
}

func example() error {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := sqlite.Open(filepath.Join(dir, "orders.db"))
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := store.DB().Exec("CREATE TABLE orders (id TEXT PRIMARY KEY, version INTEGER); CREATE TABLE points (n INTEGER); INSERT INTO points VALUES (0)"); err != nil {
		return err
	}

	for range 2 { // the second one is a retry that doesn't know of the first
		if err := pay(ctx, store); err != nil {
			return err
		}
	}

	if err := addPoints(ctx, store); err != nil {
		return err
	}
	var points int
	if err := store.Reader().QueryRow("SELECT n FROM points").Scan(&points); err != nil {
		return err
	}
	fmt.Println("points:", points)
	return nil
}

func pay(ctx context.Context, store *sqlite.Store) error {
	return store.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO orders VALUES ('o-1', 1) ON CONFLICT DO NOTHING"); err != nil {
			return err
		}
		key := event.NewKey("OrderPaid", "p-1")
		receipts, err := sqlite.In(tx).Append(ctx, event.Draft{ // generated code makes the draft
			Event: "OrderPaid.v1", Revision: "0123456789abcdef", Source: "orders", Topic: "orders.events",
			ID: event.NewID("OrderPaid.v1", key), Key: key, Lane: event.Lane{Type: "order", ID: "o-1"}, Version: 1,
			PartitionKey: "o-1", ContentType: "application/json", Payload: []byte(`{"payment_id":"p-1"}`),
		})
		if err != nil {
			return err
		}
		fmt.Println("duplicate:", receipts[0].Duplicate)
		return nil
	})
}

// addPoints relays and consumes until one event is handled.
func addPoints(ctx context.Context, store *sqlite.Store) error {
	handled := make(chan struct{}, 1)
	loyalty := event.Consumer{Name: "loyalty", Routes: []event.Route{{
		Event: "OrderPaid.v1", Topic: "orders.events",
		Identify: func(m event.Message) (event.Identity, error) { // generated code reads the payload
			return event.Identity{Key: event.NewKey("OrderPaid", "p-1"), Lane: event.Lane{Type: "order", ID: "o-1"}, Version: 1, Time: m.Time}, nil
		},
		Handle: func(ctx context.Context, tx event.Tx, _ event.Message, _ event.Identity) error {
			_, err := sqlite.From(tx).ExecContext(ctx, "UPDATE points SET n = n + 10")
			return err
		},
	}}}
	relay := delivery.Relay{Store: store, Broker: store.NewBroker("")}
	inbox := delivery.Inbox{Store: store, Broker: store.NewBroker("loyalty"), Observe: func(o delivery.Observation) {
		if o.Outcome == delivery.Done {
			handled <- struct{}{}
		}
	}}
	run, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 2)
	go func() { ended <- relay.Run(run) }()
	go func() { ended <- inbox.Run(run, loyalty) }()
	select {
	case <-handled:
	case <-ctx.Done():
		return ctx.Err()
	}
	stop()
	for range 2 {
		if err := <-ended; err != nil {
			return err
		}
	}
	return nil
}
