package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
)

const (
	anyDue = `SELECT EXISTS (SELECT 1 FROM evc_block WHERE consumer = $1 AND (wake_at <= evc_now($2) OR wake_at > evc_now($2) + 46800000000))
		OR EXISTS (SELECT 1 FROM evc_replay WHERE consumer = $1 AND ` + replayIsDue + `)`
	takeBlocks = `WITH due AS (SELECT lane_type, lane_id FROM evc_block WHERE consumer = $1 AND (wake_at <= evc_now($2) OR wake_at > evc_now($2) + 46800000000) ORDER BY wake_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
		UPDATE evc_block b SET wake_at = evc_now($2) + $4, held_by = $5 FROM due
		WHERE b.consumer = $1 AND b.lane_type = due.lane_type AND b.lane_id = due.lane_id RETURNING b.lane_type, b.lane_id, b.why`
	parked = `SELECT p.key, p.version, p.envelope, p.payload, evc_now($5) - p.parked_at, coalesce(p.case_id, 0),
			coalesce(a.count, 0), coalesce(a.open, false), coalesce(a.first_at, 0), coalesce(a.error, ''), coalesce(a.build, '')
		FROM evc_parked p LEFT JOIN evc_attempt a ON a.consumer = p.consumer AND a.key = p.key
		WHERE p.consumer = $1 AND p.lane_type = $2 AND p.lane_id = $3`
	// Each has an index of its own: a lane may have very many.
	parkedByArrival = parked + ` ORDER BY p.case_id IS NULL, p.arrival LIMIT $4`
	parkedByVersion = parked + ` AND p.version <= coalesce(` + holding + `, 9223372036854775807) ORDER BY p.version, p.case_id IS NULL, p.arrival LIMIT $4`
)

// waitingAtOnce is the most events of a lane that are handed out with it.
const waitingAtOnce = 50

// Due implements delivery.InboxStore.
func (s *Store) Due(ctx context.Context, m delivery.Member, limit int, hold time.Duration) (due []delivery.Blocked, err error) {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return nil, err
	}
	var some bool
	err = s.pool.with(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, anyDue, consumer, s.at(), m.Instance).Scan(&some)
	})
	if err != nil || !some {
		return nil, err
	}
	err = s.begin(ctx, func(t *Tx) error {
		var paused bool
		if err := t.QueryRow(ctx, isPaused, consumer).Scan(&paused); err != nil {
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

func (t *Tx) take(ctx context.Context, consumer int64, m delivery.Member, limit int, hold time.Duration) (due []delivery.Blocked, err error) {
	rows, err := t.Query(ctx, takeBlocks, consumer, t.store.at(), limit, micros(hold), m.Instance)
	if err != nil {
		return nil, err
	}
	var b delivery.Blocked
	if _, err := pgx.ForEachRow(rows, []any{&b.Lane.Type, &b.Lane.ID, &b.Why}, func() error {
		due = append(due, b)
		return nil
	}); err != nil {
		return nil, err
	}
	query := parkedByArrival
	if m.ByVersion {
		query = parkedByVersion
	}
	for i := range due {
		lane := due[i].Lane
		waiting, err := t.waiting(ctx, query, consumer, lane.Type, lane.ID, waitingAtOnce, t.store.at())
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

// waiting reads events that wait, as a query selects them, until their payloads
// are enough.
func (t *Tx) waiting(ctx context.Context, query string, args ...any) (waiting []delivery.Waiting, err error) {
	rows, err := t.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for bytes := 0; bytes < delivery.MostBytes && rows.Next(); {
		w, err := scanWaiting(rows)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, w)
		bytes += len(w.Message.Payload)
	}
	rows.Close()
	return waiting, rows.Err()
}

func scanWaiting(rows pgx.Rows) (delivery.Waiting, error) {
	var w delivery.Waiting
	var key [16]byte
	var payload []byte
	var version, age, firstAt int64
	var envelope string
	a := &w.Attempt
	if err := rows.Scan(&key, &version, &envelope, &payload, &age, &w.Case, &a.Count, &a.Open, &firstAt, &a.Error, &a.Build); err != nil {
		return w, err
	}
	m := delivery.DecodeEnvelope([]byte(envelope))
	m.Payload = payload
	w.Key, w.Version, w.Message = key, uint64(version), m
	w.Age, a.Key, a.First = since(age, 0), w.Key, instant(firstAt)
	return w, nil
}
