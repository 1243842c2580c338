package deliverytest

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// rash is a broker whose first two answers make no sense.
type rash struct {
	*Hand
	calls *atomic.Int64
}

func (b rash) Publish(context.Context, []event.Message) []error {
	switch b.calls.Add(1) {
	case 1:
		panic("the broker panics")
	case 2:
		return []error{}
	}
	return nil
}

// relayOutlives has a broker that panics, in whichever loop, and one that answers
// for too few: what it was given is sent again.
func relayOutlives(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 8, 2, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- delivery.Relay{
			Store: w.DB.Store, Broker: rash{&Hand{}, new(atomic.Int64)}, Loops: 2, Batch: math.MaxInt,
			Retry: event.Retry{Initial: 5 * time.Millisecond, Max: 5 * time.Millisecond},
		}.Run(ctx)
	}()
	i := &inbox{World: w, t: t}
	i.eventually("rows that wait", 0, func() any { return must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_outbox")) })
	cancel()
	i.want("end", <-ended, nil)
}

// observersPanic has an observer that panics in each of the loops: the run ends
// with that as its error, and the process goes on.
func observersPanic(t *testing.T, w *World) {
	broken := errors.New("the observer panics")
	observer := func(at delivery.Loop) func(delivery.Observation) {
		return func(o delivery.Observation) {
			if o.Loop == at {
				panic(broken)
			}
		}
	}
	if err := w.populate(t.Context(), 8, 1, nil); err != nil {
		t.Fatal(err)
	}
	i := &inbox{World: w, t: t}
	ends := func(run func(context.Context) error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience*20*time.Second)
		defer cancel()
		if err := run(ctx); !errors.Is(err, broken) || !strings.Contains(err.Error(), "runtimepanics.go") {
			t.Errorf("got %v, want the panic with its stack", err)
		}
	}
	ends(delivery.Relay{Store: w.DB.Store, Broker: taking{&Hand{}}, Loops: 2, Observe: observer(delivery.LoopRelay)}.Run)
	i.want("leases", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_relay")), 0)

	bad := fact("p", 1)
	bad.Fault, bad.Times = "error", 1
	for _, loop := range []delivery.Loop{delivery.LoopLanes, delivery.LoopInbox} { // the second leaves a lane behind that waits
		bad.Order, bad.Payment = string(loop), string(loop)
		ends(func(ctx context.Context) error {
			hand := &Hand{}
			delivered := make(chan error, 1)
			go func() { delivered <- hand.Deliver(bad.Message(0)) }()
			err := delivery.Inbox{Store: w.DB.Store, Broker: hand, Poll: 5 * time.Millisecond, Observe: observer(loop)}.Run(ctx, w.Consumer(Loyalty))
			if acknowledged := <-delivered == nil; acknowledged != (loop == delivery.LoopLanes) {
				t.Errorf("%s: acknowledged is %t", loop, acknowledged)
			}
			return err
		})
	}
	i.want("members", must(w.DB.Store.Status(t.Context())).Consumers[0].Members, 0)

	e := event.Effect{Key: event.NewEffectKey(event.Key{1}, Notify, "mail"), Name: "mail", Consumer: Notify, Event: event.Key{1}}
	i.want("intend", w.DB.InTx(t.Context(), func(ctx context.Context, tx event.Tx) error { return tx.Intend(ctx, e) }), nil)
	ends(delivery.Effects{Store: w.DB.Store, Do: w.Effects(), Poll: 5 * time.Millisecond, Observe: observer(delivery.LoopEffects)}.Run)
}

// taking is a broker that takes everything.
type taking struct{ *Hand }

func (taking) Publish(context.Context, []event.Message) []error { return nil }

// hooksPanic has an Identify and a Context that panic: only their events fail.
func hooksPanic(t *testing.T, w *World) {
	w.Policy.Retry.Attempts = 1
	c := w.Consumer(Loyalty)
	identify := c.Routes[0].Identify
	c.Routes[0].Identify = func(m event.Message) (event.Identity, error) {
		if m.Subject == "nobody" {
			panic("identify panics")
		}
		return identify(m)
	}
	i := w.start(t, delivery.Inbox{Context: func(ctx context.Context, m event.Message) context.Context {
		if m.Subject == "nowhere" {
			panic("context panics")
		}
		return ctx
	}}, c)
	i.deliver(fact("nobody", 1).Message(0), fact("nowhere", 1).Message(0), fact("o", 2).Message(0))
	i.want("cases", []int{len(i.cases(delivery.ReasonUnidentified)), len(i.cases(delivery.ReasonExhausted))}, []int{1, 1})
	i.want("others flow", i.versions(Loyalty), []int64{2})
}
