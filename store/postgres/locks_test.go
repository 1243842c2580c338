package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
)

// patient is a schema of its own, in which a lock is waited for as long as it takes.
func patient(t *testing.T) *deliverytest.Database {
	db, err := open(strings.Replace(fresh(t).Source, fmt.Sprint("lock_timeout=", lockTimeout.Milliseconds()), "lock_timeout=0", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// untilWaiting returns when n sessions of the database wait for a lock.
func untilWaiting(t *testing.T, db *deliverytest.Database, n int64) {
	t.Helper()
	const waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock'"
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		found, err := db.Count(t.Context(), waiting)
		switch {
		case err != nil:
			t.Fatal(err)
		case found == n:
			return
		case time.Now().After(deadline):
			t.Fatalf("%d sessions wait for a lock, want %d", found, n)
		}
	}
}

func memberOf(instance string) delivery.Member {
	return delivery.Member{Consumer: "audit", Instance: instance, Owner: "team-audit", Revision: "r", Build: "b", Host: "h"}
}

// A batch that was recorded and a worker that joins wait for each other in one
// direction only.
func TestJoinBesideABatch(t *testing.T) {
	db := patient(t)
	m := memberOf("run")
	if err := db.Store.Join(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	joined := make(chan error, 1)
	err := db.Store.Work(t.Context(), m, func(ctx context.Context, w delivery.Work) error {
		lane := event.Lane{Type: "order", ID: "o-1"}
		if err := w.Record(ctx, delivery.Changes{Block: []delivery.Block{{Lane: lane, Why: delivery.WhyRetry, For: time.Hour}}}); err != nil { // sent at once
			return err
		}
		go func() { joined <- db.Store.Join(t.Context(), memberOf("run/lanes")) }()
		untilWaiting(t, db, 1)
		return w.Record(ctx, delivery.Changes{Newest: 20_000})
	})
	if err := errors.Join(err, <-joined); err != nil {
		t.Error(err)
	}
}

// A key that is forgotten while an event with it arrives is too old, and not new.
func TestForgottenMeanwhile(t *testing.T) {
	db := patient(t)
	m := memberOf("run")
	if err := db.Store.Join(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	entry := delivery.Entry{Key: event.NewKey("OrderPaid", "p-1"), Lane: event.Lane{Type: "order", ID: "o-1"}, Bucket: 100}
	enter := func() (delivery.Entered, error) {
		var answers []delivery.Entered
		err := db.Store.Work(t.Context(), m, func(ctx context.Context, w delivery.Work) (err error) {
			answers, err = w.Enter(ctx, []delivery.Entry{entry})
			return err
		})
		if err != nil {
			return delivery.Entered{}, err
		}
		return answers[0], nil
	}
	if _, err := enter(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), db.Source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	type answer struct {
		delivery.Entered
		err error
	}
	again := make(chan answer, 1)
	if err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error { // as Forget does
		if _, err := tx.Exec(t.Context(), "DELETE FROM evc_seen"); err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), "UPDATE evc_consumer SET horizon = 200"); err != nil {
			return err
		}
		go func() {
			e, err := enter()
			again <- answer{e, err}
		}()
		untilWaiting(t, db, 1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := <-again; got.err != nil || got.Seen != "" || !got.TooOld {
		t.Errorf("it enters as %+v, want too old", got)
	}
}

// The day of the newest event is known when a batch has committed with it, and
// not before.
func TestNewestOfARollback(t *testing.T) {
	db := fresh(t)
	m := memberOf("run")
	if err := db.Store.Join(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	for _, end := range []error{failed, nil} {
		if err := db.Store.Work(t.Context(), m, func(ctx context.Context, w delivery.Work) error {
			return errors.Join(w.Record(ctx, delivery.Changes{Newest: 20_000}), end)
		}); !errors.Is(err, end) {
			t.Fatal(err)
		}
	}
	rows, err := db.Query(t.Context(), "SELECT newest FROM evc_consumer")
	if err != nil || rows[0][0] != int64(20_000) {
		t.Error(rows, err)
	}
}

// quarantined has a case in each of some lanes, in the middle of nothing else.
func quarantined(t *testing.T, db *deliverytest.Database, lanes ...string) (ids []int64) {
	t.Helper()
	m := memberOf("run")
	if err := db.Store.Join(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	var c delivery.Changes
	for _, lane := range lanes {
		key := event.NewKey("OrderPaid", lane)
		c.Outcomes = append(c.Outcomes, delivery.Changed{Key: key, Outcome: delivery.Quarantined})
		c.Quarantine = append(c.Quarantine, delivery.Case{
			Consumer: "audit", Key: key, Lane: event.Lane{Type: "order", ID: lane}, Reason: delivery.ReasonPermanent, Attempts: 1, Owner: "team-audit", Within: time.Hour,
		})
	}
	if err := db.Store.Work(t.Context(), m, func(ctx context.Context, w delivery.Work) error { return w.Record(ctx, c) }); err != nil {
		t.Fatal(err)
	}
	cases, err := db.Store.Cases(t.Context(), delivery.CaseFilter{Consumer: "audit"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	return ids
}

// rehearsed is the number of a dry run that is over.
func rehearsed(t *testing.T, db *deliverytest.Database, ids []int64) int64 {
	t.Helper()
	r, err := db.Store.Replay(t.Context(), delivery.Replay{Consumer: "audit", Cases: ids, By: "ada", Reason: "mended"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Query(t.Context(), "UPDATE evc_replay SET state = 'rehearsed'"); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// A replay of many lanes and a batch that blocks some of them in another order
// both come to their end.
func TestReplayBesideABatch(t *testing.T) {
	db := patient(t)
	ids := quarantined(t, db, "a", "b")
	apply := delivery.Replay{Apply: rehearsed(t, db, ids), By: "ada", Reason: "mended"}
	applied := make(chan error, 1)
	block := func(lane string) delivery.Changes {
		return delivery.Changes{Block: []delivery.Block{{Lane: event.Lane{Type: "order", ID: lane}, Why: delivery.WhyRetry, For: time.Hour}}}
	}
	begun := false
	batch := func() error {
		return db.Store.Work(t.Context(), memberOf("run"), func(ctx context.Context, w delivery.Work) error {
			if err := w.Record(ctx, block("b")); err != nil {
				return err
			}
			if !begun {
				begun = true
				go func() {
					_, err := db.Store.Replay(t.Context(), apply)
					applied <- err
				}()
				untilWaiting(t, db, 1)
			}
			return w.Record(ctx, block("a"))
		})
	}
	err := batch()
	if errors.Is(err, delivery.ErrRaced) { // as an inbox does
		err = batch()
	}
	if err := errors.Join(err, <-applied); err != nil {
		t.Error(err)
	}
}

// A case that is settled while a replay of it begins is not replayed.
func TestReplayOfASettledCase(t *testing.T) {
	db := patient(t)
	ids := quarantined(t, db, "a")
	apply := delivery.Replay{Apply: rehearsed(t, db, ids), By: "ada", Reason: "mended"}
	conn, err := pgx.Connect(t.Context(), db.Source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	applied := make(chan error, 1)
	if err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "UPDATE evc_quarantine SET state = 'discarded', resolved_by = 'bob', resolution = 'known'"); err != nil {
			return err
		}
		go func() {
			_, err := db.Store.Replay(t.Context(), apply)
			applied <- err
		}()
		untilWaiting(t, db, 1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := <-applied; !errors.Is(err, delivery.ErrPlanChanged) {
		t.Errorf("it is replayed: %v", err)
	}
}
