package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
)

const (
	anyCall   = `SELECT EXISTS (SELECT 1 FROM evc_effect WHERE next_at <= evc_now($1) OR next_at > evc_now($1) + 46800000000)`
	claimCall = `WITH due AS (SELECT key FROM evc_effect WHERE (next_at <= evc_now($1) OR next_at > evc_now($1) + 46800000000) AND name = ANY ($2) ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED)
		UPDATE evc_effect e SET held_by = $4, next_at = evc_now($1) + $5 FROM due WHERE e.key = due.key
		RETURNING e.key, e.name, e.consumer, e.event_key, e.request, e.state, e.attempts, evc_now($1) - e.created_at, e.reference, e.error`
	// Settled calls have no next time; one that is sent stays with its executor.
	answerCall = `UPDATE evc_effect SET state = $3::text, attempts = $4, reference = $6, error = $7,
		next_at = CASE WHEN $5::bigint >= 0 AND $3::text NOT IN ('confirmed', 'failed') THEN evc_now($8) + $5::bigint END,
		settled_at = CASE WHEN $3::text IN ('confirmed', 'failed') THEN evc_now($8) END,
		held_by = CASE WHEN $3::text = 'sent' THEN held_by END WHERE key = $1 AND held_by = $2`
)

// Claim implements delivery.CallStore.
func (s *Store) Claim(ctx context.Context, owner string, names []string, limit int, hold time.Duration) (calls []delivery.Call, err error) {
	err = s.pool.with(ctx, func(conn *pgx.Conn) error {
		var some bool
		if err := conn.QueryRow(ctx, anyCall, s.at()).Scan(&some); err != nil || !some {
			return err
		}
		rows, err := conn.Query(ctx, claimCall, s.at(), names, limit, owner, micros(hold))
		if err != nil {
			return err
		}
		calls, err = pgx.CollectRows(rows, scanCall)
		return err
	})
	return calls, err
}

func scanCall(row pgx.CollectableRow) (delivery.Call, error) {
	var c delivery.Call
	var key, fact [16]byte
	var age int64
	var state string
	err := row.Scan(&key, &c.Name, &c.Consumer, &fact, &c.Request, &state, &c.Attempts, &age, &c.Reference, &c.Error)
	c.Key, c.Event, c.State, c.Age = key, fact, delivery.CallState(state), since(age, 0)
	return c, err
}

// Answer implements delivery.CallStore.
func (s *Store) Answer(ctx context.Context, owner string, c delivery.Call) error {
	next := int64(-1)
	if c.Next >= 0 {
		next = micros(c.Next)
	}
	return s.pool.with(ctx, func(conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, answerCall, [16]byte(c.Key), owner, string(c.State), c.Attempts, next, c.Reference, c.Error, s.at())
		if err == nil && tag.RowsAffected() == 0 {
			return delivery.ErrFenced
		}
		return err
	})
}
