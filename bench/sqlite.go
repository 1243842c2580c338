package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

type liteBench struct{ store *sqlite.Store }

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
	if _, err := store.DB().Exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, payload BLOB); CREATE TABLE effect (id INTEGER PRIMARY KEY, key BLOB, n INTEGER)"); err != nil {
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
