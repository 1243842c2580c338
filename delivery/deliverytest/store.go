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
		{"append/the trace context travels", appendTraced},
		{"outbox/shards are shared and fenced", outboxLeases},
		{"outbox/rows are stamped and keep their order", outboxStamps},
		{"outbox/a held lane holds nobody else", outboxHolds},
		{"outbox/large events come in smaller batches", outboxLarge},
		{"outbox/messages that every group has passed are forgotten", outboxTopics},
		{"inbox/a key enters once", inboxEnters},
		{"inbox/what fails is undone alone", inboxTries},
		{"inbox/marks are compared and set", inboxMarks},
		{"inbox/each topic has a mark of its own", inboxTrails},
		{"inbox/lanes are blocked and drained", inboxLanes},
		{"inbox/the lowest version that waits is told", inboxLowest},
		{"inbox/a lane may have very many events that wait", inboxMany},
		{"inbox/what is in flight is adopted", inboxAdopts},
		{"inbox/who leaves is gone at once", inboxLeaves},
		{"inbox/what may be parked has a limit", inboxFull},
		{"inbox/old keys are forgotten and refused", inboxForgets},
		{"inbox/old keys are found among those that stay", inboxForgetsAll},
		{"inbox/a spoiled row blocks nothing", brokenRows},
		{"operator/pause", operatorPauses},
		{"operator/cases are kept and discarded", operatorCases},
		{"operator/a lane waits for each of its cases", operatorHolds},
		{"operator/cases of a lane are discarded in its order", operatorDiscards},
		{"operator/a dry run goes on where it stopped", operatorRehearses},
		{"operator/revisions in flight are told", operatorInFlight},
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
	for _, table := range []string{"evc_event", "evc_outbox"} {
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
	b.want("log", b.count("SELECT count(*) FROM evc_log"), 1)
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
	b.must(b.Change(b.ctx, fact("o-2", 1)))
	b.relay()
	_, err = b.store.Retain(b.ctx, 7*day, 30*day)
	b.must(err)
	b.want("keys", b.count("SELECT count(*) FROM evc_event"), 1)
	b.want("payloads", b.count("SELECT count(*) FROM evc_log"), 1)
}

func appendTraced(t *testing.T, b *bench) {
	delivery.SetInject(func(_ context.Context, headers map[string]string) {
		headers["traceparent"], headers["own"] = "00-trace", "x"
	})
	t.Cleanup(func() { delivery.SetInject(nil) })
	d := fact("o-1", 1).Draft("OrderPaid.v1")
	d.Headers = map[string]string{"own": "mine"}
	_, err := b.append(d)
	b.must(err)
	b.want("headers", b.relay()[0].Message.Headers, map[string]string{"traceparent": "00-trace", "own": "mine"})
}
