package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	renewRelay   = `INSERT INTO evc_relay (owner, until, since) VALUES (?1, ?2, ?3) ON CONFLICT (owner) DO UPDATE SET until = excluded.until`
	dropRelays   = `DELETE FROM evc_relay WHERE until < ?1 OR until > ?1 + 3600000000`
	freeShards   = `UPDATE evc_shard SET owner = NULL WHERE owner IS NOT NULL AND owner NOT IN (SELECT owner FROM evc_relay)`
	countRelays  = `SELECT count(*) FROM evc_relay`
	surplus      = `UPDATE evc_shard SET owner = NULL WHERE shard IN (SELECT shard FROM evc_shard WHERE owner = ?1 ORDER BY shard DESC LIMIT max(0, (SELECT count(*) FROM evc_shard WHERE owner = ?1) - ?2))`
	takeShards   = `UPDATE evc_shard SET owner = ?1, epoch = epoch + 1 WHERE shard IN (SELECT shard FROM evc_shard WHERE owner IS NULL ORDER BY shard LIMIT max(0, ?2 - (SELECT count(*) FROM evc_shard WHERE owner = ?1)))`
	countShards  = `SELECT count(*) FROM evc_shard WHERE owner = ?`
	haveLease    = `SELECT 1 FROM evc_relay WHERE owner = ?`
	holdLease    = `UPDATE evc_relay SET until = ?2 WHERE owner = ?1`
	releaseRelay = `DELETE FROM evc_relay WHERE owner = ?`

	// The previous version of a lane comes out of what was published on the same
	// topic, so that a batch that is sent again is stamped the same.
	selectPending = `SELECT o.seq, e.id, e.key, e.event, e.revision, e.topic, e.lane_type, e.lane_id, e.version, e.appended_at,
			e.source, e.partition_key, e.time, e.content_type, e.headers, e.payload, coalesce(h.attempts, 0),
			CASE WHEN e.version > 1 THEN coalesce((SELECT p.version FROM evc_event p WHERE p.lane_type = e.lane_type AND p.lane_id = e.lane_id
				AND p.version > 0 AND p.version < e.version AND p.topic = e.topic ORDER BY p.version DESC LIMIT 1), 0) ELSE 0 END
		FROM evc_outbox o JOIN evc_event e ON e.seq = o.seq
		LEFT JOIN evc_hold h ON h.topic = e.topic AND h.lane_type = e.lane_type AND h.lane_id = e.lane_id
		WHERE o.shard IN (SELECT shard FROM evc_shard WHERE owner = ?1) AND (h.until IS NULL OR h.until <= ?2 OR h.until > ?2 + 46800000000)
		ORDER BY o.seq LIMIT ?3`

	noteSent   = `INSERT INTO evc_sent (owner, published_at, seqs) VALUES (?, ?, ?)`
	deleteSent = `DELETE FROM evc_outbox WHERE seq IN (SELECT value FROM json_each(?))`
	dropHold   = `DELETE FROM evc_hold WHERE topic = ? AND lane_type = ? AND lane_id = ?`
	setHold    = `INSERT INTO evc_hold (topic, lane_type, lane_id, attempts, until, error) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (topic, lane_type, lane_id) DO UPDATE SET attempts = excluded.attempts, until = excluded.until, error = excluded.error`

	// Rows lie in the order of their age, so what may go is at the head. No look
	// goes further than some pieces, however little it finds: it holds the write
	// lock, and what waits to be sent for days is not much.
	dropPayloads = `UPDATE evc_event SET payload = NULL, headers = '' WHERE seq IN (SELECT seq FROM ` + unswept + `
		WHERE payload IS NOT NULL AND appended_at < ?1 AND seq NOT IN (SELECT seq FROM evc_outbox) LIMIT ?2)`
	unswept = `(SELECT seq, appended_at, payload FROM evc_event WHERE seq > (SELECT seq FROM evc_sweep) ORDER BY seq LIMIT 20 * ?2)`
	// The next look begins at what this one left. What still waits to be sent it
	// passes by: unsweep comes back for it.
	sweep = `UPDATE evc_sweep SET seq = n.seq FROM (SELECT coalesce(
			(SELECT min(seq) - 1 FROM ` + unswept + ` WHERE payload IS NOT NULL AND (appended_at >= ?1 OR seq NOT IN (SELECT seq FROM evc_outbox))),
			(SELECT max(seq) FROM ` + unswept + `)) AS seq) n WHERE evc_sweep.seq <> n.seq`
	unsweep = `UPDATE evc_sweep SET seq = ?1 - 1 WHERE seq >= ?1`
	// The newest event stays, so that no sequence is drawn twice.
	oldEvents = `SELECT seq FROM (SELECT seq, appended_at FROM evc_event ORDER BY seq LIMIT 20 * ?2)
		WHERE appended_at < ?1 AND seq < (SELECT max(seq) FROM evc_event) AND seq NOT IN (SELECT seq FROM evc_outbox) LIMIT ?2`
	dropEventIDs = `DELETE FROM evc_id WHERE id IN (SELECT id FROM evc_event WHERE seq IN (SELECT value FROM json_each(?)))`
	dropEvents   = `DELETE FROM evc_event WHERE seq IN (SELECT value FROM json_each(?))`
	anyRecentID  = `SELECT EXISTS (SELECT 1 FROM evc_recent_id WHERE first <= ?)`
	dropSent     = `DELETE FROM evc_sent WHERE published_at < ?1 AND id IN (SELECT id FROM evc_sent ORDER BY id LIMIT ?2)`
	// A topic's messages stay until every group that reads it has passed them.
	topicsOf = `WITH RECURSIVE t (topic) AS (SELECT min(topic) FROM evc_topic UNION ALL SELECT (SELECT min(topic) FROM evc_topic WHERE topic > t.topic) FROM t WHERE t.topic IS NOT NULL)
		SELECT topic FROM t WHERE topic IS NOT NULL`
	dropTopic = `DELETE FROM evc_topic WHERE pos IN (SELECT pos FROM (SELECT pos, published_at FROM evc_topic
		WHERE topic = ?3 AND pos <= coalesce((SELECT min(c.pos) FROM evc_cursor c WHERE c.topic = ?3), 9223372036854775807) ORDER BY pos LIMIT ?2) WHERE published_at < ?1)`
	// Rows lie in the order of their age, so the oldest say whether a look pays.
	oldestUnswept = `SELECT appended_at FROM evc_event WHERE seq > (SELECT seq FROM evc_sweep) ORDER BY seq LIMIT 1`
	oldestEvent   = `SELECT appended_at FROM evc_event ORDER BY seq LIMIT 1`
	oldestSent    = `SELECT published_at FROM evc_sent ORDER BY id LIMIT 1`
	oldestOf      = `SELECT published_at FROM evc_topic WHERE topic = ? ORDER BY pos LIMIT 1`
)

// retainPiece bounds one transaction of retention, for which writers wait.
const retainPiece = 1000

// Lease implements delivery.OutboxStore.
func (s *Store) Lease(ctx context.Context, l delivery.Lease) (shards int, err error) {
	now := s.now()
	err = s.begin(ctx, func(t *txn) error {
		if _, err := t.exec(ctx, dropRelays, now); err != nil {
			return err
		}
		if _, err := t.exec(ctx, renewRelay, l.Owner, now+micros(l.For), now); err != nil {
			return err
		}
		if _, err := t.exec(ctx, freeShards); err != nil {
			return err
		}
		var relays int
		if _, err := t.row(ctx, countRelays, nil, &relays); err != nil {
			return err
		}
		share := (delivery.Shards + relays - 1) / relays
		if _, err := t.exec(ctx, surplus, l.Owner, share); err != nil {
			return err
		}
		if _, err := t.exec(ctx, takeShards, l.Owner, share); err != nil {
			return err
		}
		_, err := t.row(ctx, countShards, []any{l.Owner}, &shards)
		return err
	})
	return shards, err
}

// Pending implements delivery.OutboxStore. It needs no lock and writes nothing:
// a row that can be seen has been synced, because every commit here is.
func (s *Store) Pending(ctx context.Context, l delivery.Lease, limit int) (pending []delivery.Row, err error) {
	err = s.reading(ctx, func(c *conn) error {
		ours := false
		have := func([]driver.Value) error { ours = true; return nil }
		if err := c.each(ctx, haveLease, have, l.Owner); err != nil {
			return err
		}
		if !ours {
			return delivery.ErrFenced
		}
		now := s.now()
		pending = make([]delivery.Row, 0, limit)
		bytes := 0
		return enough(c.each(ctx, selectPending, func(v []driver.Value) error {
			row, err := pendingRow(v, now)
			pending = append(pending, row)
			if bytes += len(row.Message.Payload); err == nil && bytes >= delivery.MostBytes {
				return errEnough
			}
			return err
		}, l.Owner, now, int64(limit)))
	})
	return pending, err
}

// errEnough ends the reading of rows whose payloads reach delivery.MostBytes.
var errEnough = errors.New("enough was read")

func enough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// pendingRow takes a row of selectPending apart: the tables are strict, so that
// each column has its type.
func pendingRow(v []driver.Value, now int64) (r delivery.Row, err error) {
	text := func(i int) string { return v[i].(string) }
	number := func(i int) int64 { return v[i].(int64) }
	id, key := v[1].([]byte), v[2].([]byte)
	payload, have := v[15].([]byte)
	if len(id) != len(event.ID{}) || len(key) != len(event.Key{}) || !have {
		return r, fmt.Errorf("event %d of the outbox has no payload, or an id or a key that is none", number(0))
	}
	version := number(8)
	r.Seq, r.Lane, r.Attempts = number(0), event.Lane{Type: text(6), ID: text(7)}, int(number(16))
	r.Age = since(now, number(9))
	m := &r.Message
	m.ID, m.IdempotencyKey = event.ID(id).String(), event.Key(key).String()
	m.Type, m.Topic, m.Subject, m.AggregateType = text(3), text(5), r.Lane.ID, r.Lane.Type
	m.Source, m.PartitionKey, m.ContentType = text(10), text(11), text(13)
	m.Time, m.Schema = instant(number(12)), delivery.SchemaOf(m.Type, text(4))
	m.Version, m.Previous, m.Chained = uint64(version), uint64(number(17)), version > 0
	m.Payload = payload
	m.Headers = delivery.DecodeHeaders(text(14))
	return r, nil
}

// Settle implements delivery.OutboxStore.
func (s *Store) Settle(ctx context.Context, l delivery.Lease, sent []delivery.Row, held []delivery.Hold) error {
	now := s.now()
	return s.begin(ctx, func(t *txn) error {
		n, err := t.exec(ctx, holdLease, l.Owner, now+micros(l.For))
		if err != nil {
			return err
		}
		if n == 0 {
			return delivery.ErrFenced
		}
		if err := t.settleSent(ctx, l, sent, now); err != nil {
			return err
		}
		for _, h := range held {
			if _, err := t.exec(ctx, setHold, h.Topic, h.Lane.Type, h.Lane.ID, h.Attempts, now+micros(h.For), h.Error); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *txn) settleSent(ctx context.Context, l delivery.Lease, sent []delivery.Row, now int64) error {
	if len(sent) == 0 {
		return nil
	}
	seqs, least := make([]int64, len(sent)), sent[0].Seq
	for i, row := range sent {
		seqs[i], least = row.Seq, min(least, row.Seq)
		if row.Attempts > 0 {
			if _, err := t.exec(ctx, dropHold, row.Message.Topic, row.Lane.Type, row.Lane.ID); err != nil {
				return err
			}
		}
	}
	list, err := json.Marshal(seqs)
	if err != nil {
		return err
	}
	if _, err := t.exec(ctx, deleteSent, string(list)); err != nil {
		return err
	}
	if _, err := t.exec(ctx, unsweep, least); err != nil {
		return err
	}
	_, err = t.exec(ctx, noteSent, l.Owner, now, string(list))
	return err
}

// Release implements delivery.OutboxStore.
func (s *Store) Release(ctx context.Context, l delivery.Lease) error {
	s.wakers.Forget(l.Owner)
	return s.begin(ctx, func(t *txn) error {
		if _, err := t.exec(ctx, releaseRelay, l.Owner); err != nil {
			return err
		}
		_, err := t.exec(ctx, freeShards)
		return err
	})
}

// Await implements delivery.OutboxStore: Append of this process ends it early
// when its transaction has committed.
func (s *Store) Await(ctx context.Context, l delivery.Lease, d time.Duration) error {
	return s.wakers.Wait(ctx, l.Owner, d)
}

// Retain implements delivery.OutboxStore.
func (s *Store) Retain(ctx context.Context, keep, remember time.Duration) (int, error) {
	now := s.now()
	payloads, err := s.drop(ctx, oldestUnswept, now-micros(keep), []string{dropPayloads, sweep})
	if err != nil {
		return payloads, fmt.Errorf("drop payloads: %w", err)
	}
	events, err := s.dropEvents(ctx, now-micros(max(keep, remember)))
	if err != nil {
		return payloads, fmt.Errorf("drop keys: %w", err)
	}
	sent, err := s.drop(ctx, oldestSent, now-micros(max(keep, remember)), []string{dropSent})
	if err != nil {
		return payloads + events, fmt.Errorf("drop notes of sent batches: %w", err)
	}
	messages, err := s.dropMessages(ctx, now-micros(keep))
	if err != nil {
		return payloads + events + sent, fmt.Errorf("drop messages of topics: %w", err)
	}
	return payloads + events + sent + messages, nil
}

// dropEvents forgets a piece of the oldest events. Their ids are forgotten where
// they have moved to.
func (s *Store) dropEvents(ctx context.Context, before int64) (dropped int, err error) {
	pays, err := s.pays(ctx, oldestEvent, before)
	if err != nil || !pays {
		return 0, err
	}
	err = s.begin(ctx, func(t *txn) error {
		return t.direct(func(c *conn) error {
			dropped, err = c.dropEvents(before)
			return err
		})
	})
	return dropped, err
}

func (c *conn) dropEvents(before int64) (int, error) {
	var seqs []int64
	if err := c.query(oldEvents, func(row []driver.Value) error {
		seqs = append(seqs, row[0].(int64))
		return nil
	}, before, int64(retainPiece)); err != nil || len(seqs) == 0 {
		return 0, err
	}
	if err := c.moveIDs(slices.Max(seqs)); err != nil {
		return 0, err
	}
	list, err := json.Marshal(seqs)
	if err != nil {
		return 0, err
	}
	if _, err := c.exec(dropEventIDs, string(list)); err != nil {
		return 0, err
	}
	_, err = c.exec(dropEvents, string(list))
	return len(seqs), err
}

// moveIDs takes those of the events up to one out of the log. What the connection
// knows of the log it reads anew afterwards: the transaction may be rolled back.
func (c *conn) moveIDs(upto int64) error {
	defer func() { c.ids = idLog{} }()
	for {
		some := false
		if err := c.query(anyRecentID, func(row []driver.Value) error {
			some = row[0].(int64) != 0
			return nil
		}, upto); err != nil || !some {
			return err
		}
		st, err := c.ids.sync(c)
		if err != nil {
			return err
		}
		if err := c.ids.move(c, st, math.MaxInt32, 1); err != nil {
			return err
		}
	}
}

// drop removes a piece where the oldest row says that a look pays. Of are
// parameters of all statements.
func (s *Store) drop(ctx context.Context, oldest string, before int64, statements []string, of ...any) (int, error) {
	pays, err := s.pays(ctx, oldest, before, of...)
	if err != nil || !pays {
		return 0, err
	}
	done := 0
	err = s.begin(ctx, func(t *txn) error {
		for _, statement := range statements {
			n, err := t.exec(ctx, statement, append([]any{before, retainPiece}, of...)...)
			if err != nil {
				return err
			}
			done += int(n)
		}
		return nil
	})
	return done, err
}

// pays reports whether the oldest row is from before a time.
func (s *Store) pays(ctx context.Context, oldest string, before int64, of ...any) (bool, error) {
	var at int64
	err := s.read.QueryRowContext(ctx, oldest, of...).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil && at < before, err
}

// dropMessages removes a piece of each topic.
func (s *Store) dropMessages(ctx context.Context, before int64) (dropped int, err error) {
	rows, err := s.read.QueryContext(ctx, topicsOf)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	var topics []string
	for rows.Next() {
		var topic string
		if err := rows.Scan(&topic); err != nil {
			return 0, err
		}
		topics = append(topics, topic)
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	for _, topic := range topics {
		n, err := s.drop(ctx, oldestOf, before, []string{dropTopic}, topic)
		if dropped += n; err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}
