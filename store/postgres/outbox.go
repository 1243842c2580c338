package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	takeLock    = `SELECT pg_advisory_xact_lock(hashtext(current_schema()), $1)`
	dropRelays  = `DELETE FROM evc_relay WHERE until < evc_now($1) OR until > evc_now($1) + 3600000000`
	renewRelay  = `INSERT INTO evc_relay (owner, until, since) VALUES ($1, evc_now($3) + $2, evc_now($3)) ON CONFLICT (owner) DO UPDATE SET until = excluded.until`
	freeShards  = `UPDATE evc_shard SET owner = NULL WHERE owner IS NOT NULL AND owner NOT IN (SELECT owner FROM evc_relay)`
	shareShards = `WITH share AS (SELECT ($2::int + count(*) - 1) / count(*) AS n FROM evc_relay),
		mine AS (SELECT shard, row_number() OVER (ORDER BY shard) AS i FROM evc_shard WHERE owner = $1),
		surplus AS (UPDATE evc_shard SET owner = NULL WHERE shard IN (SELECT shard FROM mine, share WHERE i > share.n) RETURNING 1),
		free AS (SELECT shard, row_number() OVER (ORDER BY shard) AS i FROM evc_shard WHERE owner IS NULL),
		taken AS (UPDATE evc_shard SET owner = $1, epoch = epoch + 1 WHERE shard IN (SELECT shard FROM free, share WHERE i <= share.n - (SELECT count(*) FROM mine)) RETURNING 1)
		SELECT (SELECT count(*) FROM mine) - (SELECT count(*) FROM surplus) + (SELECT count(*) FROM taken)`
	ownShards    = `SELECT shard FROM evc_shard WHERE owner = $1 ORDER BY shard`
	makeDays     = `SELECT evc_log_days($1)`
	releaseRelay = `DELETE FROM evc_relay WHERE owner = $1`

	// The planner takes the outbox for empty, which it was when it last looked.
	planPending = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

	// The previous version of a lane comes out of what was published on the same
	// topic, so that a batch that is sent again is stamped the same.
	selectPending = `SELECT o.seq, o.id, o.key, o.event, o.revision, o.topic, o.lane_type, o.lane_id, o.version, (SELECT evc_now($2)) - o.appended_at,
			o.source, o.partition_key, o.time, o.content_type, o.headers, o.payload, coalesce(h.attempts, 0),
			CASE WHEN o.version > 1 THEN coalesce((SELECT p.version FROM evc_event p WHERE p.lane_type = o.lane_type AND p.lane_id = o.lane_id
				AND p.version > 0 AND p.version < o.version AND p.topic = o.topic ORDER BY p.version DESC LIMIT 1), 0) ELSE 0 END
		FROM evc_outbox o LEFT JOIN evc_hold h ON h.topic = o.topic AND h.lane_type = o.lane_type AND h.lane_id = o.lane_id
		WHERE o.seq >= $4 AND o.shard = ANY ($1::int[]) AND (h.until IS NULL OR h.until <= (SELECT evc_now($2)) OR h.until > (SELECT evc_now($2)) + 46800000000)
		ORDER BY o.seq LIMIT $3`
	isLeased  = `SELECT EXISTS (SELECT 1 FROM evc_relay WHERE owner = $1)`
	holdLease = `UPDATE evc_relay SET until = evc_now($3) + $2 WHERE owner = $1 RETURNING pg_current_xact_id()::text::bigint`

	settle = `WITH lease AS (UPDATE evc_relay SET until = evc_now($3) + $2 WHERE owner = $1 RETURNING evc_now($3) AS now),
		sent AS (DELETE FROM evc_outbox WHERE seq = ANY ($4) AND EXISTS (SELECT 1 FROM lease) RETURNING *),
		logged AS (INSERT INTO evc_log (day, seq, published_at, owner, id, key, event, revision, topic, lane_type, lane_id, version, source, partition_key, time, content_type, headers, payload, appended_at)
			SELECT (SELECT now / 86400000000 FROM lease), seq, (SELECT now FROM lease), $1, id, key, event, revision, topic, lane_type, lane_id, version, source, partition_key, time, content_type, headers, payload, appended_at FROM sent),
		freed AS (DELETE FROM evc_hold h USING unnest($5::text[], $6::text[], $7::text[]) AS f (topic, lane_type, lane_id)
			WHERE h.topic = f.topic AND h.lane_type = f.lane_type AND h.lane_id = f.lane_id AND EXISTS (SELECT 1 FROM lease)),
		held AS (INSERT INTO evc_hold (topic, lane_type, lane_id, attempts, until, error)
			SELECT topic, lane_type, lane_id, attempts, evc_now($3) + wait, error
			FROM unnest($8::text[], $9::text[], $10::text[], $11::int[], $12::bigint[], $13::text[]) AS f (topic, lane_type, lane_id, attempts, wait, error)
			WHERE EXISTS (SELECT 1 FROM lease)
			ON CONFLICT (topic, lane_type, lane_id) DO UPDATE SET attempts = excluded.attempts, until = excluded.until, error = excluded.error)
		SELECT count(*) FROM lease`
)

// relayLoops are two: while the server moves what one sent, this process reads
// and sends what the other one has.
const relayLoops = 2

// RelayLoops implements delivery.Looping.
func (s *Store) RelayLoops() int { return relayLoops }

// Lease implements delivery.OutboxStore.
func (s *Store) Lease(ctx context.Context, l delivery.Lease) (shards int, err error) {
	err = s.begin(ctx, func(t *Tx) error {
		t.Queue(takeLock, lockRelays)
		t.Queue(dropRelays, s.at())
		t.Queue(renewRelay, l.Owner, micros(l.For), s.at())
		t.Queue(freeShards)
		t.Queue(makeDays, s.at())
		if err := t.QueryRow(ctx, shareShards, l.Owner, delivery.Shards).Scan(&shards); err != nil {
			return err
		}
		rows, err := t.Query(ctx, ownShards, l.Owner)
		if err != nil {
			return err
		}
		own, err := pgx.CollectRows(rows, pgx.RowTo[int32])
		s.mu.Lock()
		if o := s.owners[l.Owner]; o == nil || !slices.Equal(o.shards, own) {
			s.owners[l.Owner] = &owned{shards: own}
		}
		s.mu.Unlock()
		return err
	})
	return shards, err
}

// Pending implements delivery.OutboxStore. The commit that renews the lease is
// synced and comes after the read: whatever was read is on disk by then. Where
// nothing waits it writes nothing either. Shards only move away from an owner by
// its own call of Lease, or with its lease.
func (s *Store) Pending(ctx context.Context, l delivery.Lease, limit int) (pending []delivery.Row, err error) {
	s.mu.Lock()
	o := s.owners[l.Owner]
	s.mu.Unlock()
	if o == nil {
		return nil, delivery.ErrFenced
	}
	err = s.pool.with(ctx, func(conn *pgx.Conn) error {
		from, look := o.floor.from(time.Now())
		leased := false
		batch := &pgx.Batch{}
		batch.Queue(planPending)
		batch.Queue(isLeased, l.Owner).QueryRow(func(row pgx.Row) error { return row.Scan(&leased) })
		batch.Queue(selectPending, o.shards, s.at(), s.pending.of(limit), from).Query(func(rows pgx.Rows) (err error) {
			pending, err = fill(rows, &s.pending, limit, scanPending, func(r *delivery.Row) int { return len(r.Message.Payload) })
			return err
		})
		if look {
			batch.Queue(firstPending, from, o.shards).QueryRow(o.floor.saw)
		}
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if leased && len(pending) > 0 {
			var xid int64
			switch err := conn.QueryRow(ctx, holdLease, l.Owner, micros(l.For), s.at()).Scan(&xid); {
			case errors.Is(err, pgx.ErrNoRows):
				leased = false
			case err != nil:
				return err
			}
			o.floor.handed(len(pending), xid)
		}
		if !leased {
			return delivery.ErrFenced
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pending, nil
}

func scanPending(rows pgx.CollectableRow) (delivery.Row, error) {
	var r delivery.Row
	var id, key [16]byte
	var revision, headers string
	var version, age, when, previous int64
	m := &r.Message
	if err := rows.Scan(&r.Seq, &id, &key, &m.Type, &revision, &m.Topic, &r.Lane.Type, &r.Lane.ID, &version, &age,
		&m.Source, &m.PartitionKey, &when, &m.ContentType, &headers, &m.Payload, &r.Attempts, &previous); err != nil {
		return r, err
	}
	m.ID, m.IdempotencyKey = event.ID(id).String(), event.Key(key).String()
	m.Subject, m.AggregateType = r.Lane.ID, r.Lane.Type
	m.Time, m.Schema = instant(when), delivery.SchemaOf(m.Type, revision)
	m.Version, m.Previous, m.Chained = uint64(version), uint64(previous), version > 0
	r.Age = since(age, 0)
	m.Headers = delivery.DecodeHeaders(headers)
	return r, nil
}

// Settle implements delivery.OutboxStore, in one statement.
func (s *Store) Settle(ctx context.Context, l delivery.Lease, sent []delivery.Row, held []delivery.Hold) error {
	var h holds
	waits := map[event.Lane]bool{}
	for _, hold := range held {
		waits[hold.Lane] = true
		h.add(hold)
	}
	seqs := make([]int64, len(sent))
	var freed holds
	for i, row := range sent {
		seqs[i] = row.Seq
		if row.Attempts > 0 && !waits[row.Lane] {
			freed.add(delivery.Hold{Topic: row.Message.Topic, Lane: row.Lane})
		}
	}
	return s.pool.with(ctx, func(conn *pgx.Conn) error {
		var leases int
		if err := conn.QueryRow(ctx, settle, l.Owner, micros(l.For), s.at(), seqs, freed.topics, freed.types, freed.ids,
			h.topics, h.types, h.ids, h.attempts, h.waits, h.errors).Scan(&leases); err != nil {
			return err
		}
		if leases == 0 {
			return delivery.ErrFenced
		}
		return nil
	})
}

// holds are holds as columns.
type holds struct {
	topics, types, ids []string
	attempts           []int
	waits              []int64
	errors             []string
}

func (h *holds) add(hold delivery.Hold) {
	h.topics, h.types, h.ids = append(h.topics, hold.Topic), append(h.types, hold.Lane.Type), append(h.ids, hold.Lane.ID)
	h.attempts, h.waits = append(h.attempts, hold.Attempts), append(h.waits, micros(hold.For))
	h.errors = append(h.errors, hold.Error)
}

// Release implements delivery.OutboxStore.
func (s *Store) Release(ctx context.Context, l delivery.Lease) error {
	s.wakers.Forget(l.Owner)
	return s.begin(ctx, func(t *Tx) error {
		t.Queue(takeLock, lockRelays)
		t.Queue(releaseRelay, l.Owner)
		t.Queue(freeShards)
		s.mu.Lock()
		delete(s.owners, l.Owner)
		s.mu.Unlock()
		return nil
	})
}
