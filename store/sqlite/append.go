package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	// The version is refused when another key claims it under the same name; the
	// unique index does the same for the same name and major version.
	insertEvent = `INSERT INTO evc_event (id, key, event, name, revision, topic, lane_type, lane_id, version, body, appended_at)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
		WHERE ?9 = 0 OR NOT EXISTS (SELECT 1 FROM evc_event WHERE lane_type = ?7 AND lane_id = ?8 AND version = ?9 AND version > 0 AND name = ?4 AND key <> ?2)
		ON CONFLICT DO NOTHING`
	selectBody   = `SELECT body FROM evc_event WHERE id = ?`
	insertLog    = `INSERT INTO evc_log (seq, source, partition_key, time, content_type, headers, payload) VALUES (?, ?, ?, ?, ?, ?, ?)`
	insertOutbox = `INSERT INTO evc_outbox (seq, shard) VALUES (?, ?)`
	insertEffect = `INSERT INTO evc_effect (key, name, consumer, event_key, request, next_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO NOTHING`
)

// Append implements event.Tx.
func (t *txn) Append(ctx context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
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
	now := t.now()
	res, err := t.tx.ExecContext(short(ctx), insertEvent,
		d.ID[:], d.Key[:], d.Event, delivery.NameOf(d.Event), d.Revision, d.Topic,
		d.Lane.Type, d.Lane.ID, int64(d.Version), d.Body[:], now)
	if err != nil {
		return false, err
	}
	fresh, err := res.RowsAffected()
	if err != nil {
		return false, err
	}
	if fresh == 0 {
		return t.published(ctx, d)
	}
	seq, err := res.LastInsertId()
	if err != nil {
		return false, err
	}
	headers, err := encodeHeaders(delivery.HeadersOf(ctx, d.Headers))
	if err != nil {
		return false, err
	}
	when := now
	if !d.Time.IsZero() {
		when = d.Time.UnixMicro()
	}
	if _, err := t.exec(ctx, insertLog, seq, d.Source, d.PartitionKey, when, d.ContentType, headers, notNull(d.Payload)); err != nil {
		return false, err
	}
	_, err = t.exec(ctx, insertOutbox, seq, delivery.ShardOf(d.Lane))
	t.wrote = true
	return false, err
}

// published tells a key that was published before from a version that was.
func (t *txn) published(ctx context.Context, d event.Draft) (duplicate bool, err error) {
	var body []byte
	known, err := t.row(ctx, selectBody, []any{d.ID[:]}, &body)
	switch {
	case err != nil:
		return false, err
	case !known:
		return false, fmt.Errorf("version %d of %s %s: %w", d.Version, d.Lane.Type, d.Lane.ID, event.ErrVersionTaken)
	case string(body) != string(d.Body[:]):
		return false, event.ErrKeyReused
	}
	return true, nil
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
