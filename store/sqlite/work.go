package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
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
	// The topic's own mark, else what the consumer kept under another order.
	markOf = `SELECT topic, version, event, key FROM evc_mark WHERE consumer = ?1 AND lane_type = ?2 AND lane_id = ?3 AND (topic = ?4 OR topic = '' OR ?4 = '')
		ORDER BY topic = ?4 DESC, version DESC LIMIT 1`
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
	for _, i := range byKey(entries) {
		e := entries[i]
		w.entered = append(w.entered, e.Key)
		seen, err := w.see(ctx, e)
		if err != nil {
			return nil, err
		}
		answers[i].Seen = seen
		answers[i].TooOld = seen == "" && e.Was == "" && e.Bucket < horizon
	}
	return answers, w.lanes(ctx, entries, answers)
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
func (w *work) see(ctx context.Context, e delivery.Entry) (delivery.Outcome, error) {
	if e.Was == "" {
		n, err := w.exec(ctx, insertSeen, w.consumer, e.Key[:], e.Bucket)
		if err != nil || n == 1 {
			return "", err
		}
	}
	var outcome string
	found, err := w.row(ctx, outcomeOf, []any{w.consumer, e.Key[:]}, &outcome)
	if err != nil {
		return "", err
	}
	if e.Was == "" || !found || delivery.Outcome(outcome) != e.Was {
		return delivery.Outcome(cmp.Or(outcome, string(delivery.Done))), nil
	}
	_, err = w.exec(ctx, setOutcome, w.consumer, e.Key[:], string(delivery.Done))
	return "", err
}

// lanes fills in what is known of the entries' lanes.
func (w *work) lanes(ctx context.Context, entries []delivery.Entry, answers []delivery.Entered) error {
	var blocks bool
	if _, err := w.row(ctx, anyBlock, []any{w.consumer}, &blocks); err != nil {
		return err
	}
	type trail struct {
		lane  event.Lane
		topic string
	}
	marks := map[trail]delivery.Mark{}
	for i, e := range entries {
		if blocks {
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
		if !e.Marked {
			continue
		}
		mark, have := marks[trail{e.Lane, e.Topic}]
		if !have {
			var err error
			if mark, err = w.mark(ctx, e.Lane, e.Topic); err != nil {
				return err
			}
			marks[trail{e.Lane, e.Topic}] = mark
		}
		answers[i].Mark = mark
	}
	return nil
}

func (w *work) mark(ctx context.Context, lane event.Lane, topic string) (delivery.Mark, error) {
	m := delivery.Mark{Lane: lane, Topic: topic}
	var version int64
	var key []byte
	var whose string
	found, err := w.row(ctx, markOf, []any{w.consumer, lane.Type, lane.ID, topic}, &whose, &version, &m.Event, &key)
	if err != nil || !found {
		return m, err
	}
	m.Version, m.Was = uint64(version), uint64(version)
	if m.Borrowed = whose != topic; m.Borrowed {
		m.Was = 0
	}
	copy(m.Key[:], key)
	return m, nil
}
