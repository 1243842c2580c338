package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

// published is what the database must know: the body of each key.
type published map[string]string

// idWorld is two stores on one file with a log that is moved after a few ids, and
// the model that they are compared with.
type idWorld struct {
	t      rapid.TB
	stores []*sqlite.Store
	now    time.Time
	known  published
}

var errUndo = errors.New("undone")

// draftOf is the event of a key; version 0 leaves all conflicts to the id.
func draftOf(key, body string) event.Draft {
	d := deliverytest.Fact{Payment: key, Order: "o-" + key}.Draft("OrderPaid.v1")
	d.Payload = []byte(body)
	copy(d.Body[:], body)
	return d
}

func (w *idWorld) append(tx event.Tx, known published, key, body string) {
	r, err := tx.Append(context.Background(), draftOf(key, body))
	was, have := known[key]
	switch {
	case have && was != body:
		if !errors.Is(err, event.ErrKeyReused) {
			w.t.Fatalf("%s with another body: %v, want ErrKeyReused", key, err)
		}
	case err != nil:
		w.t.Fatalf("%s: %v", key, err)
	case r[0].Duplicate != have:
		w.t.Fatalf("%s: duplicate %v, want %v", key, r[0].Duplicate, have)
	}
	known[key] = body
	if have {
		known[key] = was
	}
}

// transaction appends some keys in one of three ways and keeps or undoes them.
func (w *idWorld) transaction(rt *rapid.T) {
	s := rapid.SampledFrom(w.stores).Draw(rt, "store")
	keys := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 6).Draw(rt, "keys")
	bodies := rapid.SampledFrom([]string{"same", "same", "same", "other"})
	undo := rapid.Bool().Draw(rt, "undo")
	after := maps.Clone(w.known)
	all := func(ctx context.Context, tx *sql.Tx) error {
		etx := sqlite.In(tx)
		if rapid.Bool().Draw(rt, "of the store") {
			etx = s.In(tx)
		}
		for _, key := range keys {
			inner := rapid.IntRange(0, 9).Draw(rt, "savepoint") == 0
			before := maps.Clone(after)
			if inner {
				must(w.t, tx, "SAVEPOINT own")
			}
			w.append(etx, after, fmt.Sprint(key), bodies.Draw(rt, "body"))
			if inner {
				must(w.t, tx, "ROLLBACK TO own")
				must(w.t, tx, "RELEASE own")
				after = before
			}
		}
		if undo {
			return errUndo
		}
		return nil
	}
	var err error
	if rapid.Bool().Draw(rt, "InTx") {
		err = s.InTx(context.Background(), all)
	} else {
		var tx *sql.Tx
		if tx, err = s.DB().Begin(); err != nil {
			w.t.Fatal(err)
		}
		if err = all(context.Background(), tx); err == nil {
			err = tx.Commit()
		} else {
			err = errors.Join(err, tx.Rollback())
		}
	}
	if undo != errors.Is(err, errUndo) || !undo && err != nil {
		w.t.Fatalf("undo %v: %v", undo, err)
	}
	if !undo {
		w.known = after
	}
}

func must(t rapid.TB, tx *sql.Tx, query string) {
	if _, err := tx.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// send empties the outbox; forget drops what is older than a month.
func (w *idWorld) send(*rapid.T) {
	lease := delivery.Lease{Owner: "relay", For: time.Minute}
	s := w.stores[0]
	if _, err := s.Lease(context.Background(), lease); err != nil {
		w.t.Fatal(err)
	}
	rows, err := s.Pending(context.Background(), lease, 1000)
	if err == nil {
		err = s.Settle(context.Background(), lease, rows, nil)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *idWorld) forget(rt *rapid.T) {
	w.send(rt)
	w.now = w.now.Add(40 * 24 * time.Hour)
	var newest string
	err := w.stores[0].Reader().QueryRow("SELECT lane_id FROM evc_event ORDER BY seq DESC LIMIT 1").Scan(&newest)
	if errors.Is(err, sql.ErrNoRows) {
		return
	}
	for n := 1; err == nil && n > 0; {
		n, err = w.stores[1].Retain(context.Background(), 7*24*time.Hour, 30*24*time.Hour)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	for key := range w.known {
		if "o-"+key != newest {
			delete(w.known, key)
		}
	}
}

// check compares the tables with the model, and each event with its id.
func (w *idWorld) check(*rapid.T) {
	var events, ids, dangling int
	if err := w.stores[0].Reader().QueryRow(`SELECT (SELECT count(*) FROM evc_event), (SELECT count(*) FROM evc_id) + (SELECT coalesce(sum(length(ids)) / 16, 0) FROM evc_recent_id),
		(SELECT count(*) FROM evc_id i LEFT JOIN evc_event e ON e.seq = i.seq AND e.id = i.id WHERE e.seq IS NULL)`).Scan(&events, &ids, &dangling); err != nil {
		w.t.Fatal(err)
	}
	var moving int // some of them are in both
	if err := w.stores[0].Reader().QueryRow(`SELECT coalesce((SELECT count(*) FROM evc_id WHERE id <= moved AND moving > 0 AND seq >= (SELECT min(first) FROM evc_recent_id)), 0) FROM evc_sweep`).Scan(&moving); err != nil {
		w.t.Fatal(err)
	}
	if events != len(w.known) || ids-moving != events || dangling != 0 {
		w.t.Fatalf("%d events, %d ids of which %d are in both tables, %d of nothing; want %d events", events, ids, moving, dangling, len(w.known))
	}
}

// TestIDs: a key is published once, whichever table its id is in, whoever
// published it, and whatever became of transactions in between.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		w := &idWorld{t: rt, now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), known: published{}}
		for range 2 {
			s, err := sqlite.Open(path)
			if err != nil {
				rt.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			s.Now = func() time.Time { return w.now }
			s.MoveIDsAt(rapid.IntRange(1, 30).Draw(rt, "move at"), rapid.IntRange(1, 9).Draw(rt, "at least"))
			w.stores = append(w.stores, s)
		}
		rt.Repeat(map[string]func(*rapid.T){"": w.check, "transaction": w.transaction, "transaction too": w.transaction, "send": w.send, "forget": w.forget})
	})
}

// TestCommitByStatement: a transaction that a statement commits loses no event:
// it is rolled back.
func TestCommitByStatement(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	tx, err := s.DB().Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.In(tx).Append(t.Context(), draftOf("a", "same")); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("COMMIT"); err == nil {
		t.Error("a statement committed what nothing sends")
	}
	if err := tx.Commit(); !errors.Is(err, sql.ErrTxDone) {
		t.Errorf("got %v, want ErrTxDone", err)
	}
	var n int
	if err := s.Reader().QueryRow("SELECT count(*) FROM evc_event").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d events (%v)", n, err)
	}
}

// TestForeignDatabase: a transaction on a database that was opened otherwise is
// refused, because nothing would send what is appended.
func TestForeignDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	openStore(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := sqlite.In(tx).Append(t.Context(), draftOf("a", "same")); err == nil {
		t.Error("it was taken")
	}
}

// TestIDOfNothing: an id that names no event, as a repair by hand may leave it
// behind, keeps none from being published.
func TestIDOfNothing(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	d := draftOf("a", "same")
	if _, err := s.DB().Exec("INSERT INTO evc_id VALUES (?, 7)", d.ID[:]); err != nil {
		t.Fatal(err)
	}
	for _, duplicate := range []bool{false, true} {
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			r, err := sqlite.In(tx).Append(ctx, d)
			if err == nil && r[0].Duplicate != duplicate {
				t.Errorf("duplicate %v, want %v", r[0].Duplicate, duplicate)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNotTaken: an event that the table does not take is no duplicate, whatever
// it is that keeps it out.
func TestNotTaken(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	if _, err := s.DB().Exec("CREATE TRIGGER keeper BEFORE INSERT ON evc_event BEGIN SELECT RAISE(IGNORE); END"); err != nil {
		t.Fatal(err)
	}
	for _, version := range []uint64{0, 1} {
		d := draftOf("a", "same")
		d.Version = version
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			_, err := sqlite.In(tx).Append(ctx, d)
			return err
		}); err == nil {
			t.Errorf("version %d: an event is lost", version)
		}
	}
}

// TestEmptiedByHand: when somebody has deleted what the numbers of events hang
// on, publishing fails, and no event is lost or sent again for it.
func TestEmptiedByHand(t *testing.T) {
	for _, c := range []struct {
		before, inside string
		want           int
	}{
		{"SELECT 1", "DELETE FROM evc_event", 2},
		{"DELETE FROM evc_outbox; DELETE FROM evc_recent_id; DELETE FROM evc_sweep", "SELECT 1", 0},
	} {
		s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
		publish := func(inside string, keys ...string) error {
			return s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				for _, key := range keys {
					if _, err := sqlite.In(tx).Append(ctx, draftOf(key, "same")); err != nil {
						return err
					}
					must(t, tx, inside)
				}
				return nil
			})
		}
		if err := publish("SELECT 1", "a", "b"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB().Exec(c.before); err != nil {
			t.Fatal(err)
		}
		if err := publish(c.inside, "c", "d"); err == nil {
			t.Errorf("%v: published", c)
		}
		var n int
		if err := s.Reader().QueryRow("SELECT count(*) FROM evc_outbox").Scan(&n); err != nil || n != c.want {
			t.Errorf("%v: %d events wait (%v)", c, n, err)
		}
	}
}
