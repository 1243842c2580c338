package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	insertTopics = `INSERT INTO evc_topic (topic, envelope, payload, published_at)
		SELECT t, e, p, evc_now($4) FROM unnest($1::text[], $2::text[], $3::bytea[]) WITH ORDINALITY AS m (t, e, p, i) ORDER BY i`
	claimCursor = `INSERT INTO evc_cursor (grp, topic, pos, owner, until) VALUES ($1, $2, 0, $3, evc_now($5) + $4)
		ON CONFLICT (grp, topic) DO UPDATE SET owner = excluded.owner, until = excluded.until
		WHERE evc_cursor.owner IS NULL OR evc_cursor.owner = $3 OR evc_cursor.until < evc_now($5) OR evc_cursor.until > evc_now($5) + 3600000000 RETURNING pos`
	seeCursor  = `SELECT pos, coalesce(owner, ''), until - evc_now($3) FROM evc_cursor WHERE grp = $1 AND topic = $2`
	readTopic  = `SELECT pos, envelope, payload FROM evc_topic WHERE topic = $1 AND pos > $2 ORDER BY pos LIMIT $3`
	moveCursor = `UPDATE evc_cursor SET pos = $4, until = evc_now($6) + $5 WHERE grp = $1 AND topic = $2 AND owner = $3 AND pos < $4`
	lagOf      = `SELECT count(*),
			coalesce(sum((SELECT count(*) FROM (SELECT 1 FROM evc_topic t WHERE t.topic = k.topic AND t.pos > k.pos LIMIT $2) AS unread)), 0)::bigint,
			coalesce(min((SELECT t.published_at FROM evc_topic t WHERE t.topic = k.topic AND t.pos > k.pos ORDER BY t.pos LIMIT 1)), 0), evc_now($3)
		FROM evc_cursor k WHERE k.grp = $1`
	giveCursors  = `UPDATE evc_cursor SET owner = NULL WHERE grp = $1 AND owner = $2`
	renewCursors = `UPDATE evc_cursor SET until = evc_now($4) + $3 WHERE grp = $1 AND owner = $2`
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

	store  *Store
	group  string
	owner  string
	unread ration
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

// Publish implements delivery.Broker: all messages are stored, or none. Those who
// publish wait for each other, so that positions are committed in their order
// and a reader's cursor passes none.
func (b *Broker) Publish(ctx context.Context, ms []event.Message) []error {
	err := b.publish(ctx, ms)
	if err == nil {
		return nil
	}
	errs := make([]error, len(ms))
	for i := range errs {
		errs[i] = err
	}
	return errs
}

func (b *Broker) publish(ctx context.Context, ms []event.Message) error {
	topics, envelopes, payloads := make([]string, len(ms)), make([]string, len(ms)), make([][]byte, len(ms))
	for i, m := range ms {
		envelope, err := delivery.EncodeEnvelope(m)
		if err != nil {
			return err
		}
		topics[i], envelopes[i], payloads[i] = m.Topic, string(envelope), notNull(m.Payload)
	}
	return b.store.begin(ctx, func(t *Tx) error {
		t.Queue(takeLock, lockTopics)
		t.Queue(insertTopics, topics, envelopes, payloads, b.store.at())
		return nil
	})
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
	err = b.store.pool.with(ctx, func(conn *pgx.Conn) error {
		var owner string
		var left int64
		err := conn.QueryRow(ctx, seeCursor, b.group, topic, b.store.at()).Scan(&pos, &owner, &left)
		switch {
		case err == nil && owner == b.owner && left > micros(b.Lease/2):
			ours = true
			return nil
		case err == nil && owner != "" && owner != b.owner && left >= 0 && left <= micros(time.Hour):
			return nil
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return err
		}
		err = conn.QueryRow(ctx, claimCursor, b.group, topic, b.owner, micros(b.Lease), b.store.at()).Scan(&pos)
		ours = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // another one was faster
		}
		return err
	})
	return pos, ours, err
}

func (b *Broker) readBatch(ctx context.Context, topic string, after int64) (ms []event.Message, err error) {
	err = b.store.pool.with(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, readTopic, topic, after, b.unread.of(b.Batch))
		if err != nil {
			return err
		}
		ms, err = fill(rows, &b.unread, b.Batch, func(row pgx.CollectableRow) (event.Message, error) {
			var pos int64
			var envelope string
			var payload []byte
			if err := row.Scan(&pos, &envelope, &payload); err != nil {
				return event.Message{}, err
			}
			m := delivery.DecodeEnvelope([]byte(envelope))
			m.Payload, m.Topic, m.Position = payload, topic, event.Position{Offset: pos}
			return m, nil
		}, func(m *event.Message) int { return len(m.Payload) })
		return err
	})
	return ms, err
}

// keep renews the lease while a batch is handled.
func (b *Broker) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for (delivery.SystemClock{}).Sleep(ctx, b.Lease/3) == nil {
			_, _ = b.exec(ctx, renewCursors, b.group, b.owner, micros(b.Lease), b.store.at()) // a lost lease shows when the cursor is moved
		}
	}()
	return cancel
}

// acknowledge moves the cursor also when the consumer is stopping: the batch is
// handled.
func (b *Broker) acknowledge(ctx context.Context, topic string, pos int64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.Lease)
	defer cancel()
	n, err := b.exec(ctx, moveCursor, b.group, topic, b.owner, pos, micros(b.Lease), b.store.at())
	if err == nil && n == 0 {
		return delivery.ErrFenced
	}
	return err
}

func (b *Broker) exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = b.store.pool.with(ctx, func(conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, query, args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// Backlog implements delivery.Lagging.
func (b *Broker) Backlog(ctx context.Context) (lag delivery.Backlog, err error) {
	err = b.store.pool.with(ctx, func(conn *pgx.Conn) error {
		var oldest, now int64
		err := conn.QueryRow(ctx, lagOf, b.group, delivery.BacklogMost, b.store.at()).Scan(&lag.Topics, &lag.Events, &oldest, &now)
		lag.Oldest = age(now, oldest)
		return err
	})
	return lag, err
}

func (b *Broker) give(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.Lease)
	defer cancel()
	_, _ = b.exec(ctx, giveCursors, b.group, b.owner) // its lease runs out anyway
}
