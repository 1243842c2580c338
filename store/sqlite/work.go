package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math"
	"slices"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	horizonOf  = `SELECT horizon FROM evc_consumer WHERE id = ?`
	insertSeen = `INSERT INTO evc_seen (consumer, key, bucket, outcome) VALUES (?, ?, ?, 'done') ON CONFLICT DO NOTHING`
	outcomeOf  = `SELECT outcome FROM evc_seen WHERE consumer = ? AND key = ?`
	setOutcome = `UPDATE evc_seen SET outcome = ?3 WHERE consumer = ?1 AND key = ?2`
	anyBlock   = `SELECT EXISTS (SELECT 1 FROM evc_block WHERE consumer = ?)`
	blockOf    = `SELECT b.why, min(
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
	entered  []event.Key
}

// Work implements delivery.InboxStore.
func (s *Store) Work(ctx context.Context, m delivery.Member, f func(context.Context, delivery.Work) error) error {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return err
	}
	return s.begin(ctx, func(t *txn) error {
		return f(ctx, &work{txn: t, consumer: consumer, member: m})
	})
}

// Tx implements delivery.Work.
func (w *work) Tx() event.Tx { return w.txn }

// Try implements delivery.Work.
func (w *work) Try(ctx context.Context, f func(context.Context) error) (failed, err error) {
	failed, err = w.try(ctx, "evc_try", func() error { return f(ctx) })
	if errors.Is(err, sql.ErrTxDone) {
		err = errors.Join(errFinished, err)
	}
	return failed, err
}

var errFinished = errors.New("the transaction is over: a handler must neither commit it nor roll it back, and its context must not have ended")

// Enter implements delivery.Work.
func (w *work) Enter(ctx context.Context, entries []delivery.Entry) ([]delivery.Entered, error) {
	var horizon int
	if _, err := w.row(ctx, horizonOf, []any{w.consumer}, &horizon); err != nil {
		return nil, err
	}
	answers := make([]delivery.Entered, len(entries))
	err := w.direct(func(c *conn) error {
		for _, i := range byKey(entries) {
			e := entries[i]
			w.entered = append(w.entered, e.Key)
			seen, err := w.see(c, e)
			if err != nil {
				return err
			}
			answers[i].Seen = seen
			answers[i].TooOld = seen == "" && e.Was == "" && e.Bucket < horizon
		}
		return w.marked(c, entries, answers)
	})
	if err != nil {
		return nil, err
	}
	return answers, w.blocked(ctx, entries, answers)
}

func byKey(entries []delivery.Entry) []int {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(bytes.Compare(entries[a].Key[:], entries[b].Key[:]), cmp.Compare(a, b))
	})
	return order
}

// see claims the dedupe row of an event, or says what it holds.
func (w *work) see(c *conn, e delivery.Entry) (delivery.Outcome, error) {
	if e.Was == "" {
		n, err := c.exec(insertSeen, w.consumer, e.Key[:], int64(e.Bucket))
		if err != nil || n == 1 {
			return "", err
		}
	}
	var outcome delivery.Outcome
	err := c.query(outcomeOf, func(row []driver.Value) error {
		outcome = delivery.Outcome(row[0].(string))
		return nil
	}, w.consumer, e.Key[:])
	if err != nil {
		return "", err
	}
	if e.Was == "" || outcome == "" || outcome != e.Was {
		return cmp.Or(outcome, delivery.Done), nil
	}
	_, err = c.exec(setOutcome, w.consumer, e.Key[:], string(delivery.Done))
	return "", err
}

// blocked fills in which of the entries' lanes wait.
func (w *work) blocked(ctx context.Context, entries []delivery.Entry, answers []delivery.Entered) error {
	var blocks bool
	if _, err := w.row(ctx, anyBlock, []any{w.consumer}, &blocks); err != nil || !blocks {
		return err
	}
	for i, e := range entries {
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
