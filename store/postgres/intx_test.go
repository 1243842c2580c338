package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

func openStore(t *testing.T) *postgres.Store {
	t.Helper()
	s, ok := fresh(t).Store.(*postgres.Store)
	if !ok {
		t.Fatal("fresh makes another store")
	}
	return s
}

// What is appended in InTx travels with the commit: what is wrong with it shows
// there, and takes the business change with it.
func TestInTx(t *testing.T) {
	s := openStore(t)
	if err := s.InTx(t.Context(), func(_ context.Context, tx *postgres.Tx) error {
		tx.Queue("CREATE TABLE business (n int)")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	change := func(d event.Draft) error {
		return s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO business VALUES (1)"); err != nil {
				return err
			}
			_, err := postgres.In(tx).Append(ctx, d)
			return err
		})
	}
	f := deliverytest.Fact{Payment: "p", Order: "o", Version: 1}
	d := f.Draft("OrderPaid.v1")
	if err := errors.Join(change(d), change(d)); err != nil {
		t.Fatal(err)
	}
	reused := d
	reused.Body[0]++
	if err := change(reused); !errors.Is(err, event.ErrKeyReused) {
		t.Errorf("got %v, want ErrKeyReused", err)
	}
	f.Payment = "another"
	if err := change(f.Draft("OrderPaid.v1")); !errors.Is(err, event.ErrVersionTaken) {
		t.Errorf("got %v, want ErrVersionTaken", err)
	}
	if err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
		var n, events int
		if err := tx.QueryRow(ctx, "SELECT count(*), (SELECT count(*) FROM evc_outbox) FROM business").Scan(&n, &events); err != nil {
			return err
		}
		if n != 2 || events != 1 {
			return fmt.Errorf("%d changes and %d events, want 2 and 1", n, events)
		}
		if err := tx.Commit(ctx); err == nil {
			return errors.New("committed by hand")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// An error that f swallows still fails the transaction.
func TestInTxSwallowedError(t *testing.T) {
	s := openStore(t)
	err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
		_, _ = tx.Exec(ctx, "INSERT INTO no_such_table VALUES (1)")
		_, _ = tx.Exec(ctx, "CREATE TABLE leftover (n int)") // must not run outside the transaction
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "no_such_table") {
		t.Errorf("got %v", err)
	}
	if err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
		var have bool
		if err := tx.QueryRow(ctx, "SELECT to_regclass('leftover') IS NOT NULL").Scan(&have); err != nil || have {
			return fmt.Errorf("leftover: %v, %w", have, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	db := fresh(t)
	conn, err := pgx.Connect(t.Context(), db.Source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), "UPDATE evc_meta SET version = 999"); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Open(t.Context(), db.Source) // a program that is rolled back
	if err != nil {
		t.Fatalf("tables with additions were refused: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := conn.Exec(t.Context(), "UPDATE evc_meta SET least = 999"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), db.Source); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
}
