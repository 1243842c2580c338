package postgres_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// counting is a broker that counts what it is given.
type counting struct{ n atomic.Int64 }

func (c *counting) Publish(_ context.Context, ms []event.Message) []error {
	c.n.Add(int64(len(ms)))
	return nil
}

func (c *counting) Consume(context.Context, []string, func(context.Context, []event.Message) error) error {
	return nil
}

// lazy looks again after an hour, or when it is woken.
type lazy struct{ *postgres.Store }

func (l lazy) Await(ctx context.Context, lease delivery.Lease, _ time.Duration) error {
	return l.Store.Await(ctx, lease, time.Hour)
}

// hints is a relay that is far too lazy to poll, and another process that
// publishes.
type hints struct {
	t        *testing.T
	dsn      string
	relay    *postgres.Store
	producer *postgres.Store
	sent     counting
	made     int
}

func newHints(t *testing.T, pollOnly bool) *hints {
	h := &hints{t: t, dsn: fresh(t).Source}
	for _, s := range []**postgres.Store{&h.relay, &h.producer} {
		opened, err := postgres.Open(t.Context(), h.dsn)
		if err != nil {
			t.Fatal(err)
		}
		opened.PollOnly = pollOnly
		t.Cleanup(func() { _ = opened.Close() }) // its schema goes next
		*s = opened
	}
	var store delivery.OutboxStore = lazy{h.relay}
	if pollOnly {
		store = h.relay
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- delivery.Relay{Store: store, Broker: &h.sent}.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *hints) publish() {
	h.t.Helper()
	h.made++
	d := deliverytest.Fact{Payment: fmt.Sprint(h.made), Order: "o", Version: uint64(h.made)}.Draft("OrderPaid.v1")
	if err := h.producer.InTx(h.t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
		_, err := postgres.In(tx).Append(ctx, d)
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
}

// wait fails when something is not so after a while.
func (h *hints) wait(what string, so func() bool) {
	h.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatalf("%s: %d of %d events were sent", what, h.sent.n.Load(), h.made)
		}
	}
}

func (h *hints) arrived() bool { return h.sent.n.Load() == int64(h.made) }

const listeners = ` FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND application_name = current_setting('application_name')`

func (h *hints) count(query string) (n int) {
	conn, err := pgx.Connect(h.t.Context(), h.dsn)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(h.t.Context(), query).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

// A notification wakes a relay of another process, also one that lost the
// connection which listens; what was missed meanwhile is found.
func TestNotify(t *testing.T) {
	h := newHints(t, false)
	h.wait("listening", func() bool { return h.count("SELECT count(*)"+listeners) == 1 })
	for range 3 {
		h.publish()
		h.wait("woken", h.arrived)
	}
	if n := h.count("SELECT count(pg_terminate_backend(pid))" + listeners); n != 1 {
		t.Fatalf("%d connections listened, want 1", n)
	}
	h.publish() // nobody may have heard it
	h.wait("after the connection was lost", h.arrived)
	h.wait("listening again", func() bool { return h.count("SELECT count(*)"+listeners) == 1 })
	h.publish()
	h.wait("woken again", h.arrived)
}

// Without notifications everything is sent as well.
func TestPollOnly(t *testing.T) {
	h := newHints(t, true)
	for range 3 {
		h.publish()
		h.wait("polled", h.arrived)
	}
	if n := h.count("SELECT count(*)" + listeners); n != 0 {
		t.Errorf("%d connections listen, want none", n)
	}
}
