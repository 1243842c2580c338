package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// variable holds the DSN of a database in which tests may make schemas.
const variable = "EVCONTRACT_POSTGRES"

func TestMain(m *testing.M) { deliverytest.Main(m, open) }

func TestStore(t *testing.T) { deliverytest.Store(t, fresh) }

func TestRuntime(t *testing.T) { deliverytest.Runtime(t, fresh) }

func TestDrills(t *testing.T) { deliverytest.Drills(t, fresh) }

func TestBroker(t *testing.T) {
	deliverytest.Broker(t, deliverytest.Features{}, func(t testing.TB) func(string) delivery.Broker { return fresh(t).Broker })
}

// source is the test database with a search path.
func source(t testing.TB, schema string) string {
	dsn := os.Getenv(variable)
	if dsn == "" {
		t.Skipf("%s is not set: it holds the DSN of a PostgreSQL database in which tests may make schemas", variable)
	}
	if strings.Contains(dsn, "://") {
		u, err := url.Parse(dsn)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		q.Set("search_path", schema)
		q.Set("lock_timeout", fmt.Sprint(lockTimeout.Milliseconds()))
		q.Set("application_name", schema)
		u.RawQuery = q.Encode()
		return u.String()
	}
	return dsn + fmt.Sprintf(" search_path=%s lock_timeout=%d application_name=%s", schema, lockTimeout.Milliseconds(), schema)
}

// schemas counts them in this run: other runs, also of other hosts, may have the
// same process id.
var (
	schemas atomic.Int64
	begun   = time.Now().UnixNano()
)

// fresh is a schema of its own.
func fresh(t testing.TB) *deliverytest.Database {
	schema := fmt.Sprintf("evc_test_%d_%d_%d", os.Getpid(), begun, schemas.Add(1))
	dsn := source(t, schema)
	admin := func(statement string) {
		conn, err := pgx.Connect(context.Background(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.Background()) }()
		if _, err := conn.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	admin("CREATE SCHEMA " + schema)
	db, err := open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		admin("DROP SCHEMA " + schema + " CASCADE")
	})
	return db
}

func open(dsn string) (*deliverytest.Database, error) {
	ctx := context.Background()
	s, err := postgres.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	users := users{dsn, make(chan *pgx.Conn, 4)}
	for range cap(users.free) {
		users.free <- nil
	}
	return &deliverytest.Database{
		Store: s, Source: dsn, Serial: "BIGSERIAL PRIMARY KEY",
		InTx: func(ctx context.Context, f func(context.Context, event.Tx) error) error {
			return users.with(func(conn *pgx.Conn) error {
				return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return f(ctx, s.In(tx)) })
			})
		},
		Exec: func(ctx context.Context, tx event.Tx, query string, args ...any) error {
			_, err := postgres.From(tx).Exec(ctx, query, args...)
			return err
		},
		Query: func(ctx context.Context, query string, args ...any) (all [][]any, err error) {
			err = users.with(func(conn *pgx.Conn) error {
				rows, err := conn.Query(ctx, query, args...)
				if err != nil {
					return err
				}
				all, err = pgx.CollectRows(rows, plainRow)
				return err
			})
			return all, err
		},
		Broker: func(group string) delivery.Broker {
			b := s.NewBroker(group)
			b.Lease, b.Poll, b.Backoff = 400*time.Millisecond, 5*time.Millisecond, 10*time.Millisecond
			return b
		},
		SetNow: func(now func() time.Time) { s.Now = now },
		Close: func() error {
			return errors.Join(s.Close(), users.close(ctx))
		},
		Lock:    func(ctx context.Context) error { return lock(ctx, dsn) },
		Restart: func(ctx context.Context) error { return disconnect(ctx, dsn) },
	}, nil
}

// lockTimeout is short, so that a drill can outlast it, and longer than a busy
// disk makes anybody wait.
const lockTimeout = 2 * time.Second

// lock takes what everybody needs for longer than they wait.
func lock(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for {
		err := lockTables(ctx, conn)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != "40P01" { // a deadlock: somebody has one of the tables and waits for another
			return err
		}
	}
}

func lockTables(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = 0; LOCK TABLE evc_outbox, evc_relay, evc_seen, evc_member, evc_cursor, evc_effect IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		time.Sleep(3 * lockTimeout)
		return nil
	})
}

// disconnect ends every connection of the stores of this test.
func disconnect(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var n int
	err = conn.QueryRow(ctx, `SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a
		WHERE a.application_name = current_setting('application_name') AND a.pid <> pg_backend_pid()`).Scan(&n)
	if err == nil && n == 0 {
		err = errors.New("nobody was connected")
	}
	return err
}

// users are the business's own connections, opened when they are needed.
type users struct {
	source string
	free   chan *pgx.Conn
}

func (u users) with(f func(*pgx.Conn) error) (err error) {
	conn := <-u.free
	defer func() { u.free <- conn }()
	if conn != nil && conn.Ping(context.Background()) != nil { // a drill may have ended its server
		_ = conn.Close(context.Background())
		conn = nil
	}
	if conn == nil {
		if conn, err = pgx.Connect(context.Background(), u.source); err != nil {
			return err
		}
	}
	return f(conn)
}

func (u users) close(ctx context.Context) (err error) {
	for range cap(u.free) {
		if conn := <-u.free; conn != nil && !conn.IsClosed() {
			err = errors.Join(err, conn.Close(ctx))
		}
	}
	return err
}

// plainRow has the types that deliverytest reads.
func plainRow(row pgx.CollectableRow) ([]any, error) {
	values, err := row.Values()
	for i, v := range values {
		switch v := v.(type) {
		case [16]byte:
			values[i] = v[:]
		case int32:
			values[i] = int64(v)
		}
	}
	return values, err
}
