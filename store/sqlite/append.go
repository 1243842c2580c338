package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	insertEvent = `INSERT INTO evc_event (id, key, event, revision, topic, lane_type, lane_id, version, claim, body, shard, appended_at,
			source, partition_key, time, content_type, headers, payload)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	selectBody = `SELECT body FROM evc_event WHERE id = ?`
	// Another major version of the same fact may have the version as well.
	sameFact     = `SELECT 1 FROM evc_event WHERE lane_type = ? AND lane_id = ? AND version = ? AND claim = ? AND key = ?`
	insertOutbox = `INSERT INTO evc_outbox (seq, shard) SELECT seq, shard FROM evc_event WHERE seq = last_insert_rowid()`
	newestEvent  = `SELECT coalesce(max(seq), 0) FROM evc_event`
	// All that a transaction has appended, at once and at its end.
	enqueue      = `INSERT INTO evc_outbox (seq, shard) SELECT seq, shard FROM evc_event WHERE seq > ? ON CONFLICT DO NOTHING`
	insertEffect = `INSERT INTO evc_effect (key, name, consumer, event_key, request, next_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO NOTHING`
)

// Append implements event.Tx.
func (t *txn) Append(ctx context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
	t = t.known(ctx)
	if err := t.remember(ctx); err != nil {
		return nil, err
	}
	receipts := make([]event.Receipt, len(drafts))
	for i, d := range drafts {
		if err := delivery.CheckDraft(d); err != nil {
			return nil, err
		}
		duplicate, err := t.append(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("append %s %s: %w", d.Event, d.Key, err)
		}
		receipts[i] = event.Receipt{ID: d.ID, Duplicate: duplicate}
	}
	return receipts, nil
}

func (t *txn) append(ctx context.Context, d event.Draft) (duplicate bool, err error) {
	headers, err := encodeHeaders(delivery.HeadersOf(ctx, d.Headers))
	if err != nil {
		return false, err
	}
	now := t.now()
	when := now
	if !d.Time.IsZero() {
		when = d.Time.UnixMicro()
	}
	var claim driver.Value
	if d.Version > 0 {
		claim = delivery.NameOf(d.Event)
	}
	row := [...]driver.Value{
		d.ID[:], d.Key[:], d.Event, d.Revision, d.Topic, d.Lane.Type, d.Lane.ID, int64(d.Version), claim, d.Body[:], int64(delivery.ShardOf(d.Lane)), now,
		d.Source, d.PartitionKey, when, d.ContentType, headers, notNull(d.Payload),
	}
	fresh, err := t.quick(ctx, insertEvent, row[:]...)
	if err != nil {
		return false, err
	}
	if fresh == 0 {
		if duplicate, err := t.published(ctx, d); duplicate || err != nil {
			return duplicate, err
		}
		row[claimColumn] = nil
		if _, err := t.quick(ctx, insertEvent, row[:]...); err != nil {
			return false, err
		}
	}
	if t.conn == nil {
		_, err = t.exec(ctx, insertOutbox)
	}
	return false, err
}

// remember notes where the transaction begins to append. One that the caller
// commits has no end that could enqueue: there each event is, as it comes.
func (t *txn) remember(ctx context.Context) error {
	if t.wrote || t.conn == nil {
		return nil
	}
	t.wrote = true
	_, err := t.row(ctx, newestEvent, nil, &t.before)
	return err
}

// enqueue makes what was appended wait to be sent, as the last statement of a
// transaction.
func (t *txn) enqueue(ctx context.Context) error {
	if !t.wrote {
		return nil
	}
	_, err := t.exec(ctx, enqueue, t.before)
	return err
}

// claimColumn is where insertEvent is given who claims the version.
const claimColumn = 8

// published tells a key that was published before from a version that was; it is
// false for another major version of the fact that has the version.
func (t *txn) published(ctx context.Context, d event.Draft) (duplicate bool, err error) {
	var body []byte
	known, err := t.row(ctx, selectBody, []any{d.ID[:]}, &body)
	switch {
	case err != nil:
		return false, err
	case known && string(body) != string(d.Body[:]):
		return false, event.ErrKeyReused
	case known:
		return true, nil
	}
	var one int
	same, err := t.row(ctx, sameFact, []any{d.Lane.Type, d.Lane.ID, int64(d.Version), delivery.NameOf(d.Event), d.Key[:]}, &one)
	if err == nil && !same {
		err = fmt.Errorf("version %d of %s %s: %w", d.Version, d.Lane.Type, d.Lane.ID, event.ErrVersionTaken)
	}
	return false, err
}

// Intend implements event.Tx.
func (t *txn) Intend(ctx context.Context, effects ...event.Effect) error {
	for _, e := range effects {
		if e.Key == (event.EffectKey{}) || e.Name == "" {
			return fmt.Errorf("effect %q without a key or a name: use the generated method", e.Name)
		}
		if _, err := t.exec(ctx, insertEffect, e.Key[:], e.Name, e.Consumer, e.Event[:], notNull(e.Request), t.now()); err != nil {
			return fmt.Errorf("record effect %s: %w", e.Name, err)
		}
	}
	return nil
}

func (t *txn) now() int64 {
	if t.store == nil {
		return time.Now().UnixMicro()
	}
	return t.store.now()
}

func encodeHeaders(h map[string]string) (string, error) {
	if len(h) == 0 {
		return "", nil
	}
	text, err := json.Marshal(h)
	return string(text), err
}

func decodeHeaders(text string) (h map[string]string, err error) {
	if text == "" {
		return nil, nil
	}
	err = json.Unmarshal([]byte(text), &h)
	return h, err
}

// notNull keeps an empty payload from becoming NULL.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
