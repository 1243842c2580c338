package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	anyCall  = `SELECT EXISTS (SELECT 1 FROM evc_effect WHERE next_at <= ?1 OR next_at > ?1 + 46800000000)`
	dueCalls = `SELECT key, name, consumer, event_key, request, state, attempts, created_at, reference, error FROM evc_effect
		WHERE next_at IS NOT NULL AND +(next_at <= ?1 OR next_at > ?1 + 46800000000) AND name IN (SELECT value FROM json_each(?2)) ORDER BY next_at LIMIT ?3`
	holdCall = `UPDATE evc_effect SET held_by = ?2, next_at = ?3 WHERE key = ?1`
	// Settled calls have no next time; one that is sent stays with its executor.
	answerCall = `UPDATE evc_effect SET state = ?3, attempts = ?4, next_at = ?5, reference = ?6, error = ?7, settled_at = ?8,
		held_by = CASE WHEN ?3 = 'sent' THEN held_by END WHERE key = ?1 AND held_by = ?2`
)

// Claim implements delivery.CallStore.
func (s *Store) Claim(ctx context.Context, owner string, names []string, limit int, hold time.Duration) ([]delivery.Call, error) {
	now := s.now()
	var some bool
	if err := s.read.QueryRowContext(ctx, anyCall, now).Scan(&some); err != nil || !some {
		return nil, err
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	var calls []delivery.Call
	err = s.begin(ctx, func(t *txn) error {
		if calls, err = t.dueCalls(ctx, now, string(list), limit); err != nil {
			return err
		}
		for _, c := range calls {
			if _, err := t.exec(ctx, holdCall, c.Key[:], owner, now+micros(hold)); err != nil {
				return err
			}
		}
		return nil
	})
	return calls, err
}

func (t *txn) dueCalls(ctx context.Context, now int64, names string, limit int) (calls []delivery.Call, err error) {
	rows, err := t.tx.QueryContext(ctx, dueCalls, now, names, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		c, err := scanCall(rows, now)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, rows.Err()
}

func scanCall(rows *sql.Rows, now int64) (delivery.Call, error) {
	var c delivery.Call
	var key, fact []byte
	var created int64
	err := rows.Scan(&key, &c.Name, &c.Consumer, &fact, &c.Request, &c.State, &c.Attempts, &created, &c.Reference, &c.Error)
	if err != nil {
		return c, err
	}
	copy(c.Key[:], key)
	c.Event = event.Key(fact)
	c.Age = since(now, created)
	return c, nil
}

// Answer implements delivery.CallStore.
func (s *Store) Answer(ctx context.Context, owner string, c delivery.Call) error {
	now := s.now()
	var next, settled any
	switch {
	case c.State == delivery.CallConfirmed || c.State == delivery.CallFailed:
		settled = now
	case c.Next >= 0:
		next = now + micros(c.Next)
	}
	return s.begin(ctx, func(t *txn) error {
		n, err := t.exec(ctx, answerCall, c.Key[:], owner, string(c.State), c.Attempts, next, c.Reference, c.Error, settled)
		if err == nil && n == 0 {
			return delivery.ErrFenced
		}
		return err
	})
}
