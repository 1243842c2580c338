package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

// ledger is a consumer of which a map says what it should know.
type ledger struct {
	t      *testing.T
	stores []*sqlite.Store
	knows  map[event.Key]delivery.Outcome
	marks  map[event.Lane]uint64
	member delivery.Member
}

// newLedger opens a file more than once, as several processes do.
func newLedger(t *testing.T, consumer string, moveAt ...int) *ledger {
	path := filepath.Join(t.TempDir(), "test.db")
	l := &ledger{t: t, knows: map[event.Key]delivery.Outcome{}, marks: map[event.Lane]uint64{}, member: delivery.Member{Consumer: consumer, Instance: "i"}}
	for _, keys := range moveAt {
		s := openStore(t, path)
		s.MoveAt(keys)
		l.stores = append(l.stores, s)
		l.must(s.Join(t.Context(), l.member))
	}
	_, err := l.stores[0].DB().Exec("CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
	l.must(err)
	return l
}

func (l *ledger) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// How a batch ends.
const (
	committed = iota
	undone    // its handler fails
	refused   // its commit fails
)

var errUndone = errors.New("undone")

// enter handles a batch, which may be rolled back, and checks every answer.
func (l *ledger) enter(s *sqlite.Store, entries []delivery.Entry, outcomes map[event.Key]delivery.Outcome, end int) {
	l.t.Helper()
	here, marks := map[event.Key]delivery.Outcome{}, map[event.Lane]delivery.Mark{}
	err := s.Work(l.t.Context(), l.member, func(ctx context.Context, w delivery.Work) error {
		answers, err := w.Enter(ctx, entries)
		if err != nil {
			return err
		}
		var changes delivery.Changes
		for i, e := range entries {
			want := l.knows[e.Key]
			if known, again := here[e.Key]; again {
				want = known
			}
			if e.Was != "" && want == e.Was {
				want = ""
			} else if e.Was != "" && want == "" {
				want = delivery.Done
			}
			if answers[i].Seen != want {
				l.t.Fatalf("%s (was %q): %q, want %q", e.Key, e.Was, answers[i].Seen, want)
			}
			if e.Marked && answers[i].Mark.Version != l.marks[e.Lane] {
				l.t.Fatalf("mark of %v: %d, want %d", e.Lane, answers[i].Mark.Version, l.marks[e.Lane])
			}
			if want != "" {
				continue
			}
			here[e.Key] = delivery.Done
			if e.Marked {
				m := answers[i].Mark
				marks[e.Lane] = delivery.Mark{Lane: e.Lane, Version: m.Version + 1, Was: m.Was, Event: "OrderPaid", Key: e.Key}
			}
		}
		for key := range here {
			if o := outcomes[key]; o != "" {
				here[key] = o
				changes.Outcomes = append(changes.Outcomes, delivery.Changed{Key: key, Outcome: o})
			}
		}
		for _, m := range marks {
			changes.Marks = append(changes.Marks, m)
		}
		if err := w.Record(ctx, changes); err != nil {
			return err
		}
		switch end {
		case undone:
			return errUndone
		case refused:
			_, err := sqlite.From(w.Tx()).ExecContext(ctx, "INSERT INTO child VALUES (1)")
			return err
		}
		return nil
	})
	switch {
	case end == undone && errors.Is(err, errUndone), end == refused && err != nil && strings.Contains(err.Error(), "commit"):
		return
	case end != committed:
		l.t.Fatalf("not rolled back: %v", err)
	}
	l.must(err)
	for key, o := range here {
		l.knows[key] = o
	}
	for lane, m := range marks {
		l.marks[lane] = m.Version
	}
}

// check compares what the database shows with what should be known.
func (l *ledger) check() {
	l.t.Helper()
	rows, err := l.stores[0].Reader().Query("SELECT s.key, s.outcome FROM evc_seen s JOIN evc_consumer c ON c.id = s.consumer WHERE c.name = ?", l.member.Consumer)
	l.must(err)
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var key []byte
		var outcome delivery.Outcome
		l.must(rows.Scan(&key, &outcome))
		if want := l.knows[event.Key(key)]; outcome != want {
			l.t.Errorf("%x is %q, want %q", key, outcome, want)
		}
	}
	l.must(rows.Err())
	if n != len(l.knows) {
		l.t.Errorf("%d keys are known, want %d", n, len(l.knows))
	}
}

func (l *ledger) count(query string, args ...any) (n int) {
	l.t.Helper()
	l.must(l.stores[0].Reader().QueryRow(query, args...).Scan(&n))
	return n
}

func entryOf(n int) delivery.Entry {
	return delivery.Entry{
		Key: event.NewKey("OrderPaid", fmt.Sprint(n)), Lane: event.Lane{Type: []string{"order", "cart", ""}[n%3], ID: fmt.Sprint(n / 4)},
		Bucket: 20_000 + n%2, Marked: n%5 != 0,
	}
}

func entriesOf(from, to int) (list []delivery.Entry) {
	for n := from; n < to; n++ {
		list = append(list, entryOf(n))
	}
	return list
}

// TestKeysAreKnown: whatever moves when, in several processes that have the file
// open and with transactions that are rolled back, a key is known once it was
// recorded and not before.
func TestKeysAreKnown(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			l := newLedger(t, "c", 1+r.IntN(300), 1+r.IntN(1000))
			l.stores[0].SieveRoom(32) // so that it is full from time to time
			outcomes := []delivery.Outcome{"", "", "", "", "", "", "", "", delivery.Parked, delivery.Stale, delivery.Quarantined}
			for range 150 {
				var batch []delivery.Entry
				says := map[event.Key]delivery.Outcome{}
				for range 1 + r.IntN([]int{3, 40, 200}[r.IntN(3)]) {
					e := entryOf(r.IntN(4000))
					if o := l.knows[e.Key]; o == delivery.Parked && r.IntN(2) == 0 {
						e.Was = o
					}
					batch = append(batch, e)
					says[e.Key] = outcomes[r.IntN(len(outcomes))]
				}
				s := l.stores[r.IntN(len(l.stores))]
				l.enter(s, batch, says, []int{committed, committed, undone, refused}[r.IntN(4)])
			}
			l.check()
			if l.count("SELECT count(*) FROM evc_key") == 0 || l.count("SELECT max(id) FROM evc_recent") == l.count("SELECT count(*) FROM evc_recent") {
				t.Error("nothing was moved")
			}
		})
	}
}

// TestManyEntries: more than one statement takes, of several types and buckets,
// twice in one batch, and again.
func TestManyEntries(t *testing.T) {
	for _, moveAt := range []int{1, 1 << 16} {
		l := newLedger(t, "c", moveAt)
		all := entriesOf(0, 1337)
		l.enter(l.stores[0], append(all, all[3], all[700]), nil, committed)
		l.enter(l.stores[0], all[:700], nil, committed)
		l.enter(l.stores[0], all[690:], nil, committed)
		l.enter(l.stores[0], nil, nil, committed)
		l.check()
	}
}

// TestNeighbours: keys that differ in their last byte are different keys.
func TestNeighbours(t *testing.T) {
	l := newLedger(t, "c", 2)
	var batch []delivery.Entry
	for n := range 200 {
		e := entryOf(n)
		e.Key = event.NewKey("OrderPaid", "one")
		e.Key[15] = byte(n)
		batch = append(batch, e)
	}
	for n := 0; n < len(batch); n += 20 {
		l.enter(l.stores[0], batch[n:n+10], nil, committed)
	}
	l.enter(l.stores[0], batch, nil, committed)
	l.check()
}

// TestTwoConsumers: what one knows the other does not.
func TestTwoConsumers(t *testing.T) {
	l := newLedger(t, "c", 50)
	other := *l
	other.member.Consumer, other.knows, other.marks = "d", map[event.Key]delivery.Outcome{}, map[event.Lane]uint64{}
	l.must(l.stores[0].Join(t.Context(), other.member))
	for n := 0; n < 600; n += 60 {
		l.enter(l.stores[0], entriesOf(n, n+60), nil, committed)
		other.enter(l.stores[0], entriesOf(n+30, n+90), nil, committed)
	}
	l.check()
	other.check()
}

// TestEnterOnce: a second call could take for known what the first one claimed,
// and what is rolled back with it.
func TestEnterOnce(t *testing.T) {
	l := newLedger(t, "c", 50)
	err := l.stores[0].Work(t.Context(), l.member, func(ctx context.Context, w delivery.Work) error {
		if _, err := w.Enter(ctx, entriesOf(0, 1)); err != nil {
			t.Fatal(err)
		}
		_, err := w.Enter(ctx, entriesOf(1, 2))
		return err
	})
	if err == nil {
		t.Error("entered twice")
	}
	l.enter(l.stores[0], entriesOf(0, 2), nil, committed)
}

// TestLogCleanedUp: a store notices when somebody empties the log.
func TestLogCleanedUp(t *testing.T) {
	l := newLedger(t, "c", 1000)
	for n := range 5 {
		l.enter(l.stores[0], entriesOf(10*n, 10*n+10), nil, committed)
	}
	_, err := l.stores[0].DB().Exec("DELETE FROM evc_recent; DELETE FROM evc_key; DELETE FROM evc_mark")
	l.must(err)
	clear(l.knows)
	clear(l.marks)
	l.enter(l.stores[0], entriesOf(0, 50), nil, committed)
	l.enter(l.stores[0], entriesOf(0, 50), nil, committed)
	l.check()
}

// TestOldKeysLeaveTheLog: keys of a consumer that has become quiet are forgotten
// too, a piece at a time.
func TestOldKeysLeaveTheLog(t *testing.T) {
	l := newLedger(t, "c", 1<<16)
	s := l.stores[0]
	const day = 24 * time.Hour
	now := time.Unix(0, 0).Add(20_050 * day)
	s.Now = func() time.Time { return now }
	for n := 0; n < 2500; n += 500 {
		l.enter(s, entriesOf(n, n+500), map[event.Key]delivery.Outcome{entryOf(n).Key: delivery.Parked}, committed)
	}
	l.must(s.Work(t.Context(), l.member, func(ctx context.Context, w delivery.Work) error {
		if _, err := w.Enter(ctx, nil); err != nil {
			return err
		}
		return w.Record(ctx, delivery.Changes{Newest: 20_050})
	}))
	calls := 0
	for ; ; calls++ {
		n, err := s.Forget(t.Context(), "c", 30*day, day)
		l.must(err)
		if n == 0 {
			break
		}
		if n > 3000 {
			t.Errorf("%d rows in one transaction", n)
		}
	}
	if calls < 3 {
		t.Errorf("forgotten in %d pieces", calls)
	}
	if n := l.count("SELECT count(*) FROM evc_recent"); n != 0 {
		t.Errorf("%d rows are left in the log", n)
	}
	if n := l.count("SELECT count(*) FROM evc_seen"); n != 5 { // the parked ones
		t.Errorf("%d keys are left", n)
	}
}

// TestSuspectInTheLog: a key that is done is nobody's suspect, wherever it is.
func TestSuspectInTheLog(t *testing.T) {
	l := newLedger(t, "c", 1<<16)
	s := l.stores[0]
	done, parked, open := entryOf(1), entryOf(2), entryOf(3)
	l.enter(s, []delivery.Entry{done, parked}, map[event.Key]delivery.Outcome{parked.Key: delivery.Parked}, committed)
	keys := []event.Key{done.Key, parked.Key, open.Key}
	_, err := s.Enlist(t.Context(), l.member, keys, false)
	l.must(err)
	next := l.member
	next.Instance = "j"
	l.must(s.Join(t.Context(), next))
	if n := l.count("SELECT count(*) FROM evc_attempt"); n != 2 {
		t.Errorf("%d suspects, want the parked one and the open one", n)
	}
	en, err := s.Enlist(t.Context(), next, keys, false)
	l.must(err)
	if len(en.Attempts) != 1 || en.Attempts[open.Key].Count != 1 {
		t.Errorf("suspects without a dedupe row: %v", en.Attempts)
	}
}

// TestSmallBatches: rows of the log are as bounded as the keys in it.
func TestSmallBatches(t *testing.T) {
	l := newLedger(t, "c", 1<<16)
	s := l.stores[0]
	l.enter(s, entriesOf(0, 3), nil, committed)
	_, err := s.DB().Exec(`INSERT INTO evc_recent (consumer, bucket, keys)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT 1, 20000, randomblob(16) FROM n`)
	l.must(err)
	for n := 0; l.count("SELECT count(*) FROM evc_recent") > 5000; n += 100 {
		if n > 10_000 {
			t.Fatal("the log is not emptied")
		}
		l.enter(s, entriesOf(n, n+100), nil, committed)
	}
}
