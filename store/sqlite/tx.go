package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/evcontract/evcontract/event"
)

// txn is a transaction as generated code and handlers see it.
type txn struct {
	tx    *sql.Tx
	conn  *sql.Conn // that it is on; nil where the caller began it
	store *Store    // nil where In was not told

	over      atomic.Bool
	complete  bool   // what it should do is done: it may be committed
	committed func() // what to do then, while nobody else has the connection
}

var _ event.Tx = (*txn)(nil)

// In wraps a transaction of the caller on a database that this package has
// opened, as the ones of Store.DB: events that are appended to it are sent if it
// commits.
func In(tx *sql.Tx) event.Tx { return &txn{tx: tx} }

// In is the function In, as the stores of servers have it.
func (s *Store) In(tx *sql.Tx) event.Tx { return &txn{tx: tx, store: s} }

// From is the transaction that was wrapped, for a handler's own statements. A
// handler must neither commit it nor roll it back. From panics for a
// transaction of another store: the wiring of the program is wrong.
func From(tx event.Tx) *sql.Tx {
	t, ok := tx.(*txn)
	if !ok {
		panic(fmt.Sprintf("sqlite.From: %T is not a transaction of a SQLite store: run the consumer on sqlite.Open's store", tx))
	}
	return t.tx
}

// InTx runs f in a transaction that commits when f returns nil. Transactions
// that wait at the same time are committed together, each undone alone when its
// f fails: many producers share one sync of the disk. For that reason f must not
// wait for another InTx: one with the context that f was given is refused.
func (s *Store) InTx(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
	if err := s.outside(ctx); err != nil {
		return err
	}
	m := &member{ctx: ctx, f: f, done: make(chan error, 1)}
	select {
	case s.commits <- m:
		return <-m.done
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errors.New("sqlite: store is closed")
	}
}

// withinKey is where the context of whoever works in a transaction of the store's
// own has its txn.
type withinKey struct{}

// within is the context of what runs in the transaction.
func (t *txn) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, withinKey{}, t)
}

var errNested = errors.New("sqlite: this would wait for the transaction that it is called in, for ever: use that one")

// outside refuses what is called in a transaction of this store and would wait
// for the end of it.
func (s *Store) outside(ctx context.Context) error {
	if t, _ := ctx.Value(withinKey{}).(*txn); t != nil && t.store == s && !t.over.Load() {
		return errNested
	}
	return nil
}

// begin is one transaction of the store's own.
func (s *Store) begin(ctx context.Context, f func(*txn) error) error {
	if err := s.outside(ctx); err != nil {
		return err
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = conn.Close() }() // gives it back
	t := &txn{conn: conn, store: s}
	if t.tx, err = conn.BeginTx(context.WithValue(ctx, ownKey{}, t), nil); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = t.tx.Rollback() }() // after Commit it does nothing
	defer t.over.Store(true)
	if err := f(t); err != nil {
		return err
	}
	t.complete = true
	if err := t.tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if t.committed != nil {
		t.committed()
	}
	return nil
}

// now is the time of a transaction of the store's own.
func (t *txn) now() int64 { return t.store.now() }

// exec runs a statement and returns how many rows it changed.
func (t *txn) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(short(ctx), query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row reads one row; found is false where there is none.
func (t *txn) row(ctx context.Context, query string, args []any, into ...any) (found bool, err error) {
	err = t.tx.QueryRowContext(short(ctx), query, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// short is for statements that take less time than it takes to watch a context.
// They wait for nobody: their transaction has the write lock. When the context
// of the transaction ends it is rolled back whatever runs in it.
func short(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

// direct gives f the connection of the transaction, for statements that run once
// an event. Until f returns nobody else uses it. A panic of f is an error: after
// one database/sql would close the connection, and wait for its transaction.
func (t *txn) direct(f func(*conn) error) error {
	if t.conn != nil {
		return t.conn.Raw(func(c any) error { return guarded(func() error { return f(c.(*conn)) }) })
	}
	reached := false
	ctx := context.WithValue(context.Background(), insideKey{}, func(c *conn) error {
		reached = true
		return f(c)
	})
	_, err := t.tx.ExecContext(ctx, inside)
	if err == nil && !reached {
		err = errors.New("sqlite: the transaction was not begun on a store's DB: open the database with sqlite.Open")
	}
	return err
}

// reading gives f a connection that only reads.
func (s *Store) reading(ctx context.Context, f func(*conn) error) error {
	sc, err := s.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = sc.Close() }() // gives it back
	return sc.Raw(func(c any) error { return guarded(func() error { return f(c.(*conn)) }) })
}
