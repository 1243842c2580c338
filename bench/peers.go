package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wmsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	wmmessage "github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Peers do the same job on the same server: one effect a message, at most once.
// Each is set up as its documentation says is fastest while it stays safe.
type peers struct {
	pool *pgxpool.Pool
	runs atomic.Int64 // each has topics and queues of its own
}

const (
	watermillMessages = 5000
	riverJobs         = 1500
	riverWorkers      = 16
)

func newPeers(ctx context.Context, dsn string) (*peers, error) {
	pool, err := pgxpool.New(ctx, dsn+" pool_max_conns=24")
	if err != nil {
		return nil, err
	}
	p := &peers{pool: pool}
	if _, err := pool.Exec(ctx, "CREATE TABLE peer_seen (id text PRIMARY KEY)"); err != nil {
		return nil, err
	}
	m, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return nil, err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return p, err
}

// dedupe is one round trip: the effect follows only where the id is new.
const dedupe = "WITH d AS (INSERT INTO peer_seen (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1) INSERT INTO effect (key, n) SELECT NULL, 1 FROM d"

// watermill handles messages inside the subscriber's own transaction, which is
// the fastest that keeps dedupe, effect and offset together.
func (p *peers) watermill(ctx context.Context, _ time.Duration) (float64, error) {
	topic := fmt.Sprintf("topic_%d", p.runs.Add(1))
	schema := wmsql.DefaultPostgreSQLSchema{SubscribeBatchSize: batch, GeneratePayloadType: func(string) string { return "BYTEA" }}
	db := wmsql.BeginnerFromPgx(p.pool)
	offsets := wmsql.DefaultPostgreSQLOffsetsAdapter{}
	out, err := wmsql.NewPublisher(db, wmsql.PublisherConfig{SchemaAdapter: schema, AutoInitializeSchema: true}, nil)
	if err != nil {
		return 0, err
	}
	for range watermillMessages / batch {
		ms := make([]*wmmessage.Message, batch)
		for i := range ms {
			ms[i] = wmmessage.NewMessage(watermill.NewUUID(), payload)
		}
		if err := out.Publish(topic, ms...); err != nil {
			return 0, err
		}
	}
	in, err := wmsql.NewSubscriber(db, wmsql.SubscriberConfig{
		ConsumerGroup: "bench", SchemaAdapter: schema, OffsetsAdapter: offsets, InitializeSchema: true, PollInterval: time.Millisecond,
	}, nil)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	arriving, err := in.Subscribe(ctx, topic)
	if err != nil {
		return 0, err
	}
	for range watermillMessages {
		m := <-arriving
		tx, ok := wmsql.TxFromContext(m.Context())
		if !ok {
			return 0, errors.New("message outside a transaction")
		}
		if _, err := tx.ExecContext(m.Context(), dedupe, m.UUID); err != nil {
			return 0, err
		}
		m.Ack()
	}
	took := time.Since(start)
	return watermillMessages / took.Seconds(), errors.Join(in.Close(), out.Close())
}

type job struct {
	Payload []byte `json:"payload"`
}

func (job) Kind() string { return "bench" }

// worker has its effect and the job's completion in one transaction.
type worker struct {
	river.WorkerDefaults[job]
	pool *pgxpool.Pool
	left *atomic.Int64
	done chan struct{}
}

func (w *worker) Work(ctx context.Context, j *river.Job[job]) error {
	err := pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO effect (key, n) VALUES (NULL, 1)"); err != nil {
			return err
		}
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
		return err
	})
	if err == nil && w.left.Add(-1) == 0 {
		close(w.done)
	}
	return err
}

func (p *peers) river(ctx context.Context, _ time.Duration) (float64, error) {
	queue := fmt.Sprintf("queue_%d", p.runs.Add(1))
	w := &worker{pool: p.pool, left: new(atomic.Int64), done: make(chan struct{})}
	w.left.Store(riverJobs)
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := river.NewClient(riverpgxv5.New(p.pool), &river.Config{
		Queues: map[string]river.QueueConfig{queue: {MaxWorkers: riverWorkers}}, Workers: workers,
		FetchCooldown: time.Millisecond, FetchPollInterval: 5 * time.Millisecond,
	})
	if err != nil {
		return 0, err
	}
	jobs := make([]river.InsertManyParams, riverJobs)
	for i := range jobs {
		jobs[i] = river.InsertManyParams{Args: job{payload}, InsertOpts: &river.InsertOpts{Queue: queue}}
	}
	if _, err := client.InsertManyFast(ctx, jobs); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := client.Start(ctx); err != nil {
		return 0, err
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	took := time.Since(start)
	return riverJobs / took.Seconds(), client.Stop(ctx)
}
