package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	horizonOf  = `SELECT horizon FROM evc_consumer WHERE id = $1`
	insertSeen = `INSERT INTO evc_seen (consumer, key, bucket, outcome) SELECT $1, k, b, 'done' FROM unnest($2::uuid[], $3::int[]) AS e (k, b)
		ON CONFLICT DO NOTHING RETURNING key`
	claimSeen  = `UPDATE evc_seen SET outcome = 'done' WHERE consumer = $1 AND key = ANY ($2) AND outcome = $3 RETURNING key`
	outcomesOf = `SELECT key, outcome FROM evc_seen WHERE consumer = $1 AND key = ANY ($2)`
	blocksOf   = `SELECT b.lane_type, b.lane_id, b.why, coalesce(least(
			(SELECT min(p.version) FROM evc_parked p WHERE p.consumer = b.consumer AND p.lane_type = b.lane_type AND p.lane_id = b.lane_id AND p.version > 0),
			(SELECT min(q.version) FROM evc_quarantine q WHERE q.consumer = b.consumer AND q.lane_type = b.lane_type AND q.lane_id = b.lane_id
				AND q.holds AND q.state = 'open' AND q.version > 0)), 0)
		FROM evc_block b
		JOIN unnest($2::text[], $3::text[]) AS l (lane_type, lane_id) ON b.lane_type = l.lane_type AND b.lane_id = l.lane_id WHERE b.consumer = $1`
	// Every mark of each lane: which one counts is decided here.
	marksOf = `SELECT m.lane_type, m.lane_id, m.topic, m.version, m.event, m.key FROM evc_mark m
		JOIN unnest($2::text[], $3::text[]) AS l (lane_type, lane_id) ON m.lane_type = l.lane_type AND m.lane_id = l.lane_id WHERE m.consumer = $1`
)

// work is one transaction of an inbox.
type work struct {
	t        *Tx
	consumer int64
	member   delivery.Member
	entered  []event.Key
	newest   int // bucket that was recorded; 0: none
}

// Work implements delivery.InboxStore.
func (s *Store) Work(ctx context.Context, m delivery.Member, f func(context.Context, delivery.Work) error) error {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return err
	}
	w := &work{consumer: consumer, member: m}
	err = s.begin(ctx, func(t *Tx) error {
		w.t = t
		return f(ctx, w)
	})
	if err == nil && w.newest > 0 {
		s.committed(consumer, w.newest)
	}
	if raced(err) {
		return errors.Join(delivery.ErrRaced, err)
	}
	return err
}

// raced reports whether another member changed what the work had read. A key
// counts when it is the one of a mark or of parked events, and not one of the
// business.
func raced(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "EV003", "40001", "40P01": // a mark was moved, a serialization failure, a deadlock
		return true
	case "23505":
		return pg.TableName == "evc_mark"
	case "23503":
		return pg.TableName == "evc_parked" || pg.TableName == "evc_block"
	}
	return false
}

// Tx implements delivery.Work.
func (w *work) Tx() event.Tx { return own{w.t} }

// Try implements delivery.Work: what f queued is sent before it is judged.
func (w *work) Try(ctx context.Context, f func(context.Context) error) (failed, err error) {
	if err := w.t.flush(ctx); err != nil {
		return nil, err
	}
	if err := w.t.plain(ctx, "savepoint evc_try"); err != nil {
		return nil, err
	}
	if failed = f(ctx); failed == nil {
		failed = w.t.flush(ctx)
	}
	if failed == nil {
		return nil, w.t.plain(ctx, "release savepoint evc_try")
	}
	w.t.queue = &pgx.Batch{}
	if err := w.t.plain(context.WithoutCancel(ctx), "rollback to savepoint evc_try; release savepoint evc_try"); err != nil {
		return failed, errors.Join(failed, err)
	}
	w.t.broken = nil // the savepoint is behind it
	return failed, nil
}

// Enter implements delivery.Work, in one round trip with the begin. A second one
// asks what became of events that are not new, where there are any: behind the
// insert, so that it sees what another member committed while the insert waited.
func (w *work) Enter(ctx context.Context, entries []delivery.Entry) ([]delivery.Entered, error) {
	q := newQuestion(entries)
	w.entered = slices.Grow(w.entered, len(entries))
	for _, e := range entries {
		w.entered = append(w.entered, e.Key)
	}
	w.t.begin()
	q.ask(w.t.queue, w.consumer)
	if err := w.t.flush(ctx); err != nil {
		return nil, fmt.Errorf("enter: %w", err)
	}
	q.askAgain(w.t.queue, w.consumer)
	if err := w.t.flush(ctx); err != nil {
		return nil, fmt.Errorf("enter: %w", err)
	}
	return q.answers(entries), nil
}

// question is Enter as columns, sorted by key, and what came back.
type question struct {
	keys       [][16]byte // of new entries
	buckets    []int
	was        map[delivery.Outcome][][16]byte // of entries whose dedupe row exists
	all        [][16]byte
	types, ids []string // of the lanes
	mtypes     []string // of the lanes that need a mark
	mids       []string

	horizon  int
	claimed  map[event.Key]bool
	outcomes map[event.Key]delivery.Outcome
	blocked  map[event.Lane]delivery.Why
	waits    map[event.Lane]uint64
	marks    map[event.Lane][]delivery.Mark // of every topic
}

func newQuestion(entries []delivery.Entry) *question {
	n := len(entries)
	q := &question{
		keys: make([][16]byte, 0, n), buckets: make([]int, 0, n), all: make([][16]byte, 0, n), types: make([]string, 0, n), ids: make([]string, 0, n),
		was: map[delivery.Outcome][][16]byte{}, claimed: make(map[event.Key]bool, n), outcomes: map[event.Key]delivery.Outcome{},
		blocked: map[event.Lane]delivery.Why{}, waits: map[event.Lane]uint64{}, marks: map[event.Lane][]delivery.Mark{},
	}
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b delivery.Entry) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	lanes, marked := make(map[event.Lane]bool, n), make(map[event.Lane]bool, n)
	for _, e := range sorted {
		q.all = append(q.all, e.Key)
		if e.Was == "" {
			q.keys, q.buckets = append(q.keys, e.Key), append(q.buckets, e.Bucket)
		} else {
			q.was[e.Was] = append(q.was[e.Was], e.Key)
		}
		if !lanes[e.Lane] {
			lanes[e.Lane] = true
			q.types, q.ids = append(q.types, e.Lane.Type), append(q.ids, e.Lane.ID)
		}
		if e.Marked && !marked[e.Lane] {
			marked[e.Lane] = true
			q.mtypes, q.mids = append(q.mtypes, e.Lane.Type), append(q.mids, e.Lane.ID)
		}
	}
	return q
}

func (q *question) ask(batch *pgx.Batch, consumer int64) {
	if len(q.keys) > 0 {
		batch.Queue(insertSeen, consumer, q.keys, q.buckets).Query(q.scanClaimed)
	}
	// Behind the insert: a key that is forgotten between the two would be new and
	// not too old.
	batch.Queue(horizonOf, consumer).QueryRow(func(row pgx.Row) error { return row.Scan(&q.horizon) })
	for was, keys := range q.was {
		batch.Queue(claimSeen, consumer, keys, string(was)).Query(q.scanClaimed)
	}
	batch.Queue(blocksOf, consumer, q.types, q.ids).Query(func(rows pgx.Rows) error {
		var lane event.Lane
		var why string
		var waits int64
		_, err := pgx.ForEachRow(rows, []any{&lane.Type, &lane.ID, &why, &waits}, func() error {
			q.blocked[lane], q.waits[lane] = delivery.Why(why), uint64(waits)
			return nil
		})
		return err
	})
	if len(q.mids) > 0 {
		batch.Queue(marksOf, consumer, q.mtypes, q.mids).Query(q.scanMarks)
	}
}

// askAgain asks for the outcomes of what was not claimed.
func (q *question) askAgain(batch *pgx.Batch, consumer int64) {
	if len(q.claimed) == len(q.all) {
		return
	}
	known := slices.DeleteFunc(slices.Clone(q.all), func(key [16]byte) bool { return q.claimed[key] })
	batch.Queue(outcomesOf, consumer, known).Query(func(rows pgx.Rows) error {
		var key [16]byte
		var outcome string
		_, err := pgx.ForEachRow(rows, []any{&key, &outcome}, func() error {
			q.outcomes[key] = delivery.Outcome(outcome)
			return nil
		})
		return err
	})
}

func (q *question) scanClaimed(rows pgx.Rows) error {
	var key [16]byte
	_, err := pgx.ForEachRow(rows, []any{&key}, func() error {
		q.claimed[key] = true
		return nil
	})
	return err
}

func (q *question) scanMarks(rows pgx.Rows) error {
	var m delivery.Mark
	var version int64
	var key [16]byte
	_, err := pgx.ForEachRow(rows, []any{&m.Lane.Type, &m.Lane.ID, &m.Topic, &version, &m.Event, &key}, func() error {
		m.Version, m.Was, m.Key = uint64(version), uint64(version), key
		q.marks[m.Lane] = append(q.marks[m.Lane], m)
		return nil
	})
	return err
}

func (q *question) answers(entries []delivery.Entry) []delivery.Entered {
	answers := make([]delivery.Entered, len(entries))
	for i, e := range entries {
		a := &answers[i]
		if !q.claimed[e.Key] {
			a.Seen = cmp.Or(q.outcomes[e.Key], delivery.Done)
		}
		a.TooOld = a.Seen == "" && e.Was == "" && e.Bucket < q.horizon
		a.Blocked, a.Waits = q.blocked[e.Lane], q.waits[e.Lane]
		if e.Marked {
			a.Mark = markOf(q.marks[e.Lane], e)
		}
	}
	return answers
}

// markOf is the topic's own mark, else what the consumer kept under another
// order.
func markOf(marks []delivery.Mark, e delivery.Entry) delivery.Mark {
	best := delivery.Mark{}
	for _, m := range marks {
		if m.Topic == e.Topic {
			return m
		}
		if (e.Topic == "" || m.Topic == "") && m.Version > best.Version {
			best = m
			best.Was, best.Borrowed = 0, true
		}
	}
	best.Lane, best.Topic = e.Lane, e.Topic
	return best
}
