package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	joinConsumer = `INSERT INTO evc_consumer (name, owner, revision, build, joined_at) VALUES ($1, $2, $3, $4, evc_now($5))
		ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, revision = excluded.revision, build = excluded.build, joined_at = excluded.joined_at
		RETURNING id`
	joinMember = `INSERT INTO evc_member (consumer, instance, revision, build, host, joined_at, seen_at) VALUES ($1, $2, $3, $4, $5, evc_now($6), evc_now($6))
		ON CONFLICT (consumer, instance) DO UPDATE SET seen_at = excluded.seen_at`
	touchRun   = `UPDATE evc_member SET seen_at = evc_now($3) WHERE consumer = $1 AND instance = $2`
	leave      = `UPDATE evc_member SET seen_at = 0, inflight = NULL WHERE consumer = $1 AND (instance = $2 OR left(instance, length($2) + 1) = $2 || '/')`
	consumerID = `SELECT id FROM evc_consumer WHERE name = $1`

	// What members that are gone left in flight. One that is only slow has its
	// keys adopted too: it notices when it records.
	strangers = `SELECT EXISTS (SELECT 1 FROM evc_member
		WHERE consumer = $1 AND inflight IS NOT NULL AND seen_at <= evc_now($3) - $4 AND left(instance, length($2)) <> $2)`
	adopt = `WITH gone AS (SELECT m.instance, m.build, m.inflight FROM evc_member m
			WHERE consumer = $1 AND inflight IS NOT NULL AND seen_at <= evc_now($3) - $4 AND left(instance, length($2)) <> $2 ORDER BY instance FOR UPDATE),
		taken AS (UPDATE evc_member m SET inflight = NULL, adopted = true FROM gone WHERE m.consumer = $1 AND m.instance = gone.instance)
		INSERT INTO evc_attempt (consumer, key, count, open, first_at, last_at, error, build)
		SELECT DISTINCT ON (k) $1::bigint, k, 1, true, evc_now($3), evc_now($3), '', gone.build FROM gone, unnest(gone.inflight) AS k
		WHERE NOT EXISTS (SELECT 1 FROM evc_seen s WHERE s.consumer = $1 AND s.key = k AND s.outcome <> 'parked') ORDER BY k
		ON CONFLICT DO NOTHING`
	releaseLanes = `UPDATE evc_block SET wake_at = evc_now($3), held_by = NULL WHERE consumer = $1 AND held_by IS NOT NULL AND left(held_by, length($2)) <> $2`

	// How many are parked, $2 at most; NULL where so few came since there were $3 of
	// them, and the newest was $4, that there cannot be as many, but for what others
	// had not committed by then.
	countParked = `SELECT newest, CASE WHEN $3 + greatest(newest - $4, 0) >= $2 THEN (SELECT count(*) FROM (SELECT FROM evc_parked WHERE consumer = $1 LIMIT $2) p) END
		FROM (SELECT coalesce(max(arrival), 0) AS newest FROM evc_parked) n`
	isPaused    = `SELECT paused FROM evc_consumer WHERE id = $1`
	setInflight = `UPDATE evc_member SET inflight = $3, seen_at = evc_now($4), adopted = false WHERE consumer = $1 AND instance = $2
		AND NOT (SELECT paused FROM evc_consumer WHERE id = $1)`
	addAttempts = `INSERT INTO evc_attempt (consumer, key, count, open, first_at, last_at, error, build)
		SELECT $1, k, 1, true, evc_now($3), evc_now($3), '', $4 FROM unnest($2::uuid[]) AS k WHERE NOT (SELECT paused FROM evc_consumer WHERE id = $1)
		ON CONFLICT (consumer, key) DO UPDATE SET count = evc_attempt.count + 1, open = true, last_at = excluded.last_at, build = excluded.build`
	attemptsOf = `SELECT key, count, open, first_at, last_at, error, build FROM evc_attempt a WHERE consumer = $1 AND key = ANY ($2)
		AND ($3 OR NOT EXISTS (SELECT 1 FROM evc_seen s WHERE s.consumer = $1 AND s.key = a.key))`
	// The note must outlive this process, not the server: a server that crashes
	// crashes no handler. An attempt is synced.
	noteLazily = `SELECT set_config('synchronous_commit', 'off', true)`
)

// goneAfter is how long a member that has events in flight may be silent before
// another one takes them for left behind.
const goneAfter = 10 * time.Second

// Join implements delivery.InboxStore, in steps that lock as Record says.
func (s *Store) Join(ctx context.Context, m delivery.Member) error {
	var id int64
	if err := s.pool.with(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, joinConsumer, m.Consumer, m.Owner, m.Revision, m.Build, s.at()).Scan(&id)
	}); err != nil {
		return err
	}
	batch := &pgx.Batch{} // without a begin it is one transaction
	batch.Queue(joinMember, id, m.Instance, m.Revision, m.Build, m.Host, s.at())
	run, _, worker := strings.Cut(m.Instance, "/")
	if worker {
		batch.Queue(touchRun, id, run, s.at())
	} else {
		batch.Queue(adopt, id, run, s.at(), int64(0))
	}
	if err := s.send(ctx, batch); err != nil {
		return err
	}
	if !worker {
		lanes := &pgx.Batch{}
		lanes.Queue(releaseLanes, id, run, s.at())
		if err := s.send(ctx, lanes); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.consumers[m.Consumer] = id
	return nil
}

// Leave implements delivery.InboxStore.
func (s *Store) Leave(ctx context.Context, m delivery.Member) error {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return err
	}
	return s.begin(ctx, func(t *Tx) error {
		_, err := t.Exec(ctx, leave, consumer, m.Instance)
		return err
	})
}

// consumer is the number of a consumer that has joined.
func (s *Store) consumer(ctx context.Context, name string) (id int64, err error) {
	s.mu.Lock()
	id, ok := s.consumers[name]
	s.mu.Unlock()
	if ok {
		return id, nil
	}
	err = s.pool.with(ctx, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, consumerID, name).Scan(&id) })
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("%s: %w", name, delivery.ErrNoConsumer)
	}
	return id, err
}

// Enlist implements delivery.InboxStore, in one round trip while nobody is gone.
func (s *Store) Enlist(ctx context.Context, m delivery.Member, keys []event.Key, attempt bool) (en delivery.Enlisted, err error) {
	consumer, err := s.consumer(ctx, m.Consumer)
	if err != nil {
		return en, err
	}
	run, _, _ := strings.Cut(m.Instance, "/")
	list := uuids(keys)
	for try := 0; ; try++ {
		var gone bool
		var noted int64
		batch := &pgx.Batch{}
		if !attempt {
			batch.Queue(noteLazily)
		}
		if !attempt && m.ParkAtMost > 0 {
			last := s.lastParked(consumer, m.ParkAtMost)
			batch.Queue(countParked, consumer, int64(m.ParkAtMost), last.events, last.newest).QueryRow(func(row pgx.Row) (err error) {
				en.Full, err = s.full(row, consumer, m.ParkAtMost)
				return err
			})
		}
		batch.Queue(isPaused, consumer).QueryRow(func(row pgx.Row) error { return row.Scan(&en.Paused) })
		batch.Queue(strangers, consumer, run, s.at(), micros(goneAfter)).QueryRow(func(row pgx.Row) error { return row.Scan(&gone) })
		batch.Queue(setInflight, consumer, m.Instance, list, s.at()).Exec(func(tag pgconn.CommandTag) error {
			noted = tag.RowsAffected()
			return nil
		})
		if attempt && try == 0 {
			batch.Queue(addAttempts, consumer, list, s.at(), m.Build)
		}
		batch.Queue(attemptsOf, consumer, list, attempt).Query(func(rows pgx.Rows) (err error) {
			en.Attempts, err = scanAttempts(rows)
			return err
		})
		if err := s.send(ctx, batch); err != nil || en.Paused {
			return en, err
		}
		if !gone && noted == 1 || try > 0 {
			return en, nil
		}
		// Somebody is gone, or this member was forgotten because it had nothing
		// to do for long.
		batch = &pgx.Batch{}
		batch.Queue(joinMember, consumer, m.Instance, m.Revision, m.Build, m.Host, s.at())
		batch.Queue(adopt, consumer, run, s.at(), micros(goneAfter))
		if err := s.send(ctx, batch); err != nil {
			return en, err
		}
	}
}

// parkedCount is how many events a consumer had parked when the newest parked
// one, of any consumer, had a number.
type parkedCount struct{ events, newest int64 }

// lastParked is what was counted last; if nothing was, it must be.
func (s *Store) lastParked(consumer int64, most int) parkedCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, known := s.parked[consumer]; known {
		return last
	}
	return parkedCount{events: int64(most)}
}

// full reads what countParked says. Events are counted only when there may be as
// many: with each batch it would take as long as there are many.
func (s *Store) full(row pgx.Row, consumer int64, most int) (bool, error) {
	var newest int64
	var counted *int64
	if err := row.Scan(&newest, &counted); err != nil || counted == nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if *counted >= int64(most) { // there may be more: others allow another number
		delete(s.parked, consumer)
		return true, nil
	}
	s.parked[consumer] = parkedCount{*counted, newest}
	return false, nil
}

func (s *Store) send(ctx context.Context, batch *pgx.Batch) error {
	return s.pool.with(ctx, func(conn *pgx.Conn) error { return conn.SendBatch(ctx, batch).Close() })
}

func scanAttempts(rows pgx.Rows) (map[event.Key]delivery.Attempt, error) {
	var found map[event.Key]delivery.Attempt
	for rows.Next() {
		var a delivery.Attempt
		var key [16]byte
		var firstAt, lastAt int64
		if err := rows.Scan(&key, &a.Count, &a.Open, &firstAt, &lastAt, &a.Error, &a.Build); err != nil {
			return nil, err
		}
		if found == nil {
			found = map[event.Key]delivery.Attempt{}
		}
		a.Key, a.First, a.Last = key, instant(firstAt), instant(lastAt)
		found[a.Key] = a
	}
	return found, rows.Err()
}

func uuids(keys []event.Key) [][16]byte {
	list := make([][16]byte, len(keys))
	for i, key := range keys {
		list[i] = key
	}
	return list
}
