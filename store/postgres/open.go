// Package postgres keeps outbox and inbox in the PostgreSQL database of a
// service, through pgx. Times are the database's: hosts never compare clocks.
//
// A row that can be seen is not yet safe when the session that wrote it has
// synchronous_commit off, so a relay publishes only what it read before a commit
// of its own that was synced.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
)

// Store is one database. It is safe for concurrent use.
type Store struct {
	// Now replaces the database's clock; tests set it, before the store is used.
	Now func() time.Time

	// PollOnly sends and waits for no notifications, as behind a pooler that
	// gives a session to several clients. Set it before the store is used.
	PollOnly bool

	pool     *pool
	wakers   delivery.Wakers
	appended chan struct{} // what other processes are told of

	life               context.Context // ends when the store is closed
	die                context.CancelFunc
	running            sync.WaitGroup
	telling, listening sync.Once

	sweeping sync.Mutex
	sweep    sweep

	mu        sync.Mutex
	consumers map[string]int64
	owners    map[string]*owned     // of leases
	newest    map[int64]int         // by consumer, as far as this process knows
	parked    map[int64]parkedCount // by consumer, when it was last counted
	pending   ration
}

var (
	_ delivery.Store   = (*Store)(nil)
	_ delivery.Looping = (*Store)(nil)
)

// Connections is how many a store opens at most.
const Connections = 8

// Open connects to the database that a URL or a DSN names and brings its tables
// up to date, in the first schema of the search path. It refuses a database
// whose tables are newer than this program. The source may set any parameter of
// a session; where it doesn't, a lock is waited for 10 seconds, and a statement
// or an idle transaction ends after a minute.
func Open(ctx context.Context, source string) (*Store, error) {
	s, err := connect(source)
	if err != nil {
		return nil, err
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("postgres: migrate: %w", err), s.Close())
	}
	return s, nil
}

// Attach opens a database that has the tables already, as somebody does who looks
// at a running system: it makes none.
func Attach(ctx context.Context, source string) (*Store, error) {
	s, err := connect(source)
	if err != nil {
		return nil, err
	}
	if err := s.pool.with(ctx, func(conn *pgx.Conn) error { return present(ctx, conn) }); err != nil {
		return nil, errors.Join(fmt.Errorf("postgres: %w", err), s.Close())
	}
	return s, nil
}

func connect(source string) (*Store, error) {
	config, err := pgx.ParseConfig(source)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	for name, value := range map[string]string{
		"lock_timeout":                        "10000", // ms
		"statement_timeout":                   "60000", // the longest is a batch handler's
		"idle_in_transaction_session_timeout": "60000",
		"application_name":                    "evcontract",
	} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	config.RuntimeParams["synchronous_commit"] = "on" // what a relay reads must not vanish in a crash
	s := &Store{
		pool: newPool(config, Connections), appended: make(chan struct{}, 1),
		consumers: map[string]int64{}, newest: map[int64]int{}, parked: map[int64]parkedCount{}, owners: map[string]*owned{},
	}
	s.life, s.die = context.WithCancel(context.Background())
	return s, nil
}

// Close ends the connections that are not in use; those in use end when they
// are given back.
func (s *Store) Close() error {
	s.mu.Lock()
	s.die()
	s.mu.Unlock()
	s.running.Wait()
	return s.pool.close()
}

// at is the store's time as a parameter of evc_now: nil is the database's.
func (s *Store) at() any {
	if s.Now == nil {
		return nil
	}
	return s.Now().UnixMicro()
}

// newer reports whether a bucket is newer than any before, so that the row of
// the consumer is written once a day and not once a batch.
func (s *Store) newer(consumer int64, bucket int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bucket > s.newest[consumer]
}

// committed notes that the database knows of a bucket.
func (s *Store) committed(consumer int64, bucket int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest[consumer] = max(s.newest[consumer], bucket)
}

func since(now, then int64) time.Duration { return time.Duration(now-then) * time.Microsecond }

func micros(d time.Duration) int64 { return d.Microseconds() }

func instant(us int64) time.Time { return time.UnixMicro(us).UTC() }
