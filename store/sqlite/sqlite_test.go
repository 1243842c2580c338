package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crasherFile); path != "" {
		fmt.Fprintln(os.Stderr, crash(path, os.Getenv(crasherSeed)))
		os.Exit(1)
	}
	deliverytest.Main(m, open)
}

func TestStore(t *testing.T) { deliverytest.Store(t, fresh) }

func TestRuntime(t *testing.T) { deliverytest.Runtime(t, fresh) }

func TestDrills(t *testing.T) { deliverytest.Drills(t, fresh) }

func TestBroker(t *testing.T) {
	deliverytest.Broker(t, deliverytest.Features{}, func(t testing.TB) func(string) delivery.Broker { return fresh(t).Broker })
}

func fresh(t testing.TB) *deliverytest.Database {
	db, err := open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func open(path string) (*deliverytest.Database, error) {
	s, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	s.MoveAt(10) // so that keys move all the time
	return &deliverytest.Database{
		Store: s, Source: path, Serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
		InTx: func(ctx context.Context, f func(context.Context, event.Tx) error) error {
			return s.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error { return f(ctx, s.In(tx)) })
		},
		Exec: func(ctx context.Context, tx event.Tx, query string, args ...any) error {
			_, err := sqlite.From(tx).ExecContext(ctx, query, args...)
			return err
		},
		Query: func(ctx context.Context, query string, args ...any) ([][]any, error) {
			return queryAll(ctx, s, query, args)
		},
		Broker: func(group string) delivery.Broker {
			b := s.NewBroker(group)
			b.Lease, b.Poll, b.Backoff = 400*time.Millisecond, 5*time.Millisecond, 10*time.Millisecond
			return b
		},
		SetNow: func(now func() time.Time) { s.Now = now },
		Close:  s.Close,
		Lock:   func(ctx context.Context) error { return lock(ctx, s, path) },
		Fill: func(ctx context.Context, full bool) error {
			room := 1_000_000
			if full {
				if err := s.DB().QueryRowContext(ctx, "PRAGMA page_count").Scan(&room); err != nil {
					return err
				}
				room += 20
			}
			_, err := s.DB().ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", room))
			return err
		},
	}, nil
}

// lock takes the lock of all writers for longer than they wait.
func lock(ctx context.Context, s *sqlite.Store, path string) (err error) {
	if _, err := s.DB().ExecContext(ctx, "PRAGMA busy_timeout = 100"); err != nil {
		return err
	}
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	tx, err := other.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	time.Sleep(time.Second)
	_, busy := s.DB().ExecContext(ctx, "DELETE FROM evc_hold WHERE lane_id = ''")
	if busy == nil {
		return errors.Join(errors.New("the lock held nobody up"), tx.Rollback())
	}
	if err := tx.Rollback(); err != nil {
		return err
	}
	_, err = s.DB().ExecContext(ctx, "PRAGMA busy_timeout = 10000")
	return err
}

func queryAll(ctx context.Context, s *sqlite.Store, query string, args []any) (all [][]any, err error) {
	rows, err := s.Reader().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
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
