package metrics_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/metrics"
	"github.com/evcontract/evcontract/store/sqlite"
)

// A service that relays and handles its events, measured and traced.
func Example() {
	dir, err := os.MkdirTemp("", "metrics-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(filepath.Join(dir, "orders.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	m, err := metrics.New(metrics.Options{}) // the program's own MeterProvider
	if err != nil {
		log.Fatal(err)
	}
	topics := store.NewBroker("loyalty")
	stop, err := m.Watch(metrics.Watched{Store: store, Brokers: map[string]delivery.Lagging{"loyalty": topics}})
	if err != nil {
		log.Fatal(err)
	}
	delivery.SetInject(metrics.Inject(nil))
	defer delivery.SetInject(nil)

	relay := delivery.Relay{Store: store, Broker: topics, Observe: m.Observe}
	inbox := delivery.Inbox{Store: store, Broker: topics, Observe: m.Observe, Context: metrics.Extract(nil)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()  // a program runs them until it is stopped
	_ = inbox // inbox.Run(ctx, orders.Loyalty[*sql.Tx]{OrderPaidV1: addPoints}.Consumer(sqlite.From))
	fmt.Println(relay.Run(ctx), stop())
	// Output: <nil> <nil>
}
