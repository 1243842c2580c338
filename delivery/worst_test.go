package delivery_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
)

// worst are the worst histories that TestHistories and its authors found: each
// once broke an invariant, or breaks one as soon as a line of the runtime goes.
// An event is named by its order and version, with an s where it is the shipping
// of an order, which travels on a topic of its own.
var worst = []struct {
	name, shows string
	run         func(*history)
	consumer    string
	want        string // what it applied, in order
}{
	{
		name: "a later step of another topic comes first", shows: "no order is kept across topics: the earlier step is not an older one",
		run: func(h *history) {
			h.paid("a1")
			h.paid("a2s")
			h.relayed()
			h.give(deliverytest.Audit, "a2s", "a1")
		},
		consumer: deliverytest.Audit, want: "a2s a1",
	},
	{
		name: "the other event of a version passes the gap", shows: "the mark is at 3 and a3 still waits: a4 must not follow the mark",
		run: func(h *history) {
			h.paid("a1", "a2", "a3", "a4")
			h.noted("a3")
			h.relayed()
			h.give(deliverytest.Audit, "a1", "a3", "a2", "a3 OrderNoted.v1", "a4")
		},
		consumer: deliverytest.Audit, want: "a1 a2 a3 a4",
	},
	{
		name: "two cases in a lane, the later one is settled first", shows: "the lane would go on past a2, which a person has not seen to",
		run: func(h *history) {
			h.spoiled("a2", "a4")
			h.paid("a1", "a3", "a5")
			h.relayed()
			h.give(deliverytest.Audit, "a1", "a4")
			h.passes(2 * time.Hour) // the gap's time is up
			h.give(deliverytest.Audit, "a2", "a3", "a5")
			h.settle("a4", delivery.ErrEarlier)
			h.settle("a2", nil)
		},
		consumer: deliverytest.Audit, want: "a1 a3",
	},
	{
		name: "two cases in a lane, both are settled", shows: "a discarded step is a step: a5 follows it",
		run: func(h *history) {
			h.spoiled("a2", "a4")
			h.paid("a1", "a3", "a5")
			h.relayed()
			h.give(deliverytest.Audit, "a1", "a4")
			h.passes(2 * time.Hour)
			h.give(deliverytest.Audit, "a2", "a3", "a5")
			h.settle("a2", nil)
			h.passes(2 * time.Hour)
			h.settle("a4", nil)
		},
		consumer: deliverytest.Audit, want: "a1 a3 a5",
	},
	{
		name: "what was missing comes when its lane has gone on", shows: "it is not skipped as older: a person sees it",
		run: func(h *history) {
			h.paid("a1", "a2", "a3", "a4")
			h.relayed()
			h.give(deliverytest.Audit, "a1", "a3")
			h.passes(2 * time.Hour)
			h.settle("a3", nil)
			h.give(deliverytest.Audit, "a4", "a2")
			h.poisoned["a"] = true
		},
		consumer: deliverytest.Audit, want: "a1 a4",
	},
	{
		name: "the clock is set back a day while a lane waits", shows: "a time that lies a day ahead was left by the old clock: nobody waits for it",
		run: func(h *history) {
			h.failing("a1")
			h.paid("a2")
			h.relayed()
			h.give(deliverytest.Notify, "a1", "a2")
			h.clock.Advance(-24 * time.Hour)
			h.passes(time.Minute)
			if got := h.applied(deliverytest.Notify); got != "a1 a2" {
				h.rt.Error("a minute later it had applied ", got)
			}
		},
		consumer: deliverytest.Notify, want: "a1 a2",
	},
	{
		name: "a relay is cut off after sending, and the clock jumps", shows: "everything is sent again under the same keys",
		run: func(h *history) {
			h.paid("a1", "a2")
			h.cut(2)
			h.give(deliverytest.Loyalty, "a1", "a2")
			h.clock.Advance(24 * time.Hour)
			h.relayed()
			h.clock.Advance(-24 * time.Hour)
			h.give(deliverytest.Loyalty, "a2", "a1")
		},
		consumer: deliverytest.Loyalty, want: "a1 a2",
	},
	{
		name: "a process vanishes twice over the same batch", shows: "its events are suspects and are tried alone, once each",
		run: func(h *history) {
			h.paid("a1", "b1", "b2")
			h.relayed()
			h.gone(deliverytest.Audit, "a1", "b1", "b2")
			h.gone(deliverytest.Audit, "b2", "b1", "a1")
			h.give(deliverytest.Audit, "b2", "b1", "a1")
		},
		consumer: deliverytest.Audit, want: "b1 a1 b2",
	},
	{
		name: "a newer state comes while an older one fails", shows: "the newer waits behind the older: state is replaced in order or not at all",
		run: func(h *history) {
			h.failing("a1")
			h.paid("a2", "a3")
			h.relayed()
			h.give(deliverytest.Projection, "a1", "a3", "a2")
		},
		consumer: deliverytest.Projection, want: "a1 a3",
	},
	{
		name: "a replay of the later case while the earlier one is open", shows: "it waits for its turn: a replay cannot overtake",
		run: func(h *history) {
			h.spoiled("a2")
			h.paid("a1", "a3")
			h.relayed()
			h.give(deliverytest.Audit, "a1", "a3")
			h.passes(2 * time.Hour)
			h.give(deliverytest.Audit, "a2")
			h.again("a3")
			h.passes(2 * time.Hour)
			h.settle("a2", nil)
		},
		consumer: deliverytest.Audit, want: "a1 a3",
	},
}

func TestWorstHistories(t *testing.T) {
	onEachStore(t, func(t *testing.T, world *historyWorld) {
		world.gap = time.Hour
		for _, w := range worst {
			t.Run(w.name, func(t *testing.T) {
				t.Log(w.shows)
				h := world.history(t)
				w.run(h)
				h.finish()
				if got := h.applied(w.consumer); got != w.want {
					t.Errorf("%s applied %q, want %q", w.consumer, got, w.want)
				}
			})
		}
	})
}

// named is the fact of a name like a3s.
func named(name string) deliverytest.Fact {
	f := deliverytest.Fact{Order: name[:1]}
	if strings.HasSuffix(name, "s") {
		f.Event = deliverytest.Shipped
	}
	f.Version = uint64(name[1] - '0')
	f.Payment = fmt.Sprintf("%s-%d", f.Order, f.Version)
	return f
}

func (h *history) commit(f deliverytest.Fact) {
	h.must(h.Change(h.ctx, f))
	h.facts = append(h.facts, f)
}

func (h *history) paid(names ...string) {
	for _, n := range names {
		h.commit(named(n))
	}
}

// spoiled facts cannot be handled by Audit.
func (h *history) spoiled(names ...string) {
	for _, n := range names {
		f := named(n)
		f.Fault, f.Only = "permanent", deliverytest.Audit
		h.poisoned[f.Order] = true
		h.commit(f)
	}
}

// failing facts can be handled at the second attempt.
func (h *history) failing(names ...string) {
	for _, n := range names {
		f := named(n)
		f.Fault, f.Times = "error", 1
		h.commit(f)
	}
}

// noted publishes another event of the same change, which nobody reads.
func (h *history) noted(name string) {
	h.must(h.DB.InTx(h.ctx, func(ctx context.Context, tx event.Tx) error {
		_, err := tx.Append(ctx, named(name).Draft("OrderNoted.v1"))
		return err
	}))
}

func (h *history) relayed() {
	r := delivery.Relay{Store: h.store, Broker: logBroker{history: h}, Owner: "relay", Clock: h.clock, Lease: time.Hour}
	h.must(r.Round(h.ctx))
}

// cut is a relay whose nth call of the store fails.
func (h *history) cut(nth int) {
	r := delivery.Relay{Store: &deliverytest.Faulty{Store: h.store, Nth: nth}, Broker: logBroker{history: h}, Owner: "relay", Clock: h.clock, Lease: time.Hour}
	if err := r.Round(h.ctx); !errors.Is(err, deliverytest.ErrFault) {
		h.rt.Fatal("the relay was not cut off: ", err)
	}
}

// sent are the messages of events that were sent; "a3 OrderNoted.v1" is another major version.
func (h *history) sent(names ...string) (ms []event.Message) {
	for _, n := range names {
		name, other, _ := strings.Cut(n, " ")
		want := cmp.Or(other, named(name).Type())
		found := false
		for _, m := range h.log {
			if !found && m.IdempotencyKey == named(name).Key().String() && m.Type == want {
				ms, found = append(ms, m), true
			}
		}
		if !found {
			h.rt.Fatal(n, " was not sent")
		}
	}
	return ms
}

func (h *history) give(consumer string, names ...string) {
	h.must(h.drivers[consumer].Receive(h.ctx, h.sent(names...)...))
}

func (h *history) gone(consumer string, names ...string) {
	h.must(h.drivers[consumer].Vanish(h.ctx, h.sent(names...)...))
	h.restart(consumer)
}

// passes lets time go by, and lanes that are due be looked at.
func (h *history) passes(d time.Duration) {
	h.clock.Advance(d)
	for _, name := range deliverytest.Consumers {
		for range 5 {
			h.drivers[name].Drain(h.ctx)
		}
	}
}

func (h *history) open(name string) delivery.Case {
	cases, err := h.store.Cases(h.ctx, delivery.CaseFilter{Consumer: deliverytest.Audit, State: delivery.CaseOpen})
	h.must(err)
	for _, c := range cases {
		if c.Key == named(name).Key() {
			return c
		}
	}
	h.rt.Fatal("no open case of ", name)
	return delivery.Case{}
}

func (h *history) settle(name string, want error) {
	if err := h.store.Discard(h.ctx, []int64{h.open(name).ID}, "me", "history"); !errors.Is(err, want) {
		h.rt.Fatal(name, ": ", err)
	}
}

// again replays a case.
func (h *history) again(name string) {
	dry, err := h.store.Replay(h.ctx, delivery.Replay{Consumer: deliverytest.Audit, Cases: []int64{h.open(name).ID}, By: "me", Reason: "history"})
	h.must(err)
	h.rehearse(deliverytest.Audit)
	_, err = h.store.Replay(h.ctx, delivery.Replay{Apply: dry.ID, By: "me", Reason: "history"})
	h.must(err)
}

// applied are the names of what a consumer applied.
func (h *history) applied(consumer string) string {
	rows, err := h.DB.Query(h.ctx, "SELECT key, lane, version FROM t_effect WHERE consumer = $1 ORDER BY n", consumer)
	h.must(err)
	var names []string
	for _, r := range rows {
		name := fmt.Sprint(r[1], r[2])
		if r[0] != named(name).Key().String() {
			name += "s"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}
