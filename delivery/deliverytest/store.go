package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Store is the conformance suite of a store. Fresh makes an empty database that
// lives as long as the test; it skips the test where there is none to be had.
func Store(t *testing.T, fresh func(testing.TB) *Database) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"append/commits with the business change", appendCommits},
		{"append/a second publish writes nothing", appendDuplicate},
		{"append/another body under one key is refused", appendReused},
		{"append/a version is claimed once", appendVersionTaken},
		{"append/two major versions of one fact", appendMajors},
		{"append/bad drafts are refused", appendBad},
		{"append/keys outlive the relay and are forgotten", appendRemembered},
		{"outbox/shards are shared and fenced", outboxLeases},
		{"outbox/rows are stamped and keep their order", outboxStamps},
		{"outbox/a held lane holds nobody else", outboxHolds},
		{"inbox/a key enters once", inboxEnters},
		{"inbox/what fails is undone alone", inboxTries},
		{"inbox/marks are compared and set", inboxMarks},
		{"inbox/lanes are blocked and drained", inboxLanes},
		{"inbox/what is in flight is adopted", inboxAdopts},
		{"inbox/old keys are forgotten and refused", inboxForgets},
		{"operator/pause", operatorPauses},
		{"operator/cases are kept and discarded", operatorCases},
		{"effects/are claimed and fenced", effectsClaimed},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, fresh(t))
			c.run(t, b)
		})
	}
}

// bench is a world on a clock that the test moves.
type bench struct {
	*World
	t     *testing.T
	ctx   context.Context
	clock *Clock
	store delivery.Store
}

// epoch is when every test begins.
var epoch = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func newBench(t *testing.T, db *Database) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	b := &bench{World: NewWorld(db), t: t, ctx: ctx, clock: NewClock(epoch), store: db.Store}
	db.SetNow(b.clock.Now)
	b.must(b.Create(ctx))
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) want(what string, got, want any) {
	b.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func (b *bench) wantErr(err, target error) {
	b.t.Helper()
	if !errors.Is(err, target) {
		b.t.Errorf("got error %v, want %v", err, target)
	}
}

func (b *bench) count(query string, args ...any) int64 {
	b.t.Helper()
	n, err := b.DB.Count(b.ctx, query, args...)
	b.must(err)
	return n
}

// fact is the nth change of an order.
func fact(order string, version uint64) Fact {
	return Fact{Payment: fmt.Sprintf("p-%s-%d", order, version), Order: order, Version: version}
}

// append publishes one draft in a transaction of its own.
func (b *bench) append(d event.Draft) (event.Receipt, error) {
	var r []event.Receipt
	err := b.DB.InTx(b.ctx, func(ctx context.Context, tx event.Tx) (err error) {
		r, err = tx.Append(ctx, d)
		return err
	})
	if err != nil {
		return event.Receipt{}, err
	}
	return r[0], nil
}

func appendCommits(_ *testing.T, b *bench) {
	b.must(b.Change(b.ctx, fact("o-1", 1)))
	undone := errors.New("undone")
	b.wantErr(b.DB.InTx(b.ctx, func(ctx context.Context, tx event.Tx) error {
		b.must(b.ChangeIn(ctx, tx, fact("o-2", 1)))
		return undone
	}), undone)
	b.want("changes", b.count("SELECT count(*) FROM t_change"), 1)
	for _, table := range []string{"evc_event", "evc_log", "evc_outbox"} {
		b.want(table, b.count("SELECT count(*) FROM "+table), 1)
	}
}

func appendDuplicate(_ *testing.T, b *bench) {
	d := fact("o-1", 1).Draft("OrderPaid.v1")
	r, err := b.append(d)
	b.must(err)
	b.want("first", r, event.Receipt{ID: d.ID})
	d.Version, d.Time = 7, d.Time.Add(time.Hour) // a retry may change these
	r, err = b.append(d)
	b.must(err)
	b.want("second", r, event.Receipt{ID: d.ID, Duplicate: true})
	b.want("rows", b.count("SELECT count(*) FROM evc_outbox"), 1)
	b.must(b.DB.InTx(b.ctx, func(ctx context.Context, tx event.Tx) error {
		e := fact("o-2", 1).Draft("OrderPaid.v1")
		r, err := tx.Append(ctx, e, e)
		b.must(err)
		b.want("twice in one call", []bool{r[0].Duplicate, r[1].Duplicate}, []bool{false, true})
		return nil
	}))
}

func appendReused(_ *testing.T, b *bench) {
	d := fact("o-1", 1).Draft("OrderPaid.v1")
	_, err := b.append(d)
	b.must(err)
	d.Body[0]++
	_, err = b.append(d)
	b.wantErr(err, event.ErrKeyReused)
}

func appendVersionTaken(_ *testing.T, b *bench) {
	f := fact("o-1", 1)
	_, err := b.append(f.Draft("OrderPaid.v1"))
	b.must(err)
	f.Payment = "another"
	_, err = b.append(f.Draft("OrderPaid.v1"))
	b.wantErr(err, event.ErrVersionTaken)
	_, err = b.append(f.Draft("OrderPaid.v2"))
	b.wantErr(err, event.ErrVersionTaken)
	_, err = b.append(f.Draft("OrderShipped.v1")) // one change may make events of several names
	b.must(err)
}

func appendMajors(_ *testing.T, b *bench) {
	f := fact("o-1", 1)
	for _, name := range []string{"OrderPaid.v1", "OrderPaid.v2"} {
		r, err := b.append(f.Draft(name))
		b.must(err)
		b.want(name, r.Duplicate, false)
	}
}

func appendBad(_ *testing.T, b *bench) {
	d := fact("o-1", 1).Draft("OrderPaid.v1")
	d.Key = event.Key{}
	_, err := b.append(d)
	b.wantErr(err, event.ErrZeroKey)
	for _, spoil := range []func(*event.Draft){
		func(d *event.Draft) { d.ID = event.ID{} },
		func(d *event.Draft) { d.Lane = event.Lane{} },
		func(d *event.Draft) { d.Topic = "" },
		func(d *event.Draft) { d.Version = 1 << 63 },
	} {
		d := fact("o-1", 1).Draft("OrderPaid.v1")
		spoil(&d)
		if _, err := b.append(d); err == nil {
			b.t.Errorf("draft was taken: %+v", d)
		}
	}
	b.want("rows", b.count("SELECT count(*) FROM evc_event"), 0)
}

func appendRemembered(_ *testing.T, b *bench) {
	f := fact("o-1", 1)
	b.must(b.Change(b.ctx, f))
	b.relay()
	b.want("outbox", b.count("SELECT count(*) FROM evc_outbox"), 0)
	r, err := b.append(f.Draft("OrderPaid.v1"))
	b.must(err)
	b.want("duplicate after the relay", r.Duplicate, true)
	day := 24 * time.Hour
	b.clock.Advance(8 * day)
	_, err = b.store.Retain(b.ctx, 7*day, 30*day)
	b.must(err)
	b.want("payloads", b.count("SELECT count(*) FROM evc_log"), 0)
	b.want("keys", b.count("SELECT count(*) FROM evc_event"), 1)
	b.clock.Advance(30 * day)
	_, err = b.store.Retain(b.ctx, 7*day, 30*day)
	b.must(err)
	b.want("keys", b.count("SELECT count(*) FROM evc_event"), 0)
}

// lease is one that a test relays under.
var lease = delivery.Lease{Owner: "relay-1", For: 10 * time.Second}

// relay marks everything as sent that is pending.
func (b *bench) relay() []delivery.Row {
	b.t.Helper()
	_, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	rows, err := b.store.Pending(b.ctx, lease, 1000)
	b.must(err)
	b.must(b.store.Settle(b.ctx, lease, rows, nil))
	return rows
}

func outboxLeases(_ *testing.T, b *bench) {
	two := delivery.Lease{Owner: "relay-2", For: 10 * time.Second}
	n, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	b.want("alone", n, delivery.Shards)
	n, err = b.store.Lease(b.ctx, two)
	b.must(err)
	b.want("nothing is free yet", n, 0)
	n, err = b.store.Lease(b.ctx, lease)
	b.must(err)
	b.want("its share", n, delivery.Shards/2)
	n, err = b.store.Lease(b.ctx, two)
	b.must(err)
	b.want("the other's share", n, delivery.Shards/2)
	b.clock.Advance(5 * time.Second)
	_, err = b.store.Lease(b.ctx, lease)
	b.must(err)
	b.clock.Advance(6 * time.Second)
	n, err = b.store.Lease(b.ctx, lease)
	b.must(err)
	b.want("after the other's time", n, delivery.Shards)
	_, err = b.store.Pending(b.ctx, two, 10)
	b.wantErr(err, delivery.ErrFenced)
	b.wantErr(b.store.Settle(b.ctx, two, nil, nil), delivery.ErrFenced)
	b.must(b.store.Release(b.ctx, lease))
	n, err = b.store.Lease(b.ctx, two)
	b.must(err)
	b.want("after release", n, delivery.Shards)
}

func outboxStamps(_ *testing.T, b *bench) {
	for i := range 3 {
		for _, order := range []string{"o-1", "o-2"} {
			b.must(b.Change(b.ctx, fact(order, uint64(2*i+1)))) // not every version makes an event
		}
	}
	_, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	first, err := b.store.Pending(b.ctx, lease, 4)
	b.must(err)
	b.want("limit", len(first), 4)
	b.must(b.store.Settle(b.ctx, lease, first, nil))
	rest := b.relay()
	rows := append(first, rest...)
	b.want("all", len(rows), 6)
	last := map[string]uint64{}
	for _, row := range rows {
		m := row.Message
		b.want("previous of "+m.Subject, m.Previous, last[m.Subject])
		b.want("chained", m.Chained, true)
		last[m.Subject] = m.Version
	}
	m, d := rows[0].Message, fact("o-1", 1).Draft("OrderPaid.v1")
	b.want("message", []any{m.ID, m.Source, m.Type, m.Subject, m.Time.UTC(), m.ContentType, m.AggregateType, m.IdempotencyKey, m.PartitionKey, m.Topic, string(m.Payload), m.Schema},
		[]any{d.ID, d.Source, d.Event, d.Lane.ID, d.Time, d.ContentType, d.Lane.Type, d.Key, d.PartitionKey, d.Topic, string(d.Payload), "evcontract:OrderPaid.v1/0123456789abcdef"})
}

func outboxHolds(_ *testing.T, b *bench) {
	for _, f := range []Fact{fact("o-1", 1), fact("o-1", 2), fact("o-2", 1)} {
		b.must(b.Change(b.ctx, f))
	}
	_, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	rows, err := b.store.Pending(b.ctx, lease, 10)
	b.must(err)
	b.must(b.store.Settle(b.ctx, lease, rows[2:], []delivery.Hold{{Topic: Topic, Lane: rows[0].Lane, Attempts: 1, For: time.Second, Error: "refused"}}))
	b.must(b.Change(b.ctx, fact("o-2", 2)))
	rows, err = b.store.Pending(b.ctx, lease, 10)
	b.must(err)
	b.want("only the other lane", len(rows), 1)
	b.must(b.store.Settle(b.ctx, lease, rows, nil))
	b.clock.Advance(2 * time.Second)
	rows = b.relay()
	b.want("the held lane, in order", []any{len(rows), rows[0].Message.Version, rows[0].Attempts}, []any{2, 1, 1})
	b.want("holds", b.count("SELECT count(*) FROM evc_hold"), 0)
}
