package sqlite

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	// Its id is NULL, which is not inserted, where evc_id has it: one statement is
	// cheaper than two.
	insertEvent = `INSERT OR IGNORE INTO evc_event (id, key, event, revision, topic, lane_type, lane_id, version, claim, body, shard, appended_at,
			source, partition_key, time, content_type, headers, payload)
		VALUES (CASE WHEN NOT EXISTS (SELECT 1 FROM evc_id WHERE id = ?) THEN ? END, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	bodyOf = `SELECT body FROM evc_event WHERE seq = ? AND id = ?`
	// Another major version of the same fact may have the version as well.
	sameFact = `SELECT 1 FROM evc_event WHERE lane_type = ? AND lane_id = ? AND version = ? AND claim = ? AND key = ?`

	// What a transaction has appended, at its end.
	appended     = `SELECT seq, id FROM evc_event WHERE seq > ? ORDER BY seq`
	enqueue      = `INSERT INTO evc_outbox (seq, shard) SELECT seq, shard FROM evc_event WHERE seq > ?`
	insertEffect = `INSERT INTO evc_effect (key, name, consumer, event_key, request, next_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO NOTHING`
)

// claimColumn is where insertEvent is given who claims the version.
const claimColumn = 9

// Append implements event.Tx.
func (t *txn) Append(ctx context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
	headers := make([]string, len(drafts)) // by the user's code, which must not have the connection
	for i, d := range drafts {
		err := delivery.CheckDraft(d)
		if err == nil {
			headers[i], err = delivery.EncodeHeaders(delivery.HeadersOf(ctx, d.Headers))
		}
		if err != nil {
			return nil, err
		}
	}
	receipts := make([]event.Receipt, len(drafts))
	err := t.direct(func(c *conn) error {
		for i, d := range drafts {
			duplicate, err := c.append(d, headers[i])
			if err != nil {
				return fmt.Errorf("append %s %s: %w", d.Event, d.Key, err)
			}
			receipts[i] = event.Receipt{ID: d.ID, Duplicate: duplicate}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}

// appending is what the open transaction of a connection has appended.
type appending struct {
	movingIDs
	any bool
	own map[event.ID]int64 // also what was undone since
}

func (c *conn) append(d event.Draft, headers string) (duplicate bool, err error) {
	if err := c.beginAppending(); err != nil {
		return false, err
	}
	if known, err := c.published(d, c.lately(d.ID)); known || err != nil {
		return known, err
	}
	now := c.store.now()
	when := now
	if !d.Time.IsZero() {
		when = d.Time.UnixMicro()
	}
	row := [...]driver.Value{
		d.ID[:], d.ID[:], d.Key[:], d.Event, d.Revision, d.Topic, d.Lane.Type, d.Lane.ID, int64(d.Version), nil, d.Body[:], int64(delivery.ShardOf(d.Lane)), now,
		d.Source, d.PartitionKey, when, d.ContentType, headers, notNull(d.Payload),
	}
	if d.Version > 0 {
		row[claimColumn] = delivery.NameOf(d.Event)
	}
	seq, err := c.insert(insertEvent, row[:]...)
	if err == nil && seq == 0 {
		if seq, duplicate, err = c.insertAgain(d, row[:]); duplicate {
			return true, nil
		}
	}
	if err == nil && seq <= c.newest {
		err = fmt.Errorf("it got number %d, which is not behind %d: was evc_event emptied by hand in this transaction?", seq, c.newest)
	}
	if err != nil {
		return false, err
	}
	c.own[d.ID] = seq
	return false, nil
}

// insertAgain finds out why an event was not inserted, and inserts it where that
// is no reason.
func (c *conn) insertAgain(d event.Draft, row []driver.Value) (seq int64, duplicate bool, err error) {
	at, err := c.formerly(d.ID)
	if err != nil {
		return 0, false, err
	}
	if duplicate, err := c.published(d, at); duplicate || err != nil {
		return 0, duplicate, err
	}
	if at != 0 { // it is of an event that is forgotten
		if _, err := c.exec(dropID, d.ID[:]); err != nil {
			return 0, false, err
		}
		if seq, err := c.insert(insertEvent, row...); seq != 0 || err != nil {
			return seq, false, err
		}
	}
	if err := c.mayShare(d); err != nil {
		return 0, false, err
	}
	row[claimColumn] = nil
	seq, err = c.insert(insertEvent, row...)
	if err == nil && seq == 0 { // never say that it was published before
		err = errors.New("evc_event did not take it, and nothing in the tables says why: was one of them changed by hand?")
	}
	return seq, false, err
}

// beginAppending looks at what was published so far.
func (c *conn) beginAppending() (err error) {
	if c.any || !c.open {
		return nil
	}
	if c.movingIDs, err = c.ids.sync(c); err != nil {
		return err
	}
	c.any, c.own = true, map[event.ID]int64{}
	return nil
}

// published reports whether the draft is the event that has a number.
func (c *conn) published(d event.Draft, seq int64) (bool, error) {
	if seq == 0 {
		return false, nil
	}
	var body []byte
	if err := c.query(bodyOf, func(row []driver.Value) error {
		body = bytes.Clone(row[0].([]byte))
		return nil
	}, seq, d.ID[:]); err != nil {
		return false, err
	}
	switch {
	case body == nil: // it was undone, or is forgotten
		return false, nil
	case !bytes.Equal(body, d.Body[:]):
		return false, event.ErrKeyReused
	}
	return true, nil
}

// lately is the number of an id that this transaction or the log has, 0 for none.
func (c *conn) lately(id event.ID) int64 {
	if seq, ok := c.own[id]; ok {
		return seq
	}
	return c.ids.seq(id)
}

// formerly is lately for evc_id.
func (c *conn) formerly(id event.ID) (seq int64, err error) {
	err = c.query(seqOf, func(row []driver.Value) error {
		seq = row[0].(int64)
		return nil
	}, id[:])
	return seq, err
}

// mayShare refuses a version that another fact has.
func (c *conn) mayShare(d event.Draft) error {
	same := false
	err := c.query(sameFact, func([]driver.Value) error { same = true; return nil },
		d.Lane.Type, d.Lane.ID, int64(d.Version), delivery.NameOf(d.Event), d.Key[:])
	if err == nil && !same {
		err = fmt.Errorf("version %d of %s %s: %w", d.Version, d.Lane.Type, d.Lane.ID, event.ErrVersionTaken)
	}
	return err
}

// enqueue makes what was appended wait to be sent, and notes its ids. It is the
// last that a transaction does.
func (c *conn) enqueue() error {
	if !c.any {
		return nil
	}
	var rows []idRow
	n, next := 0, int64(0)
	if err := c.query(appended, func(v []driver.Value) error {
		seq, id := v[0].(int64), v[1].([]byte)
		if seq != next {
			rows = append(rows, idRow{first: seq})
		}
		last := &rows[len(rows)-1]
		last.ids = append(last.ids, id...)
		n, next = n+1, seq+1
		return nil
	}, c.newest); err != nil || n == 0 {
		return err
	}
	if _, err := c.exec(enqueue, c.newest); err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := c.exec(insertIDs, row.first, row.ids); err != nil {
			return err
		}
	}
	if c.owed += 2 * n; c.owed < c.store.moveIDsLeast {
		return nil
	}
	n, c.owed = c.owed, 0
	return c.ids.move(c, c.movingIDs, n, c.store.moveIDsAt)
}

// Intend implements event.Tx.
func (t *txn) Intend(_ context.Context, effects ...event.Effect) error {
	for _, e := range effects {
		if e.Key == (event.EffectKey{}) || e.Name == "" {
			return fmt.Errorf("effect %q without a key or a name: use the generated method", e.Name)
		}
		if err := t.direct(func(c *conn) error {
			_, err := c.exec(insertEffect, e.Key[:], e.Name, e.Consumer, e.Event[:], notNull(e.Request), c.store.now())
			return err
		}); err != nil {
			return fmt.Errorf("record effect %s: %w", e.Name, err)
		}
	}
	return nil
}

// notNull keeps an empty payload from becoming NULL.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
