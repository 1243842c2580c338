package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/store/postgres"
)

// Only the store ends its transaction: with it would be committed the keys of
// events that nobody has handled yet.
func TestNotTheirsToEnd(t *testing.T) {
	s := openStore(t)
	for _, sql := range []string{
		"COMMIT", " commit;", "END", "Rollback", "ROLLBACK AND CHAIN", "ABORT", "BEGIN", "START TRANSACTION", "PREPARE TRANSACTION 'x'",
		"-- SELECT 1\nCOMMIT", "/* /* a */ b */ ;COMMIT WORK",
	} {
		for name, run := range map[string]func(context.Context, *postgres.Tx) error{
			"Exec":     func(ctx context.Context, tx *postgres.Tx) error { _, err := tx.Exec(ctx, sql); return err },
			"Query":    func(ctx context.Context, tx *postgres.Tx) error { _, err := tx.Query(ctx, sql); return err },
			"QueryRow": func(ctx context.Context, tx *postgres.Tx) error { return tx.QueryRow(ctx, sql).Scan() },
			"Prepare":  func(ctx context.Context, tx *postgres.Tx) error { _, err := tx.Prepare(ctx, "p", sql); return err },
			"Batch": func(ctx context.Context, tx *postgres.Tx) error {
				var b pgx.Batch
				b.Queue(sql)
				return tx.SendBatch(ctx, &b).Close()
			},
			"Queue": func(_ context.Context, tx *postgres.Tx) error { tx.Queue(sql); return nil },
		} {
			if err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
				if _, err := tx.Exec(ctx, "CREATE TABLE leftover (n int)"); err != nil {
					return err
				}
				return run(ctx, tx)
			}); err == nil {
				t.Errorf("%s of %q: no error", name, sql)
			}
		}
	}
	if err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
		for _, sql := range []string{"CREATE TABLE leftover (n int)", "SAVEPOINT a", "rollback to a", "ROLLBACK WORK TO SAVEPOINT a", "RELEASE a", "PREPARE p AS SELECT 1", "-- COMMIT\nSELECT 'COMMIT'", ""} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// Where the server takes several statements in one text an end in it cannot be
// kept away. Nothing is written behind it.
func TestNothingBehindAnEnd(t *testing.T) {
	s, err := postgres.Open(t.Context(), fresh(t).Source+" default_query_exec_mode=simple_protocol")
	if err != nil {
		t.Skip("the variable holds a URL:", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	ended := errors.New("none")
	err = s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT 1; ROLLBACK"); err != nil {
			return err
		}
		_, ended = tx.Exec(ctx, "CREATE TABLE leftover (n int)")
		return nil
	})
	if err == nil || ended == nil {
		t.Errorf("behind the end: %v, and of InTx %v", ended, err)
	}
	if err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
		_, err := tx.Exec(ctx, "CREATE TABLE leftover (n int)")
		return err
	}); err != nil {
		t.Error(err)
	}
}
