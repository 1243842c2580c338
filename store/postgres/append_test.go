package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// publisher appends in transactions of its own connection.
type publisher struct {
	t    *testing.T
	conn *pgx.Conn
}

func publishers(t *testing.T, n int) []publisher {
	t.Helper()
	db := fresh(t)
	all := make([]publisher, n)
	for i := range all {
		conn, err := pgx.Connect(t.Context(), db.Source)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := conn.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		all[i] = publisher{t, conn}
	}
	return all
}

func (p publisher) publish(level pgx.TxIsoLevel, d event.Draft, meanwhile func()) (receipt event.Receipt, err error) {
	ctx := p.t.Context()
	err = pgx.BeginTxFunc(ctx, p.conn, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT count(*) FROM evc_event"); err != nil { // what it sees begins here
			return err
		}
		meanwhile()
		receipts, err := postgres.In(tx).Append(ctx, d)
		if err == nil {
			receipt = receipts[0]
		}
		return err
	})
	return receipt, err
}

func (p publisher) must(d event.Draft) {
	p.t.Helper()
	if _, err := p.publish(pgx.ReadCommitted, d, func() {}); err != nil {
		p.t.Fatal(err)
	}
}

func (p publisher) want(query string, want int) {
	p.t.Helper()
	var n int
	if err := p.conn.QueryRow(p.t.Context(), query).Scan(&n); err != nil {
		p.t.Fatal(err)
	}
	if n != want {
		p.t.Errorf("%s: got %d, want %d", query, n, want)
	}
}

func serialization(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40001"
}

// A transaction that began before another one published still knows of it: it
// says so, or has to be tried again where its isolation forbids to look.
func TestAppendSeesWhatItsSnapshotDoesNot(t *testing.T) {
	f := deliverytest.Fact{Payment: "p", Order: "o", Version: 1}
	same := f.Draft("OrderPaid.v1")
	reused := same
	reused.Body[0]++
	f.Payment = "another"
	taken := f.Draft("OrderPaid.v1")
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		for _, c := range []struct {
			name  string
			draft event.Draft
			err   error
		}{{"same", same, nil}, {"reused", reused, event.ErrKeyReused}, {"taken", taken, event.ErrVersionTaken}} {
			t.Run(fmt.Sprint(level, " ", c.name), func(t *testing.T) {
				p := publishers(t, 2)
				receipt, err := p[0].publish(level, c.draft, func() { p[1].must(same) })
				if level != pgx.ReadCommitted {
					if !serialization(err) {
						t.Errorf("got %v, want a serialization failure", err)
					}
					receipt, err = p[0].publish(level, c.draft, func() {}) // as one does then
				}
				if !errors.Is(err, c.err) || err == nil && !receipt.Duplicate {
					t.Errorf("got %+v, %v, want a duplicate or %v", receipt, err, c.err)
				}
				p[0].want("SELECT count(*) FROM evc_event", 1)
				p[0].want("SELECT count(*) FROM evc_outbox", 1)
			})
		}
	}
}

// Whoever publishes at the same time waits for the other one and then knows.
func TestAppendAtTheSameTime(t *testing.T) {
	const n = 6
	if os.Getenv(variable) == "" {
		t.Skip(variable + " is not set")
	}
	p := publishers(t, n)
	fact := func(payment string, order int) deliverytest.Fact {
		return deliverytest.Fact{Payment: payment, Order: fmt.Sprint("o-", order), Version: 1}
	}
	for round := range 20 {
		for name, c := range map[string]struct {
			draft                 func(i int) event.Draft
			fresh, repeats, taken int
		}{
			"one key":     {func(int) event.Draft { return fact(fmt.Sprint("a", round), 3*round).Draft("OrderPaid.v1") }, 1, n - 1, 0},
			"one version": {func(i int) event.Draft { return fact(fmt.Sprint("b", round, "-", i), 3*round+1).Draft("OrderPaid.v1") }, 1, 0, n - 1},
			"both of its majors": {func(i int) event.Draft {
				return fact(fmt.Sprint("c", round), 3*round+2).Draft(fmt.Sprint("OrderPaid.v", i%2+1))
			}, 2, n - 2, 0},
		} {
			receipts, errs := make([]event.Receipt, n), make([]error, n)
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() { receipts[i], errs[i] = p[i].publish(pgx.ReadCommitted, c.draft(i), func() {}) })
			}
			all.Wait()
			var fresh, repeats, taken int
			for i := range n {
				switch {
				case errors.Is(errs[i], event.ErrVersionTaken):
					taken++
				case errs[i] != nil:
					t.Error(name, errs[i])
				case receipts[i].Duplicate:
					repeats++
				default:
					fresh++
				}
			}
			if fresh != c.fresh || repeats != c.repeats || taken != c.taken {
				t.Errorf("%s: %d new, %d duplicates, %d refused; want %d, %d, %d", name, fresh, repeats, taken, c.fresh, c.repeats, c.taken)
			}
		}
	}
	p[0].want("SELECT count(*) FROM evc_event", 20*4)
	p[0].want("SELECT count(*) FROM evc_outbox", 20*4)
}
