package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
	"github.com/evcontract/evcontract/store/sqlite"
)

// ground is where drills make their databases.
type ground struct {
	where     string // without secrets
	fresh     func(context.Context) (*deliverytest.Database, error)
	crashable func(context.Context) (*deliverytest.Database, error) // nil where there is no server
	leave     func(context.Context) error
}

// openGround finds a place beside what the user named, and never in it.
func openGround(ctx context.Context, f *drillFlags) (*ground, error) {
	kind, rest, _ := strings.Cut(f.store, ":")
	switch kind {
	case "":
		return sqliteGround(os.TempDir(), f.keep)
	case "sqlite":
		return sqliteGround(filepath.Dir(strings.TrimPrefix(rest, "//")), f.keep)
	case "postgres", "postgresql":
		return postgresGround(ctx, dsn(f.store, rest), f)
	}
	return nil, unknownSource("store", f.store)
}

func sqliteGround(beside string, keep bool) (*ground, error) {
	dir, err := os.MkdirTemp(beside, "evcontract-drill-")
	if err != nil {
		return nil, fmt.Errorf("drill: make a folder of its own: %w", err)
	}
	n := 0
	g := &ground{where: "SQLite in " + dir, leave: func(context.Context) error { return nil }}
	g.fresh = func(context.Context) (*deliverytest.Database, error) {
		n++
		return openDrill("sqlite:" + filepath.Join(dir, fmt.Sprintf("%d.db", n)))
	}
	if !keep {
		g.leave = func(context.Context) error { return os.RemoveAll(dir) }
	}
	return g, nil
}

// schemaPrefix begins the names of schemas that drills make.
const schemaPrefix = "evc_drill_"

func postgresGround(ctx context.Context, source string, f *drillFlags) (*ground, error) {
	if !f.beside {
		if err := refuseData(ctx, source); err != nil {
			return nil, err
		}
	}
	own := schemaPrefix + strings.ToLower(rand.Text()[:8])
	var mu sync.Mutex
	var schemas []string
	g := &ground{where: "PostgreSQL, schemas " + own + "_…", crashable: crashable}
	g.fresh = func(ctx context.Context) (*deliverytest.Database, error) {
		mu.Lock()
		defer mu.Unlock()
		schema := fmt.Sprintf("%s_%d", own, len(schemas)+1)
		if err := onPostgres(ctx, source, "CREATE SCHEMA "+schema); err != nil {
			return nil, fmt.Errorf("drill: make a schema of its own: %w", err)
		}
		schemas = append(schemas, schema)
		within, err := inSchema(source, schema)
		if err != nil {
			return nil, err
		}
		return openDrill("postgres:" + within)
	}
	g.leave = func(ctx context.Context) (err error) {
		if f.keep {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		for _, schema := range schemas {
			err = errors.Join(err, onPostgres(ctx, source, "DROP SCHEMA "+schema+" CASCADE"))
		}
		return err
	}
	return g, nil
}

// refuseData refuses a database in which evcontract is in use.
func refuseData(ctx context.Context, source string) error {
	conn, err := pgx.Connect(ctx, source)
	if err != nil {
		return fmt.Errorf("drill: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // it only read
	var schema string
	err = conn.QueryRow(ctx, `SELECT schemaname FROM pg_tables WHERE tablename = 'evc_meta' AND NOT starts_with(schemaname, $1) ORDER BY schemaname LIMIT 1`, schemaPrefix).Scan(&schema)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("drill: %w", err)
	}
	return fmt.Errorf("drill: evcontract is in use in this database (schema %s): name one that is empty, or say --beside-data; a drill makes schemas of its own, but takes the server's time", schema)
}

func onPostgres(ctx context.Context, source, statement string) error {
	conn, err := pgx.Connect(ctx, source)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // what it did has been answered
	_, err = conn.Exec(ctx, statement)
	return err
}

// drillLock is how long a drill's sessions wait for a lock, so that one can be
// outlasted.
const drillLock = 500 * time.Millisecond

// inSchema is a source whose sessions see one schema, and are known by its name.
func inSchema(source, schema string) (string, error) {
	settings := map[string]string{"search_path": schema, "lock_timeout": fmt.Sprint(drillLock.Milliseconds()), "application_name": schema}
	if !strings.Contains(source, "://") {
		for name, value := range settings {
			source += " " + name + "=" + value
		}
		return source, nil
	}
	u, err := url.Parse(source)
	if err != nil {
		return "", errors.New("drill: --store is no URL that can be read") // the error would hold the password
	}
	q := u.Query()
	for name, value := range settings {
		q.Set(name, value)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// openDrill opens a database that a drill made; a child of a drill does too.
func openDrill(source string) (*deliverytest.Database, error) {
	kind, rest, _ := strings.Cut(source, ":")
	if kind == "sqlite" {
		return sqliteDrill(source, rest)
	}
	return postgresDrill(source, rest)
}

func sqliteDrill(source, path string) (*deliverytest.Database, error) {
	s, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	return &deliverytest.Database{
		Store: s, Source: source, Serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
		InTx: func(ctx context.Context, f func(context.Context, event.Tx) error) error {
			return s.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error { return f(ctx, s.In(tx)) })
		},
		Exec: func(ctx context.Context, tx event.Tx, query string, args ...any) error {
			_, err := sqlite.From(tx).ExecContext(ctx, query, args...)
			return err
		},
		Query: func(ctx context.Context, query string, args ...any) ([][]any, error) {
			return rowsOf(ctx, s.Reader(), query, args)
		},
		Broker: func(group string) delivery.Broker {
			b := s.NewBroker(group)
			b.Lease, b.Poll, b.Backoff = demoLease, 5*time.Millisecond, 10*time.Millisecond
			return b
		},
		SetNow: func(now func() time.Time) { s.Now = now },
		Close:  s.Close,
		Lock:   func(ctx context.Context) error { return lockFile(ctx, s.DB(), path) },
		Fill:   func(ctx context.Context, full bool) error { return fill(ctx, s.DB(), full) },
	}, nil
}

// lockFile takes the lock of all writers for longer than they wait.
func lockFile(ctx context.Context, writer *sql.DB, path string) (err error) {
	if _, err := writer.ExecContext(ctx, "PRAGMA busy_timeout = 100"); err != nil {
		return err
	}
	other, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	tx, err := other.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	err = delivery.SystemClock{}.Sleep(ctx, 2*drillLock)
	err = errors.Join(err, tx.Rollback())
	_, undo := writer.ExecContext(ctx, "PRAGMA busy_timeout = 10000")
	return errors.Join(err, undo)
}

// fill bounds a SQLite database to what it has, and little more, as a full disk
// does.
func fill(ctx context.Context, db *sql.DB, full bool) error {
	pages := 1 << 30
	if full {
		if err := db.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
			return err
		}
		pages += 20
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages))
	return err
}

func rowsOf(ctx context.Context, db *sql.DB, query string, args []any) (all [][]any, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

func postgresDrill(source, settings string) (*deliverytest.Database, error) {
	s, err := postgres.Open(context.Background(), settings)
	if err != nil {
		return nil, err
	}
	business := &sessions{source: settings}
	return &deliverytest.Database{
		Store: s, Source: source, Serial: "BIGSERIAL PRIMARY KEY",
		InTx: func(ctx context.Context, f func(context.Context, event.Tx) error) error {
			return business.with(ctx, func(conn *pgx.Conn) error {
				return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return f(ctx, s.In(tx)) })
			})
		},
		Exec: func(ctx context.Context, tx event.Tx, query string, args ...any) error {
			_, err := postgres.From(tx).Exec(ctx, query, args...)
			return err
		},
		Query: func(ctx context.Context, query string, args ...any) (all [][]any, err error) {
			err = business.with(ctx, func(conn *pgx.Conn) error {
				rows, err := conn.Query(ctx, query, args...)
				if err == nil {
					all, err = pgx.CollectRows(rows, plainValues)
				}
				return err
			})
			return all, err
		},
		Broker: func(group string) delivery.Broker {
			b := s.NewBroker(group)
			b.Lease, b.Poll, b.Backoff = demoLease, 5*time.Millisecond, 10*time.Millisecond
			return b
		},
		SetNow:  func(now func() time.Time) { s.Now = now },
		Close:   func() error { return errors.Join(s.Close(), business.close()) },
		Lock:    func(ctx context.Context) error { return lockTables(ctx, settings) },
		Restart: func(ctx context.Context) error { return disconnect(ctx, settings) },
	}, nil
}

// lockTables takes what everybody needs for longer than they wait.
func lockTables(ctx context.Context, settings string) error {
	s := &sessions{source: settings}
	defer s.close()
	for {
		err := s.lock(ctx)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != "40P01" { // a deadlock: somebody has one of the tables and waits for another
			return err
		}
	}
}

func (s *sessions) lock(ctx context.Context) error {
	return s.with(ctx, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SET LOCAL lock_timeout = 0; LOCK TABLE evc_outbox, evc_relay, evc_seen, evc_member, evc_cursor, evc_effect IN ACCESS EXCLUSIVE MODE")
			if err != nil {
				return err
			}
			return delivery.SystemClock{}.Sleep(ctx, 3*drillLock)
		})
	})
}

// disconnect ends every connection of the drill's own, which are known by their
// name, as a restart of the server does.
func disconnect(ctx context.Context, settings string) error {
	s := &sessions{source: settings}
	defer s.close()
	return s.with(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE application_name = current_setting('application_name') AND starts_with(application_name, $1) AND pid <> pg_backend_pid()`, schemaPrefix)
		return err
	})
}

// sessions are the business's own connections, dialled when they are needed.
type sessions struct {
	source string
	mu     sync.Mutex
	free   []*pgx.Conn
}

func (s *sessions) with(ctx context.Context, f func(*pgx.Conn) error) error {
	s.mu.Lock()
	var conn *pgx.Conn
	if n := len(s.free); n > 0 {
		conn, s.free = s.free[n-1], s.free[:n-1]
	}
	s.mu.Unlock()
	if conn == nil || conn.IsClosed() {
		var err error
		if conn, err = pgx.Connect(ctx, s.source); err != nil {
			return err
		}
	}
	err := f(conn)
	s.mu.Lock()
	s.free = append(s.free, conn)
	s.mu.Unlock()
	return err
}

func (s *sessions) close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.free {
		err = errors.Join(err, conn.Close(context.Background()))
	}
	s.free = nil
	return err
}

// plainValues have the types that a drill reads.
func plainValues(row pgx.CollectableRow) ([]any, error) {
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
