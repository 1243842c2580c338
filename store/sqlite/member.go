package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	joinConsumer = `INSERT INTO evc_consumer (name, owner, revision, build, joined_at) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, revision = excluded.revision, build = excluded.build, joined_at = excluded.joined_at
		RETURNING id`
	joinMember = `INSERT INTO evc_member (consumer, instance, revision, build, host, joined_at, seen_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
		ON CONFLICT (consumer, instance) DO UPDATE SET seen_at = excluded.seen_at`
	// A worker's sign of life is one of its run.
	touchRun   = `UPDATE evc_member SET seen_at = ?3 WHERE consumer = ?1 AND instance = ?2`
	leave      = `UPDATE evc_member SET seen_at = 0, inflight = NULL WHERE consumer = ?1 AND (instance = ?2 OR substr(instance, 1, length(?2) + 1) = ?2 || '/')`
	consumerID = `SELECT id FROM evc_consumer WHERE name = ?`

	// A member that is gone left keys in flight. One that is only slow has its
	// keys adopted too: it notices when it records.
	strangers = `SELECT instance, build, inflight FROM evc_member
		WHERE consumer = ?1 AND inflight IS NOT NULL AND seen_at <= ?2 AND substr(instance, 1, length(?3)) <> ?3`
	adoptKey = `INSERT INTO evc_attempt (consumer, key, count, open, first_at, last_at, error, build) SELECT ?1, ?2, 1, 1, ?3, ?3, '', ?4
		WHERE coalesce((SELECT outcome FROM evc_key WHERE consumer = ?1 AND key = ?2), ?5, 'parked') = 'parked' ON CONFLICT DO NOTHING`
	adopted = `UPDATE evc_member SET inflight = NULL, adopted = 1 WHERE consumer = ? AND instance = ?`

	// Lanes that others hold: if one of them is alive after all, the dedupe row
	// of a parked event lets only one of the two handle it.
	releaseLanes = `UPDATE evc_block SET wake_at = ?2, held_by = NULL WHERE consumer = ?1 AND held_by IS NOT NULL AND substr(held_by, 1, length(?3)) <> ?3`

	// How many are parked, ?2 at most; NULL where so few came since there were ?3 of
	// them, and the newest was ?4, that there cannot be as many.
	countParked = `SELECT newest, CASE WHEN ?3 + max(newest - ?4, 0) >= ?2 THEN (SELECT count(*) FROM (SELECT 1 FROM evc_parked WHERE consumer = ?1 LIMIT ?2)) END
		FROM (SELECT coalesce(max(arrival), 0) AS newest FROM evc_parked)`
	isPaused    = `SELECT paused FROM evc_consumer WHERE id = ?`
	setInflight = `UPDATE evc_member SET inflight = ?3, seen_at = ?4, adopted = 0 WHERE consumer = ?1 AND instance = ?2`
	addAttempt  = `INSERT INTO evc_attempt (consumer, key, count, open, first_at, last_at, error, build) VALUES (?1, ?2, 1, 1, ?3, ?3, '', ?4)
		ON CONFLICT (consumer, key) DO UPDATE SET count = count + 1, open = 1, last_at = excluded.last_at, build = excluded.build`
	anyAttempt = `SELECT EXISTS (SELECT 1 FROM evc_attempt WHERE consumer = ?)`
	attemptOf  = `SELECT count, open, first_at, last_at, error, build FROM evc_attempt WHERE consumer = ?1 AND key = ?2
		AND (?3 OR NOT ?4 AND NOT EXISTS (SELECT 1 FROM evc_key WHERE consumer = ?1 AND key = ?2))`
)

// goneAfter is how long a member that has events in flight may be silent before
// another one takes them for left behind.
const goneAfter = 10 * time.Second

// Join implements delivery.InboxStore.
func (s *Store) Join(ctx context.Context, m delivery.Member) error {
	now := s.now()
	var id int64
	err := s.begin(ctx, func(t *txn) error {
		if _, err := t.row(ctx, joinConsumer, []any{m.Consumer, m.Owner, m.Revision, m.Build, now}, &id); err != nil {
			return err
		}
		if _, err := t.exec(ctx, joinMember, id, m.Instance, m.Revision, m.Build, m.Host, now); err != nil {
			return err
		}
		if run, _, worker := strings.Cut(m.Instance, "/"); worker {
			_, err := t.exec(ctx, touchRun, id, run, now)
			return err
		}
		if _, err := t.exec(ctx, releaseLanes, id, now, m.Instance); err != nil {
			return err
		}
		return t.adopt(ctx, id, m, now)
	})
	if err == nil {
		s.mu.Lock()
		s.consumers[m.Consumer] = id
		s.mu.Unlock()
	}
	return err
}

// Leave implements delivery.InboxStore.
func (s *Store) Leave(ctx context.Context, m delivery.Member) error {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return err
	}
	return s.begin(ctx, func(t *txn) error {
		_, err := t.exec(ctx, leave, consumer, m.Instance)
		return err
	})
}

// consumer is the number of a consumer that has joined.
func (s *Store) consumer(ctx context.Context, name string) (int64, error) {
	s.mu.Lock()
	id, ok := s.consumers[name]
	s.mu.Unlock()
	if ok {
		return id, nil
	}
	err := s.read.QueryRowContext(ctx, consumerID, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("%s: %w", name, delivery.ErrNoConsumer)
	}
	return id, err
}

type stranger struct {
	instance, build string
	inflight        []byte
}

// adopt makes suspects of what members that were silent since then left in
// flight.
func (t *txn) adopt(ctx context.Context, consumer int64, m delivery.Member, before int64) error {
	left, err := t.strangers(ctx, consumer, m, before)
	if err != nil || len(left) == 0 {
		return err
	}
	log, err := t.log(consumer)
	if err != nil {
		return err
	}
	for _, x := range left {
		for keys := x.inflight; len(keys) >= 16; keys = keys[16:] {
			var done any
			if log.has(event.Key(keys[:16])) {
				done = string(delivery.Done)
			}
			if _, err := t.exec(ctx, adoptKey, consumer, keys[:16], t.now(), x.build, done); err != nil {
				return err
			}
		}
		if _, err := t.exec(ctx, adopted, consumer, x.instance); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) strangers(ctx context.Context, consumer int64, m delivery.Member, before int64) (left []stranger, err error) {
	run, _, _ := strings.Cut(m.Instance, "/")
	rows, err := t.tx.QueryContext(ctx, strangers, consumer, before, run)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var x stranger
		if err := rows.Scan(&x.instance, &x.build, &x.inflight); err != nil {
			return nil, err
		}
		left = append(left, x)
	}
	return left, rows.Err()
}

// Enlist implements delivery.InboxStore.
func (s *Store) Enlist(ctx context.Context, m delivery.Member, keys []event.Key, attempt bool) (en delivery.Enlisted, err error) {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return en, err
	}
	now := s.now()
	err = s.begin(ctx, func(t *txn) error {
		if _, err := t.row(ctx, isPaused, []any{consumer}, &en.Paused); err != nil || en.Paused {
			return err
		}
		if !attempt && m.ParkAtMost > 0 {
			if en.Full, err = t.full(ctx, consumer, m.ParkAtMost); err != nil || en.Full {
				return err
			}
		}
		if err := t.adopt(ctx, consumer, m, now-micros(goneAfter)); err != nil {
			return err
		}
		if err := t.setInflight(ctx, consumer, m, keys, now); err != nil {
			return err
		}
		if attempt {
			for _, key := range keys {
				if _, err := t.exec(ctx, addAttempt, consumer, key[:], now, m.Build); err != nil {
					return err
				}
			}
		}
		en.Attempts, err = t.attempts(ctx, consumer, keys, attempt)
		return err
	})
	return en, err
}

// parkedCount is how many events a consumer had parked when the newest parked
// one, of any consumer, had a number. Numbers only grow (AUTOINCREMENT).
type parkedCount struct{ events, newest int64 }

// full reports whether so many events are parked. They are counted only when they
// may be: with each batch it would take as long as there are many.
func (t *txn) full(ctx context.Context, consumer int64, most int) (bool, error) {
	last, known := t.store.parked[consumer]
	if !known {
		last.events = int64(most)
	}
	var newest int64
	var counted sql.NullInt64
	if _, err := t.row(ctx, countParked, []any{consumer, most, last.events, last.newest}, &newest, &counted); err != nil || !counted.Valid {
		return false, err
	}
	if counted.Int64 >= int64(most) { // there may be more: others allow another number
		delete(t.store.parked, consumer)
		return true, nil
	}
	t.store.parked[consumer] = parkedCount{counted.Int64, newest}
	return false, nil
}

// setInflight also brings back the row of a member that was forgotten because it
// had nothing to do for long.
func (t *txn) setInflight(ctx context.Context, consumer int64, m delivery.Member, keys []event.Key, now int64) error {
	n, err := t.exec(ctx, setInflight, consumer, m.Instance, blob(keys), now)
	if err != nil || n > 0 {
		return err
	}
	if _, err := t.exec(ctx, joinMember, consumer, m.Instance, m.Revision, m.Build, m.Host, now); err != nil {
		return err
	}
	_, err = t.exec(ctx, setInflight, consumer, m.Instance, blob(keys), now)
	return err
}

// attempts are those of the keys that have any, which in health is none. Only
// with all do they include keys that are parked.
func (t *txn) attempts(ctx context.Context, consumer int64, keys []event.Key, all bool) (map[event.Key]delivery.Attempt, error) {
	var some bool
	if _, err := t.row(ctx, anyAttempt, []any{consumer}, &some); err != nil || !some {
		return nil, err
	}
	log, err := t.log(consumer)
	if err != nil {
		return nil, err
	}
	found := map[event.Key]delivery.Attempt{}
	for _, key := range keys {
		a := delivery.Attempt{Key: key}
		var firstAt, lastAt int64
		ok, err := t.row(ctx, attemptOf, []any{consumer, key[:], all, log.has(key)}, &a.Count, &a.Open, &firstAt, &lastAt, &a.Error, &a.Build)
		if err != nil {
			return nil, err
		}
		if ok {
			a.First, a.Last = instant(firstAt), instant(lastAt)
			found[key] = a
		}
	}
	return found, nil
}

// blob is keys one after the other.
func blob(keys []event.Key) []byte {
	b := make([]byte, 0, 16*len(keys))
	for _, key := range keys {
		b = append(b, key[:]...)
	}
	return b
}

// log is what is known of the keys that came last.
func (t *txn) log(consumer int64) (log *recent, err error) {
	err = t.direct(func(c *conn) error {
		log, _, err = t.recent(c, consumer)
		return err
	})
	return log, err
}
