package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

type liteBench struct{ store *sqlite.Store }

// liteTables are the service's own, and for comparison the least that remembers a
// key and the version of a lane.
const liteTables = `CREATE TABLE bare (id INTEGER PRIMARY KEY, payload BLOB);
	CREATE TABLE effect (id INTEGER PRIMARY KEY, key BLOB, n INTEGER);
	CREATE TABLE least_seen (id INTEGER PRIMARY KEY, consumer INTEGER, key BLOB, bucket INTEGER, UNIQUE (consumer, key));
	CREATE TABLE least_mark (consumer INTEGER, lane_type TEXT, lane_id TEXT, version INTEGER, key BLOB, PRIMARY KEY (consumer, lane_type, lane_id)) WITHOUT ROWID`

func sqliteScenarios(_ context.Context) ([]scenario, func(), error) {
	dir, err := os.MkdirTemp("", "evcontract-bench")
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(filepath.Join(dir, "bench.db"))
	if err != nil {
		return nil, nil, err
	}
	b := &liteBench{store}
	if _, err := store.DB().Exec(liteTables); err != nil {
		return nil, nil, err
	}
	stop := func() {
		if err := store.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close:", err)
		}
		_ = os.RemoveAll(dir) // a temporary folder
	}
	const bare = "sqlite bare one-row commit"
	return []scenario{
		{name: bare, unit: "rows/s", run: b.bare},
		{name: "sqlite publish, one producer", unit: "tx/s", against: bare, run: b.publish(1)},
		{name: "sqlite publish, 64 producers, group commit", unit: "tx/s", against: bare, goal: 5, run: b.publish(64)},
		{name: "sqlite relay to a null broker, batch 500", unit: "events/s", against: bare, goal: 10, run: b.relay},
		{name: "sqlite consume, batch 500", unit: "events/s", against: bare, goal: 10, run: b.consume},
		{name: "sqlite consume, batch 500, HandleBatch", unit: "events/s", against: bare, goal: 10, run: b.consumeBatch},
		{name: "sqlite three statements an event, batch 500", unit: "events/s", against: bare, run: b.least},
	}, stop, nil
}

func (b *liteBench) bare(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, 1, func(int) error {
		_, err := b.store.DB().ExecContext(ctx, "INSERT INTO bare (payload) VALUES (?)", payload)
		return err
	})
}

func (b *liteBench) publish(producers int) func(context.Context, time.Duration) (float64, error) {
	return func(ctx context.Context, d time.Duration) (float64, error) {
		return parallel(d, producers, func(int) error { return b.append(ctx, 1) })
	}
}

func (b *liteBench) append(ctx context.Context, n int) error {
	return b.store.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		drafts := make([]event.Draft, n)
		for i := range drafts {
			drafts[i] = draft()
		}
		_, err := b.store.In(tx).Append(ctx, drafts...)
		return err
	})
}

func (b *liteBench) relay(ctx context.Context, _ time.Duration) (float64, error) {
	if _, err := b.store.DB().ExecContext(ctx, "DELETE FROM evc_outbox"); err != nil {
		return 0, err
	}
	return relay(ctx, b.store, func(n int) error {
		for ; n > 0; n -= 1000 {
			if err := b.append(ctx, 1000); err != nil {
				return err
			}
		}
		return nil
	}, 20_000)
}

func (b *liteBench) consume(ctx context.Context, d time.Duration) (float64, error) {
	return consume(ctx, b.store, 1, d, event.Route{
		Handle: func(ctx context.Context, tx event.Tx, _ event.Message, id event.Identity) error {
			_, err := sqlite.From(tx).ExecContext(ctx, "INSERT INTO effect (key, n) VALUES (?, 1)", id.Key[:])
			return err
		},
	})
}

// effectsAtOnce is how many rows a batch handler inserts with one statement.
const effectsAtOnce = 50

func (b *liteBench) consumeBatch(ctx context.Context, d time.Duration) (float64, error) {
	insert := "INSERT INTO effect (key, n) VALUES (?, 1)"
	many := insert + strings.Repeat(", (?, 1)", effectsAtOnce-1)
	return consume(ctx, b.store, 1, d, event.Route{
		Batch: func(ctx context.Context, tx event.Tx, _ []event.Message, ids []event.Identity) []error {
			for len(ids) > 0 {
				query, n := many, effectsAtOnce
				if len(ids) < n {
					query, n = insert, 1
				}
				keys := make([]any, n)
				for i := range keys {
					keys[i] = ids[i].Key[:]
				}
				if _, err := sqlite.From(tx).ExecContext(ctx, query, keys...); err != nil {
					return []error{err}
				}
				ids = ids[n:]
			}
			return nil
		},
	})
}

// least is a consumer without anything around it: three prepared statements an
// event in batches, into a table that is searched by key. What does better must
// write fewer pages or run fewer statements.
func (b *liteBench) least(ctx context.Context, d time.Duration) (float64, error) {
	done, start := 0, time.Now()
	for ; time.Since(start) < d; done += batch {
		if err := b.leastBatch(ctx); err != nil {
			return 0, err
		}
	}
	return float64(done) / time.Since(start).Seconds(), nil
}

func (b *liteBench) leastBatch(ctx context.Context) error {
	tx, err := b.store.DB().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	for range batch {
		m := message(unique.Add(1))
		id, err := identify(m)
		if err != nil {
			return err
		}
		for _, s := range []struct {
			query string
			args  []any
		}{
			{"INSERT INTO least_seen (consumer, key, bucket) VALUES (1, ?, ?) ON CONFLICT DO NOTHING", []any{id.Key[:], 20_000}},
			{`INSERT INTO least_mark VALUES (1, ?, ?, ?, ?) ON CONFLICT (consumer, lane_type, lane_id)
				DO UPDATE SET version = excluded.version, key = excluded.key WHERE version < excluded.version`, []any{id.Lane.Type, id.Lane.ID, int64(id.Version), id.Key[:]}},
			{"INSERT INTO effect (key, n) VALUES (?, 1)", []any{id.Key[:]}},
		} {
			if _, err := tx.ExecContext(ctx, s.query, s.args...); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}
