package deliverytest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

func stopLeaves(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Audit))
	members := func() any {
		st := must(w.DB.Store.Status(t.Context()))
		return []int{st.Consumers[0].Members, st.Consumers[0].Counts.Handled}
	}
	i.deliver(fact("o", 1).Message(0))
	i.want("members", members(), []int{1, 1})
	i.want("the stop", i.stop(), nil)
	i.want("members after it", members(), []int{0, 1})
}

// fullWaits parks as much as is allowed: what comes next is not acknowledged
// until some of it was handled, and nothing is lost.
func fullWaits(t *testing.T, w *World) {
	var full atomic.Int64
	var mended atomic.Bool
	w.Policy.Retry.Attempts, w.Policy.Retry.Initial, w.Policy.Retry.Max = 1000, 200*time.Millisecond, 200*time.Millisecond
	c := w.Consumer(Loyalty)
	handle := c.Routes[0].Handle
	c.Routes[0].Handle = func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {
		if id.Lane.ID == "o" && !mended.Load() {
			return errors.New("not mended yet")
		}
		return handle(ctx, tx, m, id)
	}
	i := w.start(t, delivery.Inbox{ParkAtMost: 2, Observe: func(o delivery.Observation) {
		if errors.Is(o.Err, delivery.ErrFull) {
			full.Add(1)
		}
	}}, c)
	i.deliver(fact("o", 1).Message(0), fact("o", 2).Message(1))
	delivered := make(chan error, 1)
	go func() { delivered <- i.hand.Deliver(fact("p", 1).Message(0)) }() // waits for the others
	i.eventually("observed", 1, func() any { return full.Load() })
	i.want("applied while there is no room", len(i.versions(Loyalty)), 0)
	mended.Store(true)
	i.want("acknowledged", <-delivered, nil)
	rows, err := w.DB.Query(t.Context(), "SELECT lane FROM t_effect ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	i.want("handled first", rows[0][0], "o") // there was no room before
	i.eventually("applied", 3, func() any { return len(i.versions(Loyalty)) })
	i.want("observed", full.Load(), 1)
}

// keeping is a broker that says how long it keeps messages.
type keeping struct {
	*Hand
	kept time.Duration
}

func (k keeping) Retention(context.Context, []string) (time.Duration, error) { return k.kept, nil }

func remembersLonger(t *testing.T, w *World) {
	day := 24 * time.Hour
	w.Policy.Remember = 10 * day
	err := delivery.Inbox{Store: w.DB.Store, Broker: keeping{&Hand{}, 11 * day}}.Run(t.Context(), w.Consumer(Loyalty))
	if err == nil || !strings.Contains(err.Error(), "264h") {
		t.Errorf("got %v, want an error that names both times", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (delivery.Inbox{Store: w.DB.Store, Broker: keeping{&Hand{}, 10 * day}}).Run(ctx, w.Consumer(Loyalty)); err != nil {
		t.Errorf("stopped before it began: %v", err)
	}
}

// slowBroker is in the middle of a Publish until it is told to go on.
type slowBroker struct {
	*Hand
	entered, leave chan struct{}
}

func (b slowBroker) Publish(context.Context, []event.Message) []error {
	close(b.entered)
	<-b.leave
	return nil
}

// relayStops stops a relay in the middle of a batch: the batch is finished and
// marked, and the shards are given back for the next one.
func relayStops(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 3, 1, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := slowBroker{&Hand{}, make(chan struct{}), make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- delivery.Relay{Store: w.DB.Store, Broker: b, Loops: 1}.Run(ctx) }()
	<-b.entered
	cancel()
	close(b.leave)
	i := &inbox{World: w, t: t}
	i.want("end", <-ended, nil)
	i.want("rows that wait", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_outbox")), 0)
	i.want("leases", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_relay")), 0)
	i.want("shards that are owned", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_shard WHERE owner IS NOT NULL")), 0)
}

// relayGivesUp stops a relay whose broker never answers: after its time the
// batch is left to the next one, and the shards are given back.
func relayGivesUp(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 3, 1, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := stuckBroker{&Hand{}, make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		ended <- delivery.Relay{Store: w.DB.Store, Broker: b, Loops: 1, StopWithin: patience * 2 * time.Second}.Run(ctx)
	}()
	<-b.entered
	cancel()
	i := &inbox{World: w, t: t}
	i.want("end", <-ended, nil)
	i.want("rows that wait", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_outbox")), 3)
	i.want("leases", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_relay")), 0)
}

// stuckBroker answers nothing until it is cut off.
type stuckBroker struct {
	*Hand
	entered chan struct{}
}

func (b stuckBroker) Publish(ctx context.Context, ms []event.Message) []error {
	close(b.entered)
	<-ctx.Done()
	errs := make([]error, len(ms))
	for i := range errs {
		errs[i] = ctx.Err()
	}
	return errs
}

// renewals are a store that tells when a lease is renewed while a broker works.
type renewals struct {
	delivery.Store
	seen chan struct{}
}

func (r renewals) Settle(ctx context.Context, l delivery.Lease, sent []delivery.Row, held []delivery.Hold) error {
	err := r.Store.Settle(ctx, l, sent, held)
	if err == nil && len(sent)+len(held) == 0 {
		r.seen <- struct{}{}
	}
	return err
}

// leaping is a clock on which time passes for who sleeps, as often as it is told to.
type leaping struct {
	*Clock
	leaps chan struct{}
}

func (c leaping) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.leaps:
		c.Advance(d)
		return nil
	}
}

// patient is a broker that takes longer than a lease.
type patient struct {
	*Hand
	meanwhile func()
	times     atomic.Int32
}

func (p *patient) Publish(context.Context, []event.Message) []error {
	p.times.Add(1)
	p.meanwhile()
	return nil
}

// relayKeeps has a broker that takes longer than the relay's lease: another relay
// takes nothing meanwhile, and what was sent is marked.
func relayKeeps(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 3, 1, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	clock := leaping{NewClock(epoch), make(chan struct{})}
	w.DB.SetNow(clock.Now)
	store := renewals{w.DB.Store, make(chan struct{}, 100)}
	b := &patient{Hand: &Hand{}, meanwhile: func() {
		for range 4 { // a third of the lease each
			clock.leaps <- struct{}{}
			<-store.seen
		}
		must(w.DB.Store.Lease(t.Context(), delivery.Lease{Owner: "other", For: time.Minute}))
	}}
	ended := make(chan error, 1)
	go func() {
		ended <- delivery.Relay{Store: store, Broker: b, Loops: 1, Lease: 2 * time.Second, Clock: clock}.Run(ctx)
	}()
	i := &inbox{World: w, t: t}
	i.eventually("rows that wait", 0, func() any { return must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_outbox")) })
	cancel()
	i.want("end", <-ended, nil)
	i.want("times that it was sent", b.times.Load(), 1)
}

// meeting is a broker that takes a batch only while it has one of the other loop
// as well.
type meeting struct {
	*Hand
	batches chan []event.Message
	both    chan struct{}
}

func (b meeting) Publish(ctx context.Context, ms []event.Message) []error {
	b.batches <- ms
	select {
	case <-b.both:
	case <-ctx.Done():
	}
	return nil
}

// relayShares runs a relay of two loops: both send at the same time, no lane is
// in both hands, and each lane goes out in order.
func relayShares(t *testing.T, w *World) {
	const orders, versions = 16, 3
	if err := w.populate(t.Context(), orders, versions, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := meeting{&Hand{}, make(chan []event.Message, orders*versions), make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- delivery.Relay{Store: w.DB.Store, Broker: b, Loops: 2}.Run(ctx) }()
	first, second := <-b.batches, <-b.batches
	relays := must(w.DB.Store.Status(t.Context())).Outbox.Relays
	close(b.both)
	i := &inbox{World: w, t: t}
	i.eventually("rows that wait", 0, func() any { return must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_outbox")) })
	cancel()
	i.want("end", <-ended, nil)
	i.want("events", len(first)+len(second), orders*versions)
	last := map[string]uint64{}
	for _, m := range slices.Concat(first, second) {
		i.want("version of "+m.Subject, m.Version, last[m.Subject]+1)
		last[m.Subject] = m.Version
	}
	for _, m := range second {
		if slices.ContainsFunc(first, func(f event.Message) bool { return f.Subject == m.Subject }) {
			t.Errorf("lane %s was sent by both loops", m.Subject)
		}
	}
	i.want("relays", relays, 1)
	i.want("leases", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_relay")), 0)
}
