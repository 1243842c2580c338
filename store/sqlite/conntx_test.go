package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
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
