package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

const (
	schema = "evc_bench"
	queued = "pg consume, handler that queues"

	watermillOne = "watermill-sql, subscriber with dedupe in its transaction"
	watermillAll = "watermill-sql, as many subscribers as partitions"
)

// pgBench has a connection for each worker.
type pgBench struct {
	store *postgres.Store
	conns []*pgx.Conn
}

func postgresScenarios(ctx context.Context, dsn string) ([]scenario, func(), error) {
	admin, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, nil, err
	}
	if err := safe(ctx, admin); err != nil {
		return nil, nil, err
	}
	if _, err := admin.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE; CREATE SCHEMA "+schema); err != nil {
		return nil, nil, err
	}
	dsn = with(dsn, "search_path="+schema)
	b := &pgBench{}
	if b.store, err = postgres.Open(ctx, dsn); err != nil {
		return nil, nil, err
	}
	for range workers {
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return nil, nil, err
		}
		b.conns = append(b.conns, conn)
	}
	if _, err := b.conns[0].Exec(ctx, `CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload bytea);
		CREATE TABLE orders (id int PRIMARY KEY, n bigint NOT NULL); INSERT INTO orders SELECT generate_series(1, 1000), 0;
		CREATE TABLE least (id uuid PRIMARY KEY, payload bytea NOT NULL);
		CREATE TABLE known (id uuid PRIMARY KEY, slot uuid NOT NULL UNIQUE, body bytea NOT NULL);
		CREATE TABLE waits (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload bytea NOT NULL);
		CREATE TABLE effect (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key uuid, n int)`); err != nil {
		return nil, nil, err
	}
	others, err := newPeers(ctx, dsn)
	if err != nil {
		return nil, nil, fmt.Errorf("peers: %w", err)
	}
	stop := func() {
		others.pool.Close()
		err := errors.Join(b.store.Close())
		for _, conn := range b.conns {
			err = errors.Join(err, conn.Close(ctx))
		}
		_, dropErr := admin.Exec(ctx, "DROP SCHEMA "+schema+" CASCADE")
		if err = errors.Join(err, dropErr, admin.Close(ctx)); err != nil {
			fmt.Fprintln(os.Stderr, "clean up:", err)
		}
	}
	return []scenario{
		{name: "pg bare insert, 8 connections", unit: "rows/s", run: b.bare},
		{name: "pg business transaction", unit: "tx/s", run: b.business},
		{name: "pg business transaction, one empty query more", unit: "tx/s", against: "pg business transaction", run: b.businessAnd},
		{name: "pg business transaction in two round trips", unit: "tx/s", against: "pg business transaction", run: b.businessTwo},
		{name: "pg business transaction, with the least of an outbox", unit: "tx/s", against: "pg business transaction", run: b.businessLeast},
		{name: "pg business transaction in two round trips, with two narrow rows and three indexes", unit: "tx/s", against: "pg business transaction", run: b.businessNarrow},
		{name: "pg business transaction in four round trips, with two narrow rows and three indexes", unit: "tx/s", against: "pg business transaction", run: b.businessNarrowFour},
		{name: "pg publish in the caller's transaction", unit: "tx/s", against: "pg business transaction", goal: 0.65, run: b.publish},
		{name: "pg publish through InTx", unit: "tx/s", against: "pg business transaction", goal: 0.9, run: b.publishInTx},
		{name: "pg publish through InTx, all of it queued", unit: "tx/s", against: "pg business transaction", run: b.publishQueued},
		{name: "pg relay to a null broker, batch 500", unit: "events/s", against: "pg bare insert, 8 connections", goal: 5, run: b.relay},
		{name: "pg consume, handler that waits", unit: "events/s", against: "pg bare insert, 8 connections", goal: 0.5, run: b.consumeEach},
		{name: queued, unit: "events/s", against: "pg bare insert, 8 connections", goal: 2, run: b.consumeQueued},
		{name: watermillOne, unit: "events/s", against: "pg bare insert, 8 connections", run: others.watermill(1)},
		{name: watermillAll, unit: "events/s", against: "pg bare insert, 8 connections", run: others.watermill(partitions)},
		{name: "river, work with transactional completion", unit: "events/s", against: "pg bare insert, 8 connections", run: others.river},
		{name: queued + ", against watermill-sql", unit: "events/s", against: watermillOne, goal: 4, same: queued},
		{name: queued + ", against as many watermill-sql as partitions", unit: "events/s", against: watermillAll, same: queued},
		{name: queued + ", against river", unit: "events/s", against: "river, work with transactional completion", goal: 10, same: queued},
		{name: "pg consume, batch handler", unit: "events/s", against: "pg bare insert, 8 connections", goal: 2.5, run: b.consumeBatch},
	}, stop, nil
}

// safe says so when a commit costs nothing on this server: there the ratios to a
// bare commit mean little.
func safe(ctx context.Context, conn *pgx.Conn) error {
	for _, setting := range []string{"fsync", "synchronous_commit"} {
		var value string
		if err := conn.QueryRow(ctx, "SELECT current_setting($1)", setting).Scan(&value); err != nil {
			return err
		}
		if value == "off" {
			fmt.Fprintf(os.Stderr, "%s is off on this server: it keeps nothing safe, and its commits cost nothing that a batch could save\n", setting)
		}
	}
	return nil
}

func (b *pgBench) bare(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		_, err := b.conns[w].Exec(ctx, "INSERT INTO bare (payload) VALUES ($1)", payload)
		return err
	})
}

// businessAnd is what a fourth round trip costs alone: publishing in the caller's
// transaction can never be quicker.
func (b *pgBench) businessAnd(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return pgx.BeginFunc(ctx, b.conns[w], func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, update, order(w)); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "SELECT 1")
			return err
		})
	})
}

// businessTwo sends what InTx sends when nothing is published.
func (b *pgBench) businessTwo(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error { return b.twice(ctx, w, func(*pgx.Batch) {}) })
}

// businessLeast is the ceiling of InTx: one bare row with one unique index, in
// the round trip of the commit. An outbox that remembers keys and versions has
// two more indexes and a row more.
func (b *pgBench) businessLeast(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return b.twice(ctx, w, func(last *pgx.Batch) {
			last.Queue("INSERT INTO least (id, payload) VALUES ($1, $2)", [16]byte(draft().ID), payload)
		})
	})
}

// narrow is what an outbox cannot do without: that a key was used and a version
// taken is remembered in one row, what waits is another, numbered. Both are
// narrower than any that a relay or a person could work with.
const narrow = `WITH k AS (INSERT INTO known (id, slot, body) VALUES ($1, $1, $1::uuid::text::bytea) ON CONFLICT DO NOTHING RETURNING 1)
	INSERT INTO waits (payload) SELECT $2 FROM k`

// businessNarrow is the ceiling of InTx for an outbox in two tables.
func (b *pgBench) businessNarrow(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return b.twice(ctx, w, func(last *pgx.Batch) { last.Queue(narrow, [16]byte(draft().ID), payload) })
	})
}

// businessNarrowFour is the same ceiling of publishing in the caller's transaction.
func (b *pgBench) businessNarrowFour(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return pgx.BeginFunc(ctx, b.conns[w], func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, update, order(w)); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, narrow, [16]byte(draft().ID), payload)
			return err
		})
	})
}

// twice is a business transaction in two round trips; the last one takes along
// what f queues.
func (b *pgBench) twice(ctx context.Context, w int, f func(last *pgx.Batch)) error {
	var first, last pgx.Batch
	first.Queue("begin")
	first.Queue(update, order(w))
	if err := b.conns[w].SendBatch(ctx, &first).Close(); err != nil {
		return err
	}
	f(&last)
	last.Queue("commit")
	return b.conns[w].SendBatch(ctx, &last).Close()
}

const update = "UPDATE orders SET n = n + 1 WHERE id = $1"

func (b *pgBench) business(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return pgx.BeginFunc(ctx, b.conns[w], func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, update, order(w))
			return err
		})
	})
}

// order is one of the worker's own: the lock of a row is not what is measured.
func order(w int) int64 { return int64(w*100) + unique.Add(1)%100 + 1 }

func (b *pgBench) publish(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return pgx.BeginFunc(ctx, b.conns[w], func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, update, order(w)); err != nil {
				return err
			}
			_, err := postgres.In(tx).Append(ctx, draft())
			return err
		})
	})
}

func (b *pgBench) publishInTx(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return b.store.InTx(ctx, func(ctx context.Context, tx *postgres.Tx) error {
			if _, err := tx.Exec(ctx, update, order(w)); err != nil {
				return err
			}
			_, err := postgres.In(tx).Append(ctx, draft())
			return err
		})
	})
}

// publishQueued needs no answer of the business statement either: the whole
// transaction is one round trip.
func (b *pgBench) publishQueued(ctx context.Context, d time.Duration) (float64, error) {
	return parallel(d, workers, func(w int) error {
		return b.store.InTx(ctx, func(ctx context.Context, tx *postgres.Tx) error {
			tx.Queue(update, order(w))
			_, err := postgres.In(tx).Append(ctx, draft())
			return err
		})
	})
}

func (b *pgBench) relay(ctx context.Context, _ time.Duration) (float64, error) {
	// What publishing left behind is not measured.
	if _, err := b.conns[0].Exec(ctx, "DELETE FROM evc_outbox"); err != nil {
		return 0, err
	}
	if _, err := b.conns[0].Exec(ctx, "VACUUM ANALYZE evc_outbox"); err != nil {
		return 0, err
	}
	return relay(ctx, b.store, func(n int) error {
		for n > 0 {
			err := pgx.BeginFunc(ctx, b.conns[0], func(tx pgx.Tx) error {
				drafts := make([]event.Draft, min(n, 1000))
				for i := range drafts {
					drafts[i] = draft()
				}
				n -= len(drafts)
				_, err := postgres.In(tx).Append(ctx, drafts...)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}, 40_000)
}

const insertEffect = "INSERT INTO effect (key, n) VALUES ($1, $2)"

// partitions is how many batches are handled at the same time.
const partitions = 4

func (b *pgBench) consumeEach(ctx context.Context, d time.Duration) (float64, error) {
	return consume(ctx, b.store, partitions, d, event.Route{
		Handle: func(ctx context.Context, tx event.Tx, _ event.Message, id event.Identity) error {
			_, err := postgres.From(tx).Exec(ctx, insertEffect, [16]byte(id.Key), 1)
			return err
		},
	})
}

func (b *pgBench) consumeQueued(ctx context.Context, d time.Duration) (float64, error) {
	return consume(ctx, b.store, partitions, d, event.Route{
		Handle: func(_ context.Context, tx event.Tx, _ event.Message, id event.Identity) error {
			postgres.FromQueue(tx).Queue(insertEffect, [16]byte(id.Key), 1)
			return nil
		},
	})
}

func (b *pgBench) consumeBatch(ctx context.Context, d time.Duration) (float64, error) {
	return consume(ctx, b.store, partitions, d, event.Route{
		Batch: func(_ context.Context, tx event.Tx, _ []event.Message, ids []event.Identity) []error {
			keys := make([][16]byte, len(ids))
			for i, id := range ids {
				keys[i] = id.Key
			}
			postgres.FromQueue(tx).Queue("INSERT INTO effect (key, n) SELECT k, 1 FROM unnest($1::uuid[]) AS k", keys)
			return nil
		},
	})
}
