package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	anyDue = `SELECT EXISTS (SELECT 1 FROM evc_block WHERE consumer = ?1 AND wake_at <= ?2)
		OR EXISTS (SELECT 1 FROM evc_block WHERE consumer = ?1 AND wake_at > ?2 + 46800000000)
		OR EXISTS (SELECT 1 FROM evc_replay WHERE consumer = ?1 AND ` + replayIsDue + `)`
	// Not NULL says to SQLite what the index says: else it sorts all lanes.
	dueBlocks = `SELECT lane_type, lane_id, why FROM evc_block WHERE consumer = ?1 AND wake_at IS NOT NULL AND (wake_at <= ?2 OR wake_at > ?2 + 46800000000)
		ORDER BY wake_at LIMIT ?3`
	parked = `SELECT p.key, p.version, p.envelope, p.payload, p.parked_at, coalesce(p.case_id, 0),
			coalesce(a.count, 0), coalesce(a.open, 0), coalesce(a.first_at, 0), coalesce(a.error, ''), coalesce(a.build, '')
		FROM evc_parked p LEFT JOIN evc_attempt a ON a.consumer = p.consumer AND a.key = p.key
		WHERE p.consumer = ?1 AND p.lane_type = ?2 AND p.lane_id = ?3`
	// Each has an index of its own: a lane may have very many.
	parkedByArrival = parked + ` ORDER BY p.case_id IS NULL, p.arrival LIMIT ?4`
	parkedByVersion = parked + ` AND p.version <= coalesce(` + holding + `, 9223372036854775807) ORDER BY p.version, p.case_id IS NULL, p.arrival LIMIT ?4`
)

// waitingAtOnce is the most events of a lane that are handed out with it.
const waitingAtOnce = 50

// Due implements delivery.InboxStore.
func (s *Store) Due(ctx context.Context, m delivery.Member, limit int, hold time.Duration) ([]delivery.Blocked, error) {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return nil, err
	}
	now := s.now()
	var some bool
	if err := s.read.QueryRowContext(ctx, anyDue, consumer, now, m.Instance).Scan(&some); err != nil || !some {
		return nil, err
	}
	var due []delivery.Blocked
	err = s.begin(ctx, func(t *txn) error {
		var paused bool
		if _, err := t.row(ctx, isPaused, []any{consumer}, &paused); err != nil {
			return err
		}
		if !paused {
			if due, err = t.take(ctx, consumer, m, limit, hold); err != nil {
				return err
			}
		}
		rehearsals, err := t.takeRehearsals(ctx, consumer, m, hold)
		due = append(due, rehearsals...)
		return err
	})
	return due, err
}

func (t *txn) take(ctx context.Context, consumer int64, m delivery.Member, limit int, hold time.Duration) ([]delivery.Blocked, error) {
	due, err := t.dueLanes(ctx, consumer, limit)
	if err != nil {
		return nil, err
	}
	query := parkedByArrival
	if m.ByVersion {
		query = parkedByVersion
	}
	for i := range due {
		lane := due[i].Lane
		if _, err := t.exec(ctx, takeBlock, consumer, lane.Type, lane.ID, t.now()+micros(hold), m.Instance); err != nil {
			return nil, err
		}
		waiting, err := t.waiting(ctx, query, consumer, lane.Type, lane.ID, waitingAtOnce)
		if err != nil {
			return nil, err
		}
		due[i].Waiting = waiting
		for k := range due[i].Waiting {
			due[i].Waiting[k].Lane = lane
		}
	}
	return due, nil
}

func (t *txn) dueLanes(ctx context.Context, consumer int64, limit int) (due []delivery.Blocked, err error) {
	rows, err := t.tx.QueryContext(ctx, dueBlocks, consumer, t.now(), limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var b delivery.Blocked
		if err := rows.Scan(&b.Lane.Type, &b.Lane.ID, &b.Why); err != nil {
			return nil, err
		}
		due = append(due, b)
	}
	return due, rows.Err()
}

// waiting reads events that wait, as a query selects them, until their payloads
// are enough.
func (t *txn) waiting(ctx context.Context, query string, args ...any) (waiting []delivery.Waiting, err error) {
	rows, err := t.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for bytes := 0; bytes < delivery.MostBytes && rows.Next(); {
		w, err := t.scanWaiting(rows)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, w)
		bytes += len(w.Message.Payload)
	}
	return waiting, rows.Err()
}

func (t *txn) scanWaiting(rows *sql.Rows) (delivery.Waiting, error) {
	var w delivery.Waiting
	var key, payload []byte
	var version, parkedAt, firstAt int64
	var envelope string
	a := &w.Attempt
	if err := rows.Scan(&key, &version, &envelope, &payload, &parkedAt, &w.Case, &a.Count, &a.Open, &firstAt, &a.Error, &a.Build); err != nil {
		return w, err
	}
	if len(key) != len(event.Key{}) {
		return w, errors.New("parked event with a key that is none")
	}
	m := delivery.DecodeEnvelope([]byte(envelope))
	m.Payload = payload
	w.Key, w.Version, w.Message = event.Key(key), uint64(version), m
	w.Age, a.Key, a.First = since(t.now(), parkedAt), w.Key, instant(firstAt)
	return w, nil
}
