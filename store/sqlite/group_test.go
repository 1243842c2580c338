package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sqlitedriver "modernc.org/sqlite"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/sqlite"
)

func openStore(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Producers that are committed together fail alone.
func TestGroupCommit(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "with ?%# in its name.db"))
	if _, err := s.DB().Exec("CREATE TABLE business (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for n := range 60 {
		running.Go(func() {
			err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				if _, err := tx.ExecContext(ctx, "INSERT INTO business VALUES (?)", n); err != nil {
					return err
				}
				d := deliverytest.Fact{Payment: fmt.Sprint(n), Order: fmt.Sprint(n), Version: 1}.Draft("OrderPaid.v1")
				if _, err := sqlite.In(tx).Append(ctx, d); err != nil {
					return err
				}
				switch n % 3 {
				case 1:
					return errors.New("undone")
				case 2:
					panic("at the disco")
				}
				return nil
			})
			if (err == nil) != (n%3 == 0) {
				t.Errorf("producer %d: %v", n, err)
			}
		})
	}
	running.Wait()
	for _, table := range []string{"business", "evc_event", "evc_outbox"} {
		var n int
		if err := s.Reader().QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 20 {
			t.Errorf("%s: %d rows, want 20 (%v)", table, n, err)
		}
	}
}

// A function that ends its goroutine, as a test's FailNow does, fails with those
// that would have been committed with it, and the store goes on.
func TestGroupGoexit(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() {
			err := s.InTx(t.Context(), func(context.Context, *sql.Tx) error {
				runtime.Goexit()
				return nil
			})
			if err == nil || !strings.Contains(err.Error(), "FailNow") {
				t.Errorf("got %v, want an error that says why", err)
			}
		})
	}
	running.Wait()
	if err := s.InTx(t.Context(), func(context.Context, *sql.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
}

// looked is a context that ends when it was looked at once, and counts the looks.
type looked struct {
	context.Context
	looks atomic.Int64
}

func (l *looked) Err() error {
	if l.looks.Add(1) > 1 {
		return context.Canceled
	}
	return nil
}

// lookedAt is what evc_test_looked waits for.
var lookedAt atomic.Pointer[looked]

var registerLooked = sync.OnceValue(func() error {
	return sqlitedriver.RegisterScalarFunction("evc_test_looked", 0, func(*sqlitedriver.FunctionContext, []driver.Value) (driver.Value, error) {
		for lookedAt.Load().looks.Load() < 4 {
			time.Sleep(time.Millisecond)
		}
		return int64(1), nil
	})
})

// Producers that are committed together don't fail of what one of them leaves to
// the commit, nor of a statement of it whose context ends.
func TestGroupNeighbours(t *testing.T) {
	if err := registerLooked(); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	if _, err := s.DB().Exec(`CREATE TABLE parent (id INTEGER PRIMARY KEY);
		CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`); err != nil {
		t.Fatal(err)
	}
	insert := func(id int) func(context.Context, *sql.Tx) error {
		return func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, "INSERT INTO child VALUES (?)", id); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO parent VALUES (?)", id)
			return err
		}
	}
	for name, bad := range map[string]func(context.Context, *sql.Tx) error{
		"a constraint": func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO child VALUES (0)")
			return err
		},
		"a context": func(ctx context.Context, tx *sql.Tx) error {
			l := &looked{Context: ctx}
			lookedAt.Store(l)
			for range 2 { // the first one comes to its end
				if _, err := tx.ExecContext(l, "INSERT INTO parent SELECT -value * evc_test_looked() FROM json_each('[1, 2, 3]')"); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		if _, err := s.DB().Exec("DELETE FROM child; DELETE FROM parent"); err != nil {
			t.Fatal(err)
		}
		errs := s.Together(t.Context(), insert(1), bad, insert(2))
		if errs[0] != nil || errs[1] == nil || errs[2] != nil {
			t.Errorf("%s: %v", name, errs)
		}
		var n int
		if err := s.DB().QueryRow("SELECT count(*) + sum(id) FROM parent").Scan(&n); err != nil || n != 5 {
			t.Errorf("%s: %d, want two rows, 1 and 2 (%v)", name, n, err)
		}
		if err := s.InTx(t.Context(), bad); err == nil {
			t.Errorf("%s: no error when it is alone", name)
		}
	}
}

// A panic inside of the store's own work is an error, and the store goes on.
func TestPanicWithTheConnection(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	m := delivery.Member{Consumer: "c", Instance: "i"}
	if err := s.Join(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []bool{true, false} {
		s.Now = nil
		err := s.Work(t.Context(), m, func(ctx context.Context, w delivery.Work) error {
			if broken {
				s.Now = func() time.Time { panic("no time") }
			}
			_, err := w.Tx().Append(ctx, draftOf("a", "same"))
			return err
		})
		if broken != (err != nil && strings.Contains(err.Error(), "no time")) {
			t.Errorf("broken %v: %v", broken, err)
		}
	}
}

// Who calls InTx in a transaction of the store is told that it would wait for
// itself. Afterwards the same context is as good as any, and other stores are.
func TestNested(t *testing.T) {
	s, other := openStore(t, filepath.Join(t.TempDir(), "test.db")), openStore(t, filepath.Join(t.TempDir(), "test.db"))
	m := delivery.Member{Consumer: "c", Instance: "i"}
	if err := s.Join(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, *sql.Tx) error { return nil }
	var kept context.Context
	inner := func(ctx context.Context) error {
		kept = ctx
		short, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		for what, err := range map[string]error{"InTx": s.InTx(short, nothing), "Join": s.Join(short, m)} {
			if err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", what, err)
			}
		}
		return other.InTx(short, nothing)
	}
	if err := s.InTx(t.Context(), func(ctx context.Context, _ *sql.Tx) error { return inner(ctx) }); err != nil {
		t.Error(err)
	}
	if err := s.InTx(kept, nothing); err != nil {
		t.Error(err)
	}
	if err := s.Work(t.Context(), m, func(ctx context.Context, _ delivery.Work) error { return inner(ctx) }); err != nil {
		t.Error(err)
	}
	if err := s.Join(context.WithoutCancel(kept), m); err != nil {
		t.Error(err)
	}
}

// Those who close a store at the same time close it once.
func TestCloseTogether(t *testing.T) {
	for range 20 {
		s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}
}

// A transaction that the caller began is as good as the store's.
func TestCallersTransaction(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	d := deliverytest.Fact{Payment: "p", Order: "o", Version: 1}.Draft("OrderPaid.v1")
	for _, commit := range []bool{false, true} {
		tx, err := s.DB().BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := sqlite.In(tx).Append(t.Context(), d)
		if err != nil || r[0].Duplicate {
			t.Fatalf("append: %v, %v", r, err)
		}
		if commit {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The writing connection waits for another process instead of failing, and
// readers cannot write.
func TestTwoStoresOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	stores := []*sqlite.Store{openStore(t, path), openStore(t, path)}
	var running sync.WaitGroup
	for i, s := range stores {
		running.Go(func() {
			for n := range 50 {
				d := deliverytest.Fact{Payment: fmt.Sprint(i, n), Order: fmt.Sprint(i, n), Version: 1}.Draft("OrderPaid.v1")
				if err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
					_, err := sqlite.In(tx).Append(ctx, d)
					return err
				}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	var n int
	if err := stores[0].Reader().QueryRow("SELECT count(*) FROM evc_outbox").Scan(&n); err != nil || n != 100 {
		t.Errorf("%d rows, want 100 (%v)", n, err)
	}
	if _, err := stores[0].Reader().Exec("DELETE FROM evc_outbox"); err == nil {
		t.Error("a reader wrote")
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"version = 999", "least = 999"} {
		if _, err := s.DB().Exec("UPDATE evc_meta SET " + change); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if change == "version = 999" { // a program that is rolled back
			if s, err = sqlite.Open(path); err != nil {
				t.Fatalf("tables with additions were refused: %v", err)
			}
		}
	}
	if _, err := sqlite.Open(path); !errors.Is(err, sqlite.ErrNewer) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrNewer with the path", err)
	}
	for _, bad := range []string{"", ":memory:", filepath.Join(t.TempDir(), "no", "such", "folder.db")} {
		if _, err := sqlite.Open(bad); err == nil {
			t.Errorf("opened %q", bad)
		}
	}
}

// A handler that ends the transaction is told so, and nothing is acknowledged.
func TestForeignTransaction(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "not a transaction of a SQLite store") {
			t.Errorf("got %v", p)
		}
	}()
	sqlite.From(foreign{})
}

type foreign struct{ event.Tx }
