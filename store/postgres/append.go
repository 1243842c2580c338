package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	// One event, in one statement and not in a function, whose statements the
	// server sets up one by one. The number of the outbox is drawn last, when the
	// transaction holds the lane.
	writeEvent = `WITH e AS (
			INSERT INTO evc_event (id, key, event, claim, revision, topic, lane_type, lane_id, version, body, appended_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($18, (date_part('epoch', clock_timestamp()) * 1000000)::bigint))
			ON CONFLICT DO NOTHING RETURNING appended_at AS t)
		INSERT INTO evc_outbox (shard, id, key, event, revision, topic, lane_type, lane_id, version, source, partition_key, time, content_type, headers, payload, appended_at)
		SELECT $17, $1, $2, $3, $5, $6, $7, $8, $9, $11, $12, coalesce($13, t), $14, $15, $16, t FROM `

	// appendEvent inserts no row where the key was published before; evc_conflict
	// says what else may be wrong. It stands for itself, with a commit behind it.
	appendEvent = writeEvent + `(SELECT coalesce((SELECT t FROM e), evc_conflict($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $18)) AS t) AS at WHERE t IS NOT NULL`

	// appendFresh inserts no row where anything is in its way: then appendEvent
	// follows. Who waits for the answer anyway has that cheaper, because the call of
	// a function is prepared for every event, carried out or not.
	appendFresh = writeEvent + `e`

	insertEffect = `INSERT INTO evc_effect (key, name, consumer, event_key, request, next_at, created_at) VALUES ($1, $2, $3, $4, $5, evc_now($6), evc_now($6)) ON CONFLICT DO NOTHING`
)

// own is a transaction of the store: what is appended waits in its queue.
type own struct{ *Tx }

// given is a transaction of the caller.
type given struct {
	tx    pgx.Tx
	store *Store // nil where the caller has none
}

// givenSQL is a transaction of the caller through database/sql.
type givenSQL struct{ tx *sql.Tx }

var (
	_ event.Tx = own{}
	_ event.Tx = given{}
	_ event.Tx = givenSQL{}
)

// In wraps a transaction of the caller, of a pool or a connection: events that
// are appended to it are sent if it commits.
func In(tx pgx.Tx) event.Tx {
	if t, ok := tx.(*Tx); ok {
		return own{t}
	}
	return given{tx: tx}
}

// In is In with the store's clock; its relays are not woken, because the caller
// commits.
func (s *Store) In(tx pgx.Tx) event.Tx {
	return given{tx, s}
}

func (t given) at() any {
	if t.store == nil {
		return nil
	}
	return t.store.at()
}

// InSQL is In for database/sql with a PostgreSQL driver.
func InSQL(tx *sql.Tx) event.Tx { return givenSQL{tx} }

// Append implements event.Tx.
func (t own) Append(ctx context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
	receipts := make([]event.Receipt, len(drafts))
	for i, d := range drafts {
		args, err := pgxArgs(ctx, d, t.store.at())
		if err != nil {
			return nil, err
		}
		t.begin()
		receipts[i].ID = d.ID
		t.queue.Queue(appendEvent, args...).Query(appended(&receipts[i], d))
		t.wrote = true
	}
	return receipts, nil
}

// Append implements event.Tx: all drafts in one round trip.
func (t given) Append(ctx context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
	receipts := make([]event.Receipt, len(drafts))
	if len(drafts) == 1 { // most often: a plain query costs the client less than a batch of one
		d := drafts[0]
		args, err := pgxArgs(ctx, d, t.at())
		if err != nil {
			return nil, err
		}
		tag, err := t.tx.Exec(ctx, appendFresh, args...)
		if err == nil && tag.RowsAffected() == 0 {
			tag, err = t.tx.Exec(ctx, appendEvent, args...)
		}
		receipts[0] = event.Receipt{ID: d.ID, Duplicate: tag.RowsAffected() == 0}
		if err != nil {
			return nil, explain(err, d)
		}
		return receipts, nil
	}
	var batch pgx.Batch
	for i, d := range drafts {
		args, err := pgxArgs(ctx, d, t.at())
		if err != nil {
			return nil, err
		}
		receipts[i].ID = d.ID
		batch.Queue(appendEvent, args...).Query(appended(&receipts[i], d))
	}
	if err := t.tx.SendBatch(ctx, &batch).Close(); err != nil {
		return nil, err
	}
	return receipts, nil
}

// Append implements event.Tx.
func (t givenSQL) Append(ctx context.Context, drafts ...event.Draft) ([]event.Receipt, error) {
	receipts := make([]event.Receipt, len(drafts))
	for i, d := range drafts {
		args, err := sqlArgs(ctx, d)
		if err != nil {
			return nil, err
		}
		n, err := t.rows(ctx, appendFresh, args)
		if err == nil && n == 0 {
			n, err = t.rows(ctx, appendEvent, args)
		}
		if err != nil {
			return nil, explain(err, d)
		}
		receipts[i] = event.Receipt{ID: d.ID, Duplicate: n == 0}
	}
	return receipts, nil
}

func (t givenSQL) rows(ctx context.Context, query string, args []any) (int64, error) {
	result, err := t.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// appended reads the answer to appendEvent in a batch.
func appended(r *event.Receipt, d event.Draft) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		rows.Close()
		r.Duplicate = rows.CommandTag().RowsAffected() == 0
		return explain(rows.Err(), d)
	}
}

// pgxArgs are the parameters of appendEvent; the ids as the server keeps them.
func pgxArgs(ctx context.Context, d event.Draft, now any) ([]any, error) {
	return appendArgs(ctx, d, pgtype.UUID{Bytes: d.ID, Valid: true}, pgtype.UUID{Bytes: d.Key, Valid: true}, now)
}

// sqlArgs are texts, numbers and bytes only, so that every driver takes them.
func sqlArgs(ctx context.Context, d event.Draft) ([]any, error) {
	return appendArgs(ctx, d, d.ID.String(), d.Key.String(), nil)
}

func appendArgs(ctx context.Context, d event.Draft, id, key, now any) ([]any, error) {
	if err := delivery.CheckDraft(d); err != nil {
		return nil, err
	}
	headers, err := delivery.EncodeHeaders(delivery.HeadersOf(ctx, d.Headers))
	if err != nil {
		return nil, err
	}
	var when, claim any
	if !d.Time.IsZero() {
		when = d.Time.UnixMicro()
	}
	if d.Version > 0 {
		claim = delivery.NameOf(d.Event)
	}
	return []any{
		id, key, d.Event, claim, d.Revision, d.Topic, d.Lane.Type, d.Lane.ID, int64(d.Version), d.Body[:],
		d.Source, d.PartitionKey, when, d.ContentType, headers, notNull(d.Payload), delivery.ShardOf(d.Lane), now,
	}, nil
}

// explain gives the errors of appendEvent their names.
func explain(err error, d event.Draft) error {
	if err == nil {
		return nil
	}
	named := err
	switch sqlState(err) {
	case "EV001":
		named = event.ErrKeyReused
	case "EV002", "23505":
		named = event.ErrVersionTaken
	}
	return fmt.Errorf("append %s %s, version %d of %s %s: %w", d.Event, d.Key, d.Version, d.Lane.Type, d.Lane.ID, named)
}

// sqlState also knows the error of another driver that has a method for it.
func sqlState(err error) string {
	for e := err; e != nil; {
		if s, ok := e.(interface{ SQLState() string }); ok {
			return s.SQLState()
		}
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		e = u.Unwrap()
	}
	return ""
}

func effectArgs(e event.Effect, now any) ([]any, error) {
	if e.Key == (event.EffectKey{}) || e.Name == "" {
		return nil, fmt.Errorf("effect %q without a key or a name: use the generated method", e.Name)
	}
	return []any{e.Key.String(), e.Name, e.Consumer, e.Event.String(), notNull(e.Request), now}, nil
}

// Intend implements event.Tx.
func (t own) Intend(_ context.Context, effects ...event.Effect) error {
	for _, e := range effects {
		args, err := effectArgs(e, t.store.at())
		if err != nil {
			return err
		}
		t.Queue(insertEffect, args...)
	}
	return nil
}

// Intend implements event.Tx.
func (t given) Intend(ctx context.Context, effects ...event.Effect) error {
	for _, e := range effects {
		args, err := effectArgs(e, t.at())
		if err != nil {
			return err
		}
		if _, err := t.tx.Exec(ctx, insertEffect, args...); err != nil {
			return fmt.Errorf("record effect %s: %w", e.Name, err)
		}
	}
	return nil
}

// Intend implements event.Tx.
func (t givenSQL) Intend(ctx context.Context, effects ...event.Effect) error {
	for _, e := range effects {
		args, err := effectArgs(e, nil)
		if err != nil {
			return err
		}
		if _, err := t.tx.ExecContext(ctx, insertEffect, args...); err != nil {
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
