package delivery_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

// TestHistories drives random histories on a clock that only the history moves:
// changes that fail and that are retried, a relay that is cut off, a broker that
// delivers anything again in any order, consumers that vanish, people who settle
// what is in quarantine. At the end
// everything is let through, and the database must show one effect per key. A
// failing history prints its seed; -rapid.checks=5000 makes more of them, a fifth
// as many on PostgreSQL, where each takes longer.
func TestHistories(t *testing.T) {
	checks := flag.Lookup("rapid.checks").Value
	all, err := strconv.Atoi(checks.String())
	if err != nil {
		t.Fatal(err)
	}
	onEachStore(t, func(t *testing.T, world *historyWorld) {
		defer func() { _ = checks.Set(strconv.Itoa(all)) }()
		if world.slow {
			if err := checks.Set(strconv.Itoa(max(all/5, 1))); err != nil {
				t.Fatal(err)
			}
		}
		rapid.Check(t, world.random)
	})
}

// onEachStore runs a test on SQLite, and on PostgreSQL where there is one.
func onEachStore(t *testing.T, run func(*testing.T, *historyWorld)) {
	t.Run("sqlite", func(t *testing.T) { run(t, historiesOnSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { run(t, historiesOnPostgres(t)) })
}

func (w *historyWorld) random(rt *rapid.T) {
	h := w.history(rt)
	rt.Repeat(map[string]func(*rapid.T){
		"change":   h.change,
		"retry":    h.retry,
		"relay":    h.relay,
		"deliver":  h.deliver,
		"deliver2": h.deliver, // most of what happens is delivery
		"vanish":   h.vanish,
		"drain":    h.drain,
		"wait":     h.wait,
		"discard":  h.discard,
		"replay":   h.replay,
	})
	h.finish()
}

type historyWorld struct {
	*deliverytest.World
	store  delivery.Store
	clock  *deliverytest.Clock
	gap    time.Duration // how long a gap is waited for
	tables []string      // that hold what happened
	slow   bool
}

func newHistoryWorld(t *testing.T, db *deliverytest.Database, setNow func(func() time.Time), tables ...string) *historyWorld {
	w := &historyWorld{
		World: deliverytest.NewWorld(db), store: db.Store, gap: 1000 * time.Hour,
		clock: deliverytest.NewClock(time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)), tables: tables,
	}
	setNow(w.clock.Now)
	w.Ships = true
	w.Policy.Retry = event.Retry{Attempts: 100, Initial: time.Second, Max: time.Minute}
	if err := w.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func historiesOnSQLite(t *testing.T) *historyWorld {
	dir := t.TempDir()
	if shm, err := os.MkdirTemp("/dev/shm", "histories"); err == nil { // thousands of commits need no disk
		dir = shm
		t.Cleanup(func() { _ = os.RemoveAll(shm) })
	}
	s, err := sqlite.Open(filepath.Join(dir, "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return newHistoryWorld(t, historyDatabase(s), func(now func() time.Time) { s.Now = now }, "evc_id", "evc_recent_id", "evc_sent", "evc_recent", "evc_key")
}

func historyDatabase(s *sqlite.Store) *deliverytest.Database {
	return &deliverytest.Database{
		Store: s, Serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
		InTx: func(ctx context.Context, f func(context.Context, event.Tx) error) error {
			return s.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error { return f(ctx, s.In(tx)) })
		},
		Exec: func(ctx context.Context, tx event.Tx, query string, args ...any) error {
			_, err := sqlite.From(tx).ExecContext(ctx, query, args...)
			return err
		},
		Query: func(ctx context.Context, query string, args ...any) (all [][]any, err error) {
			rows, err := s.Reader().QueryContext(ctx, query, args...)
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, rows.Close()) }()
			columns, err := rows.Columns()
			if err != nil {
				return nil, err
			}
			for rows.Next() {
				row, into := make([]any, len(columns)), make([]any, len(columns))
				for i := range row {
					into[i] = &row[i]
				}
				if err := rows.Scan(into...); err != nil {
					return nil, err
				}
				all = append(all, row)
			}
			return all, rows.Err()
		},
	}
}

// history is one run: what happened, and what the broker holds.
type history struct {
	*historyWorld
	rt       failer
	ctx      context.Context
	facts    []deliverytest.Fact
	versions map[string]uint64
	poisoned map[string]bool
	log      []event.Message
	drivers  map[string]*delivery.Driver
}

// failer is a test, or one try of a property.
type failer interface {
	Fatal(...any)
	Error(...any)
}

func (w *historyWorld) history(rt failer) *history {
	h := &history{
		historyWorld: w, rt: rt, ctx: context.Background(), versions: map[string]uint64{},
		poisoned: map[string]bool{}, drivers: map[string]*delivery.Driver{},
	}
	for _, table := range append([]string{
		"evc_outbox", "evc_event", "evc_hold", "evc_relay", "evc_member", "evc_mark", "evc_attempt", "evc_parked",
		"evc_block", "evc_quarantine", "evc_replay", "evc_rehearsal", "evc_effect", "evc_topic", "evc_cursor", "t_change", "t_effect", "t_state", "t_provider",
	}, w.tables...) {
		h.must(w.DB.Do(h.ctx, "DELETE FROM "+table))
	}
	for _, name := range deliverytest.Consumers {
		h.restart(name)
	}
	return h
}

func (h *history) must(err error) {
	if err != nil {
		h.rt.Fatal(err)
	}
}

func (h *history) restart(name string) {
	d, err := delivery.Drive(h.ctx, delivery.Inbox{
		Store: h.store, Broker: &deliverytest.Hand{}, Clock: h.clock, Batch: 4, GapWithin: h.gap, HandleWithin: time.Minute,
	}, h.Consumer(name))
	h.must(err)
	h.drivers[name] = d
}

func (h *history) change(rt *rapid.T) {
	order := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "order")
	h.versions[order] += uint64(rapid.IntRange(1, 2).Draw(rt, "step")) // not every version makes an event
	f := deliverytest.Fact{Payment: fmt.Sprintf("%s-%d", order, h.versions[order]), Order: order, Version: h.versions[order]}
	shipped := rapid.IntRange(0, 4).Draw(rt, "shipped") // nothing but paid, shipped alone, or both
	if shipped == 1 {
		f.Event = deliverytest.Shipped
	}
	f.Fault = rapid.SampledFrom([]string{"", "", "", "", "error", "panic", "permanent"}).Draw(rt, "fault")
	if f.Fault == "permanent" {
		h.poisoned[order] = true
	} else if f.Fault != "" {
		f.Times = rapid.IntRange(1, 3).Draw(rt, "times")
	}
	h.must(h.Change(h.ctx, f))
	h.facts = append(h.facts, f)
	if shipped == 1 {
		return
	}
	if shipped == 2 {
		both := deliverytest.Fact{Event: deliverytest.Shipped, Payment: f.Payment, Order: order, Version: f.Version}
		h.must(h.Change(h.ctx, both))
		h.facts = append(h.facts, both)
	}
	if rapid.IntRange(0, 3).Draw(rt, "next major version") == 0 { // which no consumer here reads yet
		h.must(h.DB.InTx(h.ctx, func(ctx context.Context, tx event.Tx) error {
			_, err := tx.Append(ctx, f.Draft("OrderPaid.v2"))
			return err
		}))
	}
}

// retry publishes a fact a second time, as a business operation does that
// doesn't know of its success.
func (h *history) retry(rt *rapid.T) {
	if len(h.facts) == 0 {
		return
	}
	f := rapid.SampledFrom(h.facts).Draw(rt, "fact")
	h.must(h.DB.InTx(h.ctx, func(ctx context.Context, tx event.Tx) error {
		r, err := tx.Append(ctx, f.Draft(f.Type()))
		if err == nil && !r[0].Duplicate {
			err = errors.New("a second publish wrote something")
		}
		return err
	}))
}

// relay may be cut off between sending and marking, and the broker may refuse.
func (h *history) relay(rt *rapid.T) {
	refuse := rapid.IntRange(0, 5).Draw(rt, "refuse")
	store := &deliverytest.Faulty{Store: h.store, Nth: rapid.IntRange(1, 6).Draw(rt, "fails")}
	r := delivery.Relay{Store: store, Broker: logBroker{h, refuse}, Owner: "relay", Clock: h.clock, Lease: 1000 * time.Hour, Batch: 5}
	if err := r.Round(h.ctx); err != nil && !errors.Is(err, deliverytest.ErrFault) {
		rt.Fatal(err)
	}
}

// logBroker keeps everything, and refuses the nth message of a call.
type logBroker struct {
	*history
	refuse int
}

func (b logBroker) Publish(_ context.Context, ms []event.Message) []error {
	errs := make([]error, len(ms))
	refused := ""
	for i, m := range ms {
		switch {
		case i+1 == b.refuse:
			refused, errs[i] = m.PartitionKey, deliverytest.ErrRefused
		case m.PartitionKey == refused:
			errs[i] = delivery.ErrHeld
		default:
			m.Position.Offset = int64(len(b.log))
			b.log = append(b.log, m)
		}
	}
	return errs
}

func (b logBroker) Consume(context.Context, []string, func(context.Context, []event.Message) error) error {
	return nil
}

// some are messages that were published, in any order, again and again.
func (h *history) some(rt *rapid.T) []event.Message {
	if len(h.log) == 0 {
		return nil
	}
	var ms []event.Message
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(h.log)-1), 1, 6).Draw(rt, "messages") {
		ms = append(ms, h.log[i])
	}
	return ms
}

func (h *history) consumer(rt *rapid.T) string {
	return rapid.SampledFrom(deliverytest.Consumers).Draw(rt, "consumer")
}

func (h *history) deliver(rt *rapid.T) {
	if ms := h.some(rt); ms != nil {
		h.must(h.drivers[h.consumer(rt)].Receive(h.ctx, ms...))
	}
}

func (h *history) vanish(rt *rapid.T) {
	name := h.consumer(rt)
	if ms := h.some(rt); ms != nil {
		h.must(h.drivers[name].Vanish(h.ctx, ms...))
	}
	h.restart(name)
}

func (h *history) drain(rt *rapid.T) { h.drivers[h.consumer(rt)].Drain(h.ctx) }

// wait moves the clock, now and then by a day, and back.
func (h *history) wait(rt *rapid.T) {
	h.clock.Advance(rapid.SampledFrom([]time.Duration{
		time.Second, time.Second, 10 * time.Second, time.Minute, 24 * time.Hour, -24 * time.Hour,
	}).Draw(rt, "wait"))
}

// aCase is one that waits for a person.
func (h *history) aCase(rt *rapid.T) (c delivery.Case, found bool) {
	cases, err := h.store.Cases(h.ctx, delivery.CaseFilter{State: delivery.CaseOpen})
	h.must(err)
	if len(cases) == 0 {
		return c, false
	}
	return rapid.SampledFrom(cases).Draw(rt, "case"), true
}

func (h *history) discard(rt *rapid.T) {
	if c, found := h.aCase(rt); found {
		if err := h.store.Discard(h.ctx, []int64{c.ID}, "me", "history"); !errors.Is(err, delivery.ErrEarlier) {
			h.must(err)
		}
	}
}

// replay rehearses a case and, if its consumer had the time, applies the plan.
func (h *history) replay(rt *rapid.T) {
	c, found := h.aCase(rt)
	if !found {
		return
	}
	dry, err := h.store.Replay(h.ctx, delivery.Replay{Consumer: c.Consumer, Cases: []int64{c.ID}, By: "me", Reason: "history"})
	h.must(err)
	h.rehearse(c.Consumer)
	if dry, err = h.store.Replay(h.ctx, delivery.Replay{ID: dry.ID}); err == nil && dry.State == delivery.ReplayRehearsed {
		_, err = h.store.Replay(h.ctx, delivery.Replay{Apply: dry.ID, By: "me", Reason: "history"})
	}
	if !errors.Is(err, delivery.ErrPlanChanged) {
		h.must(err)
	}
}

// rehearse does a dry run, and finds that nothing of it is left.
func (h *history) rehearse(consumer string) {
	h.drivers[consumer].Drain(h.ctx)
	h.drivers[consumer].Drain(h.ctx)
}

// finish lets everything through and checks the invariants.
func (h *history) finish() {
	for range 50 {
		h.clock.Advance(10 * time.Minute)
		r := delivery.Relay{Store: h.store, Broker: logBroker{history: h}, Owner: "relay", Clock: h.clock, Lease: 1000 * time.Hour}
		h.must(r.Round(h.ctx))
		if n, err := h.DB.Count(h.ctx, "SELECT count(*) FROM evc_outbox"); err != nil || n == 0 {
			h.must(err)
			break
		}
	}
	for _, name := range deliverytest.Consumers {
		for _, m := range h.log {
			h.must(h.drivers[name].Receive(h.ctx, m))
		}
		for n := 0; n < 200; n++ {
			h.clock.Advance(10 * time.Minute)
			if h.drivers[name].Drain(h.ctx) {
				continue
			}
			// A clock that was set back leaves lanes that wait for some hours more.
			waits, err := h.DB.Count(h.ctx, "SELECT count(*) FROM evc_block b JOIN evc_consumer c ON c.id = b.consumer WHERE c.name = $1 AND b.wake_at IS NOT NULL", name)
			if h.must(err); waits == 0 {
				break
			}
		}
	}
	h.must(h.DB.Do(h.ctx, "UPDATE evc_effect SET state = 'confirmed', next_at = NULL")) // nobody makes calls here
	var lanes []string
	for lane := range h.poisoned {
		lanes = append(lanes, lane)
	}
	found, err := h.Check(h.ctx, lanes...)
	h.must(err)
	for _, v := range found {
		h.rt.Error(v)
	}
}
