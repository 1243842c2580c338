package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
	watermillMessages = 10_000
	riverJobs         = 1500
	riverWorkers      = 16
)

func newPeers(ctx context.Context, dsn string) (*peers, error) {
	pool, err := pgxpool.New(ctx, with(dsn, "pool_max_conns=24"))
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
// the fastest that keeps dedupe, effect and offset together. One subscriber is
// bound by the round trip that each message takes and leaves the machine idle;
// several, each on a topic of its own, use it as the partitions of an inbox do.
// The clock runs from the first message to the end of d: neither the tables that
// it makes nor its last poll of an empty topic count.
func (p *peers) watermill(subscribers int) func(context.Context, time.Duration) (float64, error) {
	return func(ctx context.Context, d time.Duration) (float64, error) { return p.subscribe(ctx, subscribers, d) }
}

func (p *peers) subscribe(ctx context.Context, subscribers int, d time.Duration) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	db := wmsql.BeginnerFromPgx(p.pool)
	schema := wmsql.DefaultPostgreSQLSchema{SubscribeBatchSize: batch, GeneratePayloadType: func(string) string { return "BYTEA" }}
	var topics []string
	for range subscribers {
		topic := fmt.Sprintf("topic_%d", p.runs.Add(1))
		if err := p.fill(ctx, db, schema, topic); err != nil {
			return 0, err
		}
		topics = append(topics, topic)
	}
	in, err := wmsql.NewSubscriber(db, wmsql.SubscriberConfig{
		ConsumerGroup: "bench", SchemaAdapter: schema, OffsetsAdapter: wmsql.DefaultPostgreSQLOffsetsAdapter{}, InitializeSchema: true, PollInterval: time.Millisecond,
	}, nil)
	if err != nil {
		return 0, err
	}
	var handled atomic.Int64
	errs := make(chan error, subscribers)
	var first sync.Once
	var start time.Time
	for _, topic := range topics {
		arriving, err := in.Subscribe(ctx, topic)
		if err != nil {
			return 0, err
		}
		go func() {
			errs <- func() error {
				for range watermillMessages {
					m := <-arriving
					first.Do(func() { start = time.Now() })
					tx, ok := wmsql.TxFromContext(m.Context())
					if !ok {
						return errors.New("message outside a transaction")
					}
					if _, err := tx.ExecContext(m.Context(), dedupe, m.UUID); err != nil {
						return err
					}
					m.Ack()
					handled.Add(1)
					if time.Since(start) > d {
						break
					}
				}
				return nil
			}()
		}()
	}
	for range topics {
		err = errors.Join(err, <-errs)
	}
	took := time.Since(start)
	cancel()
	return float64(handled.Load()) / took.Seconds(), errors.Join(err, in.Close())
}

// fill publishes what a subscriber reads, and lets the planner know of it.
func (p *peers) fill(ctx context.Context, db wmsql.Beginner, schema wmsql.SchemaAdapter, topic string) error {
	out, err := wmsql.NewPublisher(db, wmsql.PublisherConfig{SchemaAdapter: schema, AutoInitializeSchema: true}, nil)
	if err != nil {
		return err
	}
	for range watermillMessages / batch {
		ms := make([]*wmmessage.Message, batch)
		for i := range ms {
			ms[i] = wmmessage.NewMessage(watermill.NewUUID(), payload)
		}
		if err := out.Publish(topic, ms...); err != nil {
			return err
		}
	}
	_, err = p.pool.Exec(ctx, "VACUUM ANALYZE watermill_"+topic)
	return errors.Join(err, out.Close())
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
