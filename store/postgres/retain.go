package postgres

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

const (
	dropDay = `SELECT evc_log_drop(evc_now($1) - $2)`
	// What waits to be sent is remembered, however old it is.
	dropKeys = `DELETE FROM evc_event WHERE ctid >= $3::tid AND ctid < $4::tid
		AND appended_at < (SELECT least(evc_now($1) - $2, (SELECT appended_at - 3600000000 FROM evc_outbox ORDER BY seq LIMIT 1)))`
	blocksOfKeys = `SELECT pg_relation_size('evc_event') / current_setting('block_size')::bigint`
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
	events, err := s.forget(ctx, max(keep, remember))
	if err != nil {
		return days, fmt.Errorf("drop keys: %w", err)
	}
	messages, err := s.dropMessages(ctx, keep)
	if err != nil {
		return days + events, fmt.Errorf("drop messages of topics: %w", err)
	}
	return days + events + messages, nil
}

// sweep walks over the blocks of the keys, round and round. Keys are appended
// in the order of their age and forgotten in it, so what is forgotten next lies
// where something was forgotten last: there the next sweep begins, of whatever
// process, as the database keeps the place. An index of the age would cost every
// publisher what a sweep needs once an hour.
type sweep struct {
	going   bool
	block   int64
	dropped bool // something, so that the place is kept
}

const (
	sweepBlocks = 150 // some 5000 keys, in one transaction
	sweepBarren = 20  // pieces in a row without anything to forget end a sweep

	sweepPlace = `SELECT block FROM evc_sweep`
	sweepMoves = `UPDATE evc_sweep SET block = $1`
)

// forget drops keys of one piece of the table, the next one that has any.
func (s *Store) forget(ctx context.Context, remember time.Duration) (int, error) {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	at := &s.sweep
	if !at.going {
		*at = sweep{going: true}
		if err := s.begin(ctx, func(t *Tx) error { return t.QueryRow(ctx, sweepPlace).Scan(&at.block) }); err != nil {
			return 0, err
		}
	}
	first := at.block
	for range sweepBarren {
		n, last, err := s.forgetAt(ctx, at.block, remember)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			at.dropped = true
			return n, nil // and looks here again: the piece is empty then
		}
		if at.block += sweepBlocks; last {
			at.block = 0
		}
		if at.block == first {
			break // all of it
		}
	}
	at.going = false
	if at.dropped {
		return 0, nil
	}
	return 0, s.begin(ctx, func(t *Tx) error { t.Queue(sweepMoves, at.block); return nil })
}

// forgetAt drops the keys of a piece and says whether it is the table's last.
func (s *Store) forgetAt(ctx context.Context, block int64, remember time.Duration) (n int, last bool, err error) {
	var blocks int64
	err = s.begin(ctx, func(t *Tx) error {
		if err := t.QueryRow(ctx, blocksOfKeys).Scan(&blocks); err != nil {
			return err
		}
		tag, err := t.Exec(ctx, dropKeys, s.at(), micros(remember), tid(block), tid(block+sweepBlocks))
		if n = int(tag.RowsAffected()); n > 0 {
			t.Queue(sweepMoves, block)
		}
		return err
	})
	return n, block+sweepBlocks >= blocks, err
}

// tid is the place of a block's first row; a table has at most 2^32 blocks.
func tid(block int64) pgtype.TID {
	return pgtype.TID{BlockNumber: uint32(min(block, math.MaxUint32)), Valid: true}
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
