package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

// TestLostTransaction: when SQLite has ended a transaction by itself, whoever
// goes on in it writes nothing, and the caller hears of it.
func TestLostTransaction(t *testing.T) {
	ends := map[string]func(ctx context.Context, tx *sql.Tx){
		"a writing statement that is interrupted": func(ctx context.Context, tx *sql.Tx) {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
			defer cancel()
			_, err := tx.ExecContext(ctx, "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		},
		"a statement that resolves a conflict so": func(ctx context.Context, tx *sql.Tx) {
			if _, err := tx.ExecContext(ctx, "INSERT OR ROLLBACK INTO t VALUES (1), (1)"); err == nil {
				t.Error("no conflict")
			}
		},
		"a ROLLBACK": func(ctx context.Context, tx *sql.Tx) { _, _ = tx.ExecContext(ctx, "ROLLBACK") },
		"a COMMIT":   func(ctx context.Context, tx *sql.Tx) { _, _ = tx.ExecContext(ctx, "COMMIT") },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
			if _, err := s.DB().Exec("CREATE TABLE t (n INTEGER UNIQUE); CREATE TABLE after (n INTEGER)"); err != nil {
				t.Fatal(err)
			}
			err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				end(ctx, tx)
				for _, query := range []string{"INSERT INTO after VALUES (1)", "BEGIN", "SELECT 1"} {
					if _, err := tx.ExecContext(ctx, query); !errors.Is(err, sql.ErrTxDone) {
						t.Errorf("%s: %v, want ErrTxDone", query, err)
					}
				}
				return nil
			})
			if !errors.Is(err, sql.ErrTxDone) {
				t.Errorf("InTx: %v, want ErrTxDone", err)
			}
			tx, err := s.DB().Begin()
			if err != nil {
				t.Fatal(err)
			}
			end(t.Context(), tx)
			if err := tx.Commit(); !errors.Is(err, sql.ErrTxDone) {
				t.Errorf("Commit: %v, want ErrTxDone", err)
			}
			var n int
			if err := s.DB().QueryRow("SELECT count(*) FROM after").Scan(&n); err != nil || n != 0 {
				t.Errorf("%d rows were written after the end (%v)", n, err)
			}
		})
	}
}

// TestEndedContext: nothing is recorded when the transaction has ended with its
// context, whichever way a statement goes to the connection.
func TestEndedContext(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	m := delivery.Member{Consumer: "c", Instance: "i"}
	if err := s.Join(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	lane := event.Lane{Type: "order", ID: "o"}
	key := event.NewKey("OrderPaid", "p")
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Work(ctx, m, func(ctx context.Context, w delivery.Work) error {
		if _, err := w.Enter(ctx, []delivery.Entry{{Key: key, Lane: lane, Bucket: 20_000, Marked: true}}); err != nil {
			return err
		}
		cancel()
		for { // until database/sql has noticed
			_, err := sqlite.From(w.Tx()).ExecContext(context.WithoutCancel(ctx), "SELECT 1")
			if err != nil {
				break
			}
		}
		return w.Record(context.WithoutCancel(ctx), delivery.Changes{Marks: []delivery.Mark{{Lane: lane, Version: 1, Event: "OrderPaid", Key: key}}})
	})
	if err == nil {
		t.Error("work whose context had ended was done")
	}
	for _, table := range []string{"evc_mark", "evc_seen"} {
		var n int
		if err := s.DB().QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows (%v)", table, n, err)
		}
	}
}

// TestNotTheirsToCommit: whoever commits a transaction that the store has begun
// gets nothing of it written. Those whose events or changes are in it, too, would
// be told that it failed: a broker delivers again what is known by then.
func TestNotTheirsToCommit(t *testing.T) {
	commits := map[string]func(context.Context, *sql.Tx) error{
		"by a method": func(_ context.Context, tx *sql.Tx) error { return tx.Commit() },
		"by a statement": func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "COMMIT")
			return err
		},
		"and begins another": func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "COMMIT; BEGIN; INSERT INTO t VALUES (1)")
			return err
		},
		"with an end before": func(ctx context.Context, tx *sql.Tx) error {
			_, _ = tx.ExecContext(ctx, "ROLLBACK; BEGIN; INSERT INTO t VALUES (1)")
			return tx.Commit()
		},
	}
	for name, commit := range commits {
		for _, appends := range []bool{false, true} {
			t.Run(fmt.Sprint(name, appends), func(t *testing.T) {
				s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
				m := delivery.Member{Consumer: "c", Instance: "i"}
				err := s.Join(t.Context(), m)
				if _, create := s.DB().Exec("CREATE TABLE t (n INTEGER)"); err != nil || create != nil {
					t.Fatal(err, create)
				}
				works := func(ctx context.Context, tx *sql.Tx) error {
					_, err := tx.ExecContext(ctx, "INSERT INTO t VALUES (0)")
					if err == nil && appends {
						_, err = sqlite.In(tx).Append(ctx, draftOf("a", "same"))
					}
					if err == nil && commit(ctx, tx) == nil {
						t.Error("it was committed")
					}
					return err
				}
				if err := s.Work(t.Context(), m, func(ctx context.Context, w delivery.Work) error {
					entries := []delivery.Entry{{Key: event.NewKey("OrderPaid", "p"), Bucket: 20_000}, {Key: event.NewKey("OrderPaid", "q"), Bucket: 20_000}}
					if _, err := w.Enter(ctx, entries); err != nil {
						return err
					}
					return works(ctx, sqlite.From(w.Tx()))
				}); err == nil {
					t.Error("work: no error")
				}
				if err := s.InTx(t.Context(), works); err == nil {
					t.Error("InTx: no error")
				}
				for _, table := range []string{"t", "evc_seen", "evc_event", "evc_outbox"} {
					var n int
					if err := s.DB().QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 0 {
						t.Errorf("%s: %d rows (%v)", table, n, err)
					}
				}
				if err := s.InTx(t.Context(), func(context.Context, *sql.Tx) error { return nil }); err != nil {
					t.Errorf("the next one: %v", err)
				}
			})
		}
	}
}
