package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// TestStatementsAreKept: whoever uses a connection does not see that it keeps
// its statements.
func TestStatementsAreKept(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	db := s.DB()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	one := func(query string, args ...any) (v any) {
		t.Helper()
		if err := db.QueryRow(query, args...).Scan(&v); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return v
	}
	exec("CREATE TABLE a (n INTEGER UNIQUE, x TEXT); CREATE TABLE b (n INTEGER); INSERT INTO b VALUES (7)")
	for n := range 3 {
		exec("INSERT INTO a VALUES (?, ?)", n, fmt.Sprint(n))
	}
	if _, err := db.Exec("INSERT INTO a VALUES (?, ?)", 1, "again"); err == nil {
		t.Error("a row that breaks a constraint was inserted")
	}
	exec("INSERT INTO a VALUES (?, ?)", 3, nil) // nothing of the one before is left

	t.Run("within its own rows", func(t *testing.T) {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		const query = "SELECT n FROM a WHERE n >= ? ORDER BY n"
		outer, err := tx.Query(query, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = outer.Close() }()
		var pairs [][2]int
		for outer.Next() {
			var n, m int
			if err := outer.Scan(&n); err != nil {
				t.Fatal(err)
			}
			if err := tx.QueryRow(query, n+1).Scan(&m); err != nil && !errors.Is(err, sql.ErrNoRows) {
				t.Fatal(err)
			}
			pairs = append(pairs, [2]int{n, m})
		}
		if got := fmt.Sprint(pairs, outer.Err()); got != "[[1 2] [2 3] [3 0]] <nil>" {
			t.Error(got)
		}
	})
	t.Run("when the schema changes", func(t *testing.T) {
		columns := func() string {
			rows, err := db.Query("SELECT * FROM b")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = rows.Close() }()
			names, err := rows.Columns()
			return fmt.Sprint(names, rows.Next(), errors.Join(err, rows.Err()))
		}
		if got := columns(); got != "[n] true <nil>" {
			t.Error(got)
		}
		exec("ALTER TABLE b ADD COLUMN m TEXT")
		if got := columns(); got != "[n m] true <nil>" {
			t.Error(got)
		}
	})
	t.Run("more than there is room for", func(t *testing.T) {
		for range 2 {
			for n := range 500 {
				if got := one(fmt.Sprintf("SELECT %d", n)); got != int64(n) {
					t.Errorf("SELECT %d is %v", n, got)
				}
			}
			if n, err := s.Kept(t.Context()); err != nil || n < 100 || n > 200 {
				t.Errorf("%d statements are kept (%v)", n, err)
			}
		}
	})
	t.Run("what is no statement", func(t *testing.T) {
		for _, query := range []string{"SELECT", "SELECT * FROM nowhere", "WITH", "SAVEPOINT"} {
			if _, err := db.Exec(query); err == nil {
				t.Errorf("%q ran", query)
			}
		}
		exec("") // as the driver has it
		exec("-- nothing")
		exec("INSERT INTO b (n) VALUES (1); INSERT INTO b (n) VALUES (2)")
		exec("INSERT INTO b (n) VALUES (1); INSERT INTO b (n) VALUES (2)")
		if got := one("SELECT count(*) FROM b"); got != int64(5) {
			t.Errorf("%v rows, want 5", got)
		}
	})
}

// TestLongStatement: a statement of the user's ends with its context, and so does
// its transaction, also when it ran before.
func TestLongStatement(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n"
	for _, most := range []int64{10, 1 << 60, 10, 1 << 60} {
		var got int64
		err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			if most > 10 {
				short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
				ctx = short
			}
			return tx.QueryRowContext(ctx, endless, most).Scan(&got)
		})
		switch {
		case most > 10 && !errors.Is(err, context.DeadlineExceeded):
			t.Errorf("endless statement: %v", err)
		case most == 10 && (err != nil || got != 10):
			t.Errorf("%d, %v", got, err)
		}
	}
}

// TestInterruptedNoLater: what ends with its context leaves the statements after
// it alone.
func TestInterruptedNoLater(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	if own, err := s.WatchesItself(t.Context()); err != nil || !own {
		t.Errorf("the driver keeps its handle elsewhere: statements are watched one by one (%v)", err)
	}
	const query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT count(*) FROM n"
	err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		ended := 0
		for n := range 300 {
			short, cancel := context.WithTimeout(ctx, time.Duration(n)*4*time.Microsecond)
			var got int
			err := tx.QueryRowContext(short, query).Scan(&got)
			cancel()
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				ended++
			case err != nil || got != 3000:
				t.Errorf("%d, %v", got, err)
			}
			if _, err := tx.Exec("SELECT 1"); err != nil {
				t.Fatalf("a statement after one that ended: %v", err)
			}
		}
		if ended == 0 {
			t.Error("nothing ended early")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if own, err := s.WatchesItself(t.Context()); err != nil || !own {
		t.Errorf("a statement that is over, or its transaction, is still watched (%v)", err)
	}
}
