package deliverytest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Runtime runs inboxes and effects over a store, step by step.
func Runtime(t *testing.T, fresh func(testing.TB) *Database) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *World)
	}{
		{"latest skips what is older", latestSkips},
		{"latest keeps conflicts out", latestConflicts},
		{"contiguous waits for what is missing", contiguousFills},
		{"contiguous finds what was parked while its lane was drained", contiguousCrossed},
		{"contiguous gives a gap up after its time", contiguousGivesUp},
		{"contiguous follows each topic", contiguousTopics},
		{"contiguous shows a person what it left behind", contiguousLate},
		{"contiguous waits for a gap past the other event of a version", contiguousBehindGap},
		{"contiguous goes on from case to case", contiguousCases},
		{"contiguous counts what it does not read", contiguousPasses},
		{"contiguous takes two events of one version", contiguousTwins},
		{"contiguous waits for a person past the other event of a version", contiguousHeld},
		{"one fact under two versions and random ids", oneFact},
		{"a failing event holds its lane in order", failingHolds},
		{"a permanent error is quarantined at once", permanentQuarantined},
		{"what cannot be identified is quarantined by position", unidentified},
		{"what no database keeps is quarantined by position", unkeepable},
		{"a broker whose errors no database keeps holds its lanes only", unkeepableErrors},
		{"a panic is an error with a stack", panicQuarantined},
		{"a panic of Identify or of Context is an error of its event", hooksPanic},
		{"a panic of a broker is an error of what it should have sent", relayOutlives},
		{"a panic of an observer ends the run and not the process", observersPanic},
		{"a batch handler loses only what fails", batchNarrows},
		{"an error at commit is found", commitBlamed},
		{"a paused consumer keeps its place", pausedWaits},
		{"a full consumer takes nothing new until it has drained", fullWaits},
		{"a broker that keeps longer than keys are remembered", remembersLonger},
		{"a stop finishes the batch", stopFinishes},
		{"a stop leaves the group", stopLeaves},
		{"a stop finishes the relay's batch and gives its shards back", relayStops},
		{"a relay that cannot finish gives its shards back", relayGivesUp},
		{"a relay keeps its lease while its broker works", relayKeeps},
		{"the loops of a relay share its shards", relayShares},
		{"relays in turmoil lose nothing and keep each lane's order", relaysInTurmoil},
		{"replay rehearses and applies the same plan", replayApplies},
		{"what could not be identified is replayed once it can", replayIdentifies},
		{"a route without a handler does not start", refusesToStart},
		{"calls are settled by asking", effectsSettle},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(fresh(t))
			if err := w.Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.run(t, w)
		})
	}
}

func same(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func latestSkips(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Projection))
	i.deliver(fact("o", 2).Message(1), fact("o", 1).Message(0), fact("o", 3).Message(2))
	i.want("applied", i.versions(Projection), []int64{2, 3})
	i.want("outcome of the older", i.outcome(fact("o", 1)), delivery.Stale)
	i.deliver(fact("o", 2).Message(1))
	i.want("a duplicate", i.versions(Projection), []int64{2, 3})
}

func latestConflicts(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Projection))
	other := fact("o", 2)
	other.Payment = "another"
	i.deliver(fact("o", 2).Message(1), other.Message(1), fact("o", 3).Message(2))
	i.want("applied", i.versions(Projection), []int64{2, 3})
	i.want("conflicts", len(i.cases(delivery.ReasonConflict)), 1)
}

func contiguousFills(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Audit))
	i.deliver(fact("o", 1).Message(0), fact("o", 7).Message(5), fact("o", 5).Message(3), fact("p", 1).Message(0))
	i.want("applied", i.versions(Audit), []int64{1, 1})
	i.want("the gap waits", i.outcome(fact("o", 7)), delivery.Parked)
	i.deliver(fact("o", 3).Message(1)) // not every version makes an event
	i.eventually("applied", []int64{1, 1, 3, 5, 7}, func() any { return i.versions(Audit) })
	i.eventually("blocked lanes", 0, func() any { n, _ := w.DB.Count(t.Context(), "SELECT count(*) FROM evc_block"); return n })
}

// contiguousCrossed has an event arrive between the look at what waits in its
// lane and the handling of that: it is parked behind a version that is handled
// at once, and the lane waits for it.
func contiguousCrossed(t *testing.T, w *World) {
	var i *inbox
	var once sync.Once
	ready := make(chan struct{})
	cross := func(s delivery.Step) {
		if s == delivery.LaneTaken {
			<-ready
			once.Do(func() { i.deliver(fact("o", 4).Message(3)) })
		}
	}
	i = w.start(t, delivery.Inbox{Step: cross, GapWithin: time.Hour}, w.Consumer(Audit))
	close(ready)
	i.deliver(fact("o", 1).Message(0), fact("o", 3).Message(2), fact("o", 5).Message(4))
	i.deliver(fact("o", 2).Message(1))
	i.eventually("applied", []int64{1, 2, 3, 4, 5}, func() any { return i.versions(Audit) })
}

func contiguousGivesUp(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{GapWithin: 50 * time.Millisecond}, w.Consumer(Audit))
	i.deliver(fact("o", 1).Message(0), fact("o", 3).Message(2))
	i.eventually("gaps", 1, func() any { return len(i.cases(delivery.ReasonGap)) })
	i.deliver(fact("o", 4).Message(3))
	i.want("the lane waits for a person", i.outcome(fact("o", 4)), delivery.Parked)
	i.deliver(fact("o", 2).Message(1)) // it came late after all
	i.want("applied", i.versions(Audit), []int64{1, 2})
	i.replay(i.cases(delivery.ReasonGap)[0].ID)
	i.eventually("applied after the replay", []int64{1, 2, 3, 4}, func() any { return i.versions(Audit) })
}

func contiguousPasses(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Audit))
	other := fact("o", 2).Message(1)
	other.Type = "OrderShipped.v1"
	i.deliver(fact("o", 1).Message(0), other, fact("o", 3).Message(2))
	i.want("applied", i.versions(Audit), []int64{1, 3})
}

// shipped is an event that nobody reads, of the version of a fact that is read:
// one change may make both.
func shipped(f Fact, previous uint64) event.Message {
	m := f.Message(previous)
	m.Type = "OrderShipped.v1"
	return m
}

func contiguousTwins(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Audit))
	for _, order := range []string{"together", "apart"} {
		ms := []event.Message{
			fact(order, 1).Message(0), shipped(fact(order, 2), 1), fact(order, 2).Message(2), // the unread one first
			fact(order, 3).Message(2), shipped(fact(order, 3), 3), fact(order, 4).Message(3), // and last
		}
		if order == "together" {
			i.deliver(ms...)
		} else {
			for _, m := range ms {
				i.deliver(m)
			}
		}
	}
	i.want("applied", i.versions(Audit), []int64{1, 2, 3, 4, 1, 2, 3, 4})
}

// contiguousHeld has a lane whose mark reaches the version that is in
// quarantine, by the other event of that version.
func contiguousHeld(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Audit))
	for _, order := range []string{"before together", "before apart", "behind together", "behind apart"} {
		bad := fact(order, 2)
		bad.Fault = "permanent"
		two := []event.Message{shipped(bad, 1), bad.Message(2)}
		if strings.HasPrefix(order, "behind") {
			two = []event.Message{bad.Message(1), shipped(bad, 2)}
		}
		ms := append([]event.Message{fact(order, 1).Message(0)}, append(two, fact(order, 3).Message(2))...)
		if strings.HasSuffix(order, "together") {
			i.deliver(ms...)
		} else {
			for _, m := range ms {
				i.deliver(m)
			}
		}
		i.want(order+": the lane waits for a person", i.outcome(fact(order, 3)), delivery.Parked)
	}
	i.want("applied", i.versions(Audit), []int64{1, 1, 1, 1})
}

func oneFact(t *testing.T, w *World) {
	c := w.Consumer(Loyalty)
	v2 := c.Routes[0]
	v2.Event = "OrderPaid.v2"
	c.Routes = append(c.Routes, v2)
	i := w.start(t, delivery.Inbox{}, c)
	one, two, random := fact("o", 1).Message(0), fact("o", 1).Message(0), fact("o", 1).Message(0)
	two.Type, random.ID = "OrderPaid.v2", "11111111-2222-4333-8444-555555555555"
	i.deliver(one, two)
	i.deliver(random, two, one)
	i.want("applied", i.versions(Loyalty), []int64{1})
}

func failingHolds(t *testing.T, w *World) {
	var observed atomic.Int64
	i := w.start(t, delivery.Inbox{Observe: func(o delivery.Observation) {
		if o.Outcome == delivery.Failed {
			observed.Add(1)
		}
	}}, w.Consumer(Loyalty))
	bad := fact("o", 1)
	bad.Fault, bad.Times = "error", 2
	i.deliver(bad.Message(0), fact("p", 1).Message(0), fact("o", 2).Message(1))
	i.deliver(fact("o", 3).Message(2), fact("p", 2).Message(1))
	i.eventually("applied", 5, func() any { return len(i.versions(Loyalty)) })
	rows, err := w.DB.Query(t.Context(), "SELECT version FROM t_effect WHERE lane = 'o' ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	i.want("the failing lane in order", rows, [][]any{{1}, {2}, {3}})
	i.want("failures seen", observed.Load(), 2)
	i.want("attempts left behind", must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_attempt")), 0)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func permanentQuarantined(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Loyalty))
	bad := fact("o", 1)
	bad.Fault = "permanent"
	i.deliver(bad.Message(0), fact("o", 2).Message(1))
	i.want("the lane flows", i.versions(Loyalty), []int64{2})
	c := i.cases(delivery.ReasonPermanent)
	i.want("cases", []any{len(c), c[0].Attempts, c[0].Owner, c[0].Errors[0]}, []any{1, 1, "team-drill", "drill: cannot be mended"})
	if err := w.DB.Store.Discard(t.Context(), []int64{c[0].ID}, "me", "known"); err != nil {
		t.Fatal(err)
	}
	i.deliver(bad.Message(0))
	i.want("it stays discarded", i.outcome(bad), delivery.Discarded)
}

func unidentified(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Loyalty))
	poison := fact("o", 1).Message(0)
	poison.Payload = []byte{0xff, 0x00, '{'}
	untyped := event.Message{Topic: Topic, Position: event.Position{Offset: 99}, Payload: []byte("?")}
	for range 2 {
		i.deliver(poison, untyped, fact("o", 2).Message(1))
	}
	i.want("cases", len(i.cases(delivery.ReasonUnidentified)), 2)
	i.want("others flow", i.versions(Loyalty), []int64{2})
}

func panicQuarantined(t *testing.T, w *World) {
	w.Policy.Retry.Attempts = 1
	i := w.start(t, delivery.Inbox{}, w.Consumer(Loyalty))
	bad := fact("o", 1)
	bad.Fault = "panic"
	i.deliver(bad.Message(0))
	c := i.cases(delivery.ReasonExhausted)
	i.want("cases", len(c), 1)
	if !strings.Contains(c[0].Errors[0], "handler panics") || !strings.Contains(c[0].Errors[0], "world.go") {
		t.Errorf("no stack in %q", c[0].Errors)
	}
}

func batchNarrows(t *testing.T, w *World) {
	c := w.Consumer(Loyalty)
	each := c.Routes[0].Handle
	c.Routes[0].Handle = nil
	c.Routes[0].Batch = func(ctx context.Context, tx event.Tx, ms []event.Message, ids []event.Identity) []error {
		errs := make([]error, len(ms))
		for i := range ms {
			if errs[i] = each(ctx, tx, ms[i], ids[i]); errs[i] != nil {
				break
			}
		}
		return errs
	}
	i := w.start(t, delivery.Inbox{}, c)
	bad := fact("o", 2)
	bad.Fault = "permanent"
	i.deliver(fact("o", 1).Message(0), bad.Message(1), fact("o", 3).Message(2), fact("p", 4).Message(0))
	i.want("applied", i.versions(Loyalty), []int64{1, 3, 4})
	i.want("cases", len(i.cases(delivery.ReasonPermanent)), 1)
}

// commitBlamed has a constraint that breaks when the transaction commits.
func commitBlamed(t *testing.T, w *World) {
	if err := w.DB.Do(t.Context(),
		"CREATE TABLE t_parent (version BIGINT PRIMARY KEY)",
		"INSERT INTO t_parent VALUES (1), (3)",
		"CREATE TABLE t_child (version BIGINT REFERENCES t_parent (version) DEFERRABLE INITIALLY DEFERRED)",
	); err != nil {
		t.Fatal(err)
	}
	w.Policy.Retry.Attempts = 1
	c := w.Consumer(Loyalty)
	c.Routes[0].Handle = func(ctx context.Context, tx event.Tx, _ event.Message, id event.Identity) error {
		return w.DB.Exec(ctx, tx, "INSERT INTO t_child VALUES ($1)", int64(id.Version))
	}
	i := w.start(t, delivery.Inbox{}, c)
	i.deliver(fact("o", 1).Message(0), fact("o", 2).Message(1), fact("o", 3).Message(2))
	i.want("applied", must(w.DB.Count(t.Context(), "SELECT count(*) FROM t_child")), 2)
	i.want("cases", len(i.cases(delivery.ReasonExhausted)), 1)
}

func pausedWaits(t *testing.T, w *World) {
	i := w.start(t, delivery.Inbox{}, w.Consumer(Loyalty))
	i.deliver(fact("o", 1).Message(0))
	if _, err := w.DB.Store.Pause(t.Context(), Loyalty, true, "me"); err != nil {
		t.Fatal(err)
	}
	delivered := make(chan error, 1)
	go func() { delivered <- i.hand.Deliver(fact("o", 2).Message(1)) }()
	time.Sleep(50 * time.Millisecond)
	i.want("applied while paused", i.versions(Loyalty), []int64{1})
	if _, err := w.DB.Store.Pause(t.Context(), Loyalty, false, "me"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-delivered:
		i.want("error", err, nil)
	case <-time.After(patience * 20 * time.Second):
		t.Fatal("not resumed")
	}
	i.want("applied", i.versions(Loyalty), []int64{1, 2})
}

func stopFinishes(t *testing.T, w *World) {
	c := w.Consumer(Loyalty)
	handle, entered, leave := c.Routes[0].Handle, make(chan struct{}), make(chan struct{})
	c.Routes[0].Handle = func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {
		close(entered)
		<-leave
		return handle(ctx, tx, m, id)
	}
	i := w.start(t, delivery.Inbox{}, c)
	delivered := make(chan error, 1)
	go func() { delivered <- i.hand.Deliver(fact("o", 1).Message(0)) }()
	<-entered
	go func() { _ = i.stop() }()
	time.Sleep(20 * time.Millisecond)
	close(leave)
	i.want("acknowledged", <-delivered, nil)
	i.want("applied", i.versions(Loyalty), []int64{1})
}

func refusesToStart(t *testing.T, w *World) {
	c := w.Consumer(Loyalty)
	c.Routes[0].Handle = nil
	err := delivery.Inbox{Store: w.DB.Store, Broker: &Hand{}}.Run(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "OrderPaid.v1") {
		t.Errorf("got %v, want an error that names the event", err)
	}
}
