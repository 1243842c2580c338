package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	insertTopic = `INSERT INTO evc_topic (topic, envelope, payload, published_at) VALUES (?, ?, ?, ?)`
	claimCursor = `INSERT INTO evc_cursor (grp, topic, pos, owner, until) VALUES (?1, ?2, 0, ?3, ?4)
		ON CONFLICT (grp, topic) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE owner IS NULL OR owner = ?3 OR until < ?5 OR until > ?5 + 3600000000 RETURNING pos`
	readTopic  = `SELECT pos, envelope, payload FROM evc_topic WHERE topic = ? AND pos > ? ORDER BY pos LIMIT ?`
	moveCursor = `UPDATE evc_cursor SET pos = ?4, until = ?5 WHERE grp = ?1 AND topic = ?2 AND owner = ?3 AND pos < ?4`
	lagOf      = `SELECT count(*),
			coalesce(sum((SELECT count(*) FROM (SELECT 1 FROM evc_topic t WHERE t.topic = k.topic AND t.pos > k.pos LIMIT ?2))), 0),
			coalesce(min((SELECT t.published_at FROM evc_topic t WHERE t.topic = k.topic AND t.pos > k.pos ORDER BY t.pos LIMIT 1)), 0)
		FROM evc_cursor k WHERE k.grp = ?1`
	giveCursors  = `UPDATE evc_cursor SET owner = NULL WHERE grp = ? AND owner = ?`
	renewCursors = `UPDATE evc_cursor SET until = ?3 WHERE grp = ?1 AND owner = ?2`
)

// Broker is a database as a broker: published messages are rows of topics, and
// each group has a cursor in each topic. The cursor moves in a transaction of
// its own, after the batch was handled, as it would on any other broker. One
// process of a group reads a topic at a time, the others stand by. Zero fields
// take the default that stands at the field. Use NewBroker.
type Broker struct {
	Batch   int           // most messages delivered at once, fewer when they are large; 500
	Lease   time.Duration // after which another process of the group may read; 10 s
	Poll    time.Duration // when there is nothing to read; 20 ms
	Backoff time.Duration // before a batch that failed is delivered again, twice as long each time, up to ten times; 100 ms

	store *Store
	group string
	owner string
}

var (
	_ delivery.Broker  = (*Broker)(nil)
	_ delivery.Lagging = (*Broker)(nil)
)

// NewBroker makes a broker of the store, for consumers of the named group. A
// relay publishes through one of any group.
func (s *Store) NewBroker(group string) *Broker {
	return &Broker{
		Batch: 500, Lease: 10 * time.Second, Poll: 20 * time.Millisecond, Backoff: 100 * time.Millisecond,
		store: s, group: group, owner: rand.Text(),
	}
}

// Publish implements delivery.Broker: all messages are stored, or none.
func (b *Broker) Publish(ctx context.Context, ms []event.Message) []error {
	err := b.store.begin(ctx, func(t *txn) error {
		for _, m := range ms {
			envelope, err := delivery.EncodeEnvelope(m)
			if err != nil {
				return err
			}
			if _, err := t.exec(ctx, insertTopic, m.Topic, string(envelope), notNull(m.Payload), t.now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return nil
	}
	errs := make([]error, len(ms))
	for i := range errs {
		errs[i] = err
	}
	return errs
}

// Consume implements delivery.Broker.
func (b *Broker) Consume(ctx context.Context, topics []string, f func(context.Context, []event.Message) error) error {
	defer b.give(ctx)
	failed := 0 // in a row
	for ctx.Err() == nil {
		read := 0
		for _, topic := range topics {
			n, err := b.deliver(ctx, topic, f)
			switch {
			case err != nil && ctx.Err() == nil:
				failed++
				pause(ctx, delivery.Wait(event.Retry{Initial: b.Backoff, Max: 10 * b.Backoff}, failed))
			case n > 0:
				failed = 0
			}
			read += n
		}
		if read == 0 {
			pause(ctx, b.Poll)
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) { _ = delivery.SystemClock{}.Sleep(ctx, d) }

// deliver reads a batch behind the group's cursor and moves the cursor once f
// has handled it.
func (b *Broker) deliver(ctx context.Context, topic string, f func(context.Context, []event.Message) error) (int, error) {
	pos, ours, err := b.claim(ctx, topic)
	if err != nil || !ours {
		return 0, err
	}
	ms, err := b.readBatch(ctx, topic, pos)
	if err != nil || len(ms) == 0 {
		return 0, err
	}
	stop := b.keep(ctx)
	err = f(ctx, ms)
	stop()
	if err != nil {
		return 0, err
	}
	return len(ms), b.acknowledge(ctx, topic, ms[len(ms)-1].Position.Offset)
}

// claim takes the cursor, which is only written when another one has it or its
// lease grows old.
func (b *Broker) claim(ctx context.Context, topic string) (pos int64, ours bool, err error) {
	now := b.store.now()
	var owner string
	var until int64
	err = b.store.read.QueryRowContext(ctx, "SELECT pos, coalesce(owner, ''), until FROM evc_cursor WHERE grp = ? AND topic = ?", b.group, topic).Scan(&pos, &owner, &until)
	switch {
	case err == nil && owner == b.owner && until > now+micros(b.Lease/2):
		return pos, true, nil
	case err == nil && owner != "" && owner != b.owner && until >= now && until <= now+micros(time.Hour):
		return 0, false, nil
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return 0, false, err
	}
	err = b.store.begin(ctx, func(t *txn) error {
		ours, err = t.row(ctx, claimCursor, []any{b.group, topic, b.owner, now + micros(b.Lease), now}, &pos)
		return err
	})
	return pos, ours, err
}

func (b *Broker) readBatch(ctx context.Context, topic string, pos int64) (ms []event.Message, err error) {
	bytes := 0
	err = each(ctx, b.store.read, func(rows *sql.Rows) error {
		var pos int64
		var envelope string
		var payload []byte
		if err := rows.Scan(&pos, &envelope, &payload); err != nil {
			return err
		}
		m := delivery.DecodeEnvelope([]byte(envelope))
		m.Payload, m.Topic, m.Position = payload, topic, event.Position{Offset: pos}
		ms = append(ms, m)
		if bytes += len(payload); bytes >= delivery.MostBytes {
			return errEnough
		}
		return nil
	}, readTopic, topic, pos, b.Batch)
	return ms, enough(err)
}

// keep renews the lease while a batch is handled.
func (b *Broker) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for (delivery.SystemClock{}).Sleep(ctx, b.Lease/3) == nil {
			_ = b.store.begin(ctx, func(t *txn) error { // a lost lease shows when the cursor is moved
				_, err := t.exec(ctx, renewCursors, b.group, b.owner, b.store.now()+micros(b.Lease))
				return err
			})
		}
	}()
	return cancel
}

// acknowledge moves the cursor also when the consumer is stopping: the batch is
// handled.
func (b *Broker) acknowledge(ctx context.Context, topic string, pos int64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.Lease)
	defer cancel()
	return b.store.begin(ctx, func(t *txn) error {
		n, err := t.exec(ctx, moveCursor, b.group, topic, b.owner, pos, b.store.now()+micros(b.Lease))
		if err == nil && n == 0 {
			return delivery.ErrFenced
		}
		return err
	})
}

// Backlog implements delivery.Lagging.
func (b *Broker) Backlog(ctx context.Context) (delivery.Backlog, error) {
	var lag delivery.Backlog
	var oldest int64
	err := b.store.read.QueryRowContext(ctx, lagOf, b.group, delivery.BacklogMost).Scan(&lag.Topics, &lag.Events, &oldest)
	lag.Oldest = age(b.store.now(), oldest)
	return lag, err
}

func (b *Broker) give(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.Lease)
	defer cancel()
	_ = b.store.begin(ctx, func(t *txn) error { // its lease runs out anyway
		_, err := t.exec(ctx, giveCursors, b.group, b.owner)
		return err
	})
}
