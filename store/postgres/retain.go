package postgres

import (
	"context"
	"fmt"
	"time"
)

const (
	dropDay = `SELECT evc_log_drop(evc_now($1) - $2)`
	// What waits to be sent is remembered, however old it is.
	dropEvents = `DELETE FROM evc_event WHERE ctid = ANY (ARRAY (SELECT ctid FROM evc_event
		WHERE appended_at < least(evc_now($1) - $2, (SELECT appended_at - 3600000000 FROM evc_outbox ORDER BY seq LIMIT 1)) LIMIT $3))`
	// A topic's messages stay until every group that reads it has passed them.
	dropTopic = `DELETE FROM evc_topic WHERE pos IN (SELECT t.pos FROM evc_topic t WHERE t.published_at < evc_now($1) - $2
		AND NOT EXISTS (SELECT 1 FROM evc_cursor c WHERE c.topic = t.topic AND c.pos < t.pos) ORDER BY t.pos LIMIT $3)`
	oldestTopic = `SELECT coalesce((SELECT published_at FROM evc_topic ORDER BY pos LIMIT 1) < evc_now($1) - $2, false)`
)

// retainPiece bounds one transaction of retention.
const retainPiece = 5000

// Retain implements delivery.OutboxStore.
func (s *Store) Retain(ctx context.Context, keep, remember time.Duration) (int, error) {
	var days int
	err := s.begin(ctx, func(t *Tx) error {
		return t.QueryRow(ctx, dropDay, s.at(), micros(keep)).Scan(&days)
	})
	if err != nil {
		return 0, fmt.Errorf("drop a day of the log: %w", err)
	}
	events, err := s.drop(ctx, dropEvents, max(keep, remember))
	if err != nil {
		return days, fmt.Errorf("drop keys: %w", err)
	}
	messages, err := s.dropMessages(ctx, keep)
	if err != nil {
		return days + events, fmt.Errorf("drop messages of topics: %w", err)
	}
	return days + events + messages, nil
}

// dropMessages looks at the oldest first: rows lie in the order of their age.
func (s *Store) dropMessages(ctx context.Context, keep time.Duration) (n int, err error) {
	var pays bool
	if err := s.begin(ctx, func(t *Tx) error {
		return t.QueryRow(ctx, oldestTopic, s.at(), micros(keep)).Scan(&pays)
	}); err != nil || !pays {
		return 0, err
	}
	return s.drop(ctx, dropTopic, keep)
}

func (s *Store) drop(ctx context.Context, query string, keep time.Duration) (int, error) {
	var n int64
	err := s.begin(ctx, func(t *Tx) error {
		tag, err := t.Exec(ctx, query, s.at(), micros(keep), retainPiece)
		n = tag.RowsAffected()
		return err
	})
	return int(n), err
}
