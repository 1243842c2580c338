package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	setOutcome = `UPDATE evc_key SET outcome = ?3 WHERE consumer = ?1 AND key = ?2`
	addOutcome = `INSERT INTO evc_key (consumer, key, bucket, outcome) VALUES (?1, ?2, ?4, ?3)
		ON CONFLICT (consumer, key) DO UPDATE SET outcome = excluded.outcome`
	anyBlock = `SELECT EXISTS (SELECT 1 FROM evc_block WHERE consumer = ?)`
	blockOf  = `SELECT b.why, min(
			coalesce((SELECT min(p.version) FROM evc_parked p WHERE p.consumer = b.consumer AND p.lane_type = b.lane_type AND p.lane_id = b.lane_id AND p.version > 0), ?4),
			coalesce((SELECT min(q.version) FROM evc_quarantine q WHERE q.consumer = b.consumer AND q.lane_type = b.lane_type AND q.lane_id = b.lane_id
				AND q.holds AND q.state = 'open' AND q.version > 0), ?4))
		FROM evc_block b WHERE b.consumer = ?1 AND b.lane_type = ?2 AND b.lane_id = ?3`
)

// work is one transaction of an inbox. It holds the write lock from its begin
// on, so what it reads stays true.
type work struct {
	*txn
	consumer int64
	member   delivery.Member
	entries  []delivery.Entry
	order    []int                          // of the entries, by key
	sieved   bool                           // the store's sieve had all keys before this transaction
	had      map[event.Lane][]delivery.Mark // the marks of the lanes that were asked about
}

var outcomesOf = manyValues(`SELECT key, outcome FROM evc_key WHERE consumer = ? AND key IN (`, `)`)

// Work implements delivery.InboxStore.
func (s *Store) Work(ctx context.Context, m delivery.Member, f func(context.Context, delivery.Work) error) error {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return err
	}
	return s.begin(ctx, func(t *txn) error {
		w := &work{txn: t, consumer: consumer, member: m}
		if err := f(t.within(ctx), w); err != nil {
			return err
		}
		return w.sieve()
	})
}

// sieve notes that the store's sieve has the keys that this transaction adds,
// once it commits.
func (w *work) sieve() error {
	if !w.sieved {
		return nil
	}
	return w.direct(func(c *conn) error {
		return c.query(keysRange, func(row []driver.Value) error {
			last := row[1].(int64)
			w.committed = func() { w.store.sieve.upto = last }
			return nil
		})
	})
}

// Tx implements delivery.Work.
func (w *work) Tx() event.Tx { return w.txn }

// Try implements delivery.Work.
func (w *work) Try(ctx context.Context, f func(context.Context) error) (failed, err error) {
	failed, err = w.try("evc_try", func() error { return f(ctx) })
	if errors.Is(err, sql.ErrTxDone) {
		err = errors.Join(errFinished, err)
	}
	return failed, err
}

var errFinished = errors.New("the transaction is over: a handler must neither commit it nor roll it back, and its context must not have ended")

// Enter implements delivery.Work.
func (w *work) Enter(ctx context.Context, entries []delivery.Entry) ([]delivery.Entered, error) {
	if w.order != nil {
		return nil, errors.New("events were entered in this transaction before: enter all of them at once")
	}
	w.entries, w.order = entries, inOrder(entries)
	answers := make([]delivery.Entered, len(entries))
	err := w.direct(func(c *conn) error {
		if err := w.see(c, answers); err != nil {
			return err
		}
		return w.marked(c, entries, answers)
	})
	if err != nil {
		return nil, err
	}
	return answers, w.blocked(ctx, entries, answers)
}

// inOrder are the places of entries by key.
func inOrder(entries []delivery.Entry) []int {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(bytes.Compare(entries[a].Key[:], entries[b].Key[:]), cmp.Compare(a, b))
	})
	return order
}

// see claims the keys that are new, and says what is known of the others.
func (w *work) see(c *conn, answers []delivery.Entered) error {
	log, st, err := w.recent(c, w.consumer)
	if err != nil {
		return err
	}
	known, err := w.outcomesOf(c)
	if err != nil {
		return fmt.Errorf("look for known keys: %w", err)
	}
	fresh := make([]queued, 0, len(w.order))
	for _, i := range w.order {
		e := &w.entries[i]
		outcome := known[e.Key]
		if outcome == "" && log.has(e.Key) {
			outcome = delivery.Done
		}
		switch {
		case e.Was != "":
			if outcome, err = w.again(c, e, outcome); err != nil {
				return err
			}
			if outcome == "" {
				known[e.Key] = delivery.Done // by now
			}
		case outcome != "":
		case len(fresh) > 0 && fresh[len(fresh)-1].key == e.Key: // twice among the entries
			outcome = delivery.Done
		default:
			fresh = append(fresh, queued{e.Key, e.Bucket})
			answers[i].TooOld = e.Bucket < st.horizon
		}
		answers[i].Seen = outcome
	}
	n := len(fresh)
	if err := appendRecent(c, w.consumer, fresh); err != nil {
		return err
	}
	moved, err := log.move(c, w.consumer, st, n+n/8, w.store.moveAt)
	for i := range moved {
		w.store.sieve.add(w.consumer, moved[i].key)
	}
	return err
}

// again takes up an event that waited, if it still does.
func (w *work) again(c *conn, e *delivery.Entry, outcome delivery.Outcome) (delivery.Outcome, error) {
	if outcome != e.Was {
		return cmp.Or(outcome, delivery.Done), nil
	}
	_, err := c.exec(setOutcome, w.consumer, e.Key[:], string(delivery.Done))
	return "", err
}

// maybeKnown are the places of those entries, by key, that may be in evc_key.
func (w *work) maybeKnown(c *conn) ([]int, error) {
	s := &w.store.sieve
	var err error
	if w.sieved, err = s.follow(c, 16*len(w.order)); err != nil || !w.sieved {
		return w.order, err
	}
	var maybe []int
	for _, i := range w.order {
		if s.has(w.consumer, w.entries[i].Key) {
			maybe = append(maybe, i)
		}
	}
	return maybe, nil
}

// outcomesOf are the outcomes of those entries that are in evc_key.
func (w *work) outcomesOf(c *conn) (map[event.Key]delivery.Outcome, error) {
	order, err := w.maybeKnown(c)
	if err != nil {
		return nil, err
	}
	known := map[event.Key]delivery.Outcome{}
	args := make([]driver.Value, 0, 1+rowsAtOnce)
	for len(order) > 0 {
		query, places := outcomesOf.next(len(order))
		n := min(len(order), places)
		args = append(args[:0], w.consumer)
		for i := range places {
			args = append(args, w.entries[order[min(i, n-1)]].Key[:])
		}
		err := c.query(query, func(row []driver.Value) error {
			known[event.Key(row[0].([]byte))] = delivery.Outcome(row[1].(string))
			return nil
		}, args...)
		if err != nil {
			return nil, err
		}
		order = order[n:]
	}
	return known, nil
}

// bucketOf is the bucket of an event that was entered.
func (w *work) bucketOf(key event.Key) (bucket int, ok bool) {
	at, ok := slices.BinarySearchFunc(w.order, key, func(i int, key event.Key) int { return bytes.Compare(w.entries[i].Key[:], key[:]) })
	if !ok {
		return 0, false
	}
	return w.entries[w.order[at]].Bucket, true
}

// blocked fills in which of the entries' lanes wait.
func (w *work) blocked(ctx context.Context, entries []delivery.Entry, answers []delivery.Entered) error {
	var blocks bool
	if _, err := w.row(ctx, anyBlock, []any{w.consumer}, &blocks); err != nil || !blocks {
		return err
	}
	first := make(map[event.Lane]int, len(entries)) // each lane is asked about once
	for i, e := range entries {
		if j, again := first[e.Lane]; again {
			answers[i].Blocked, answers[i].Waits = answers[j].Blocked, answers[j].Waits
			continue
		}
		first[e.Lane] = i
		var why string
		var waits int64
		if _, err := w.row(ctx, blockOf, []any{w.consumer, e.Lane.Type, e.Lane.ID, int64(math.MaxInt64)}, &why, &waits); err != nil {
			return err
		}
		if waits == math.MaxInt64 {
			waits = 0
		}
		answers[i].Blocked, answers[i].Waits = delivery.Why(why), uint64(waits)
	}
	return nil
}
