package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"
)

// TestLogIsCopied: what is in the log gets into the database without a writer
// that waits for it.
func TestLogIsCopied(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	if _, err := s.DB().Exec("CREATE TABLE t (x BLOB)"); err != nil {
		t.Fatal(err)
	}
	err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO t VALUES (zeroblob(10000000))")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		var busy, pages, copied int
		if err := s.Reader().QueryRow("PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &pages, &copied); err != nil {
			t.Fatal(err)
		}
		if copied == pages && pages > 2000 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d pages are copied", copied, pages)
		}
	}
}
