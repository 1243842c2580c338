package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/evcontract/evcontract/event"
)

// txn is a transaction as generated code and handlers see it.
type txn struct {
	tx    *sql.Tx
	store *Store // nil where the caller began the transaction
	stmts map[string]*sql.Stmt
	wrote bool // something was appended
}

var _ event.Tx = (*txn)(nil)

// In wraps a transaction of the caller on a database that this package has
// opened, as the ones of Store.DB: events that are appended to it are sent if it
// commits.
func In(tx *sql.Tx) event.Tx { return &txn{tx: tx} }

// In is In for a transaction on this store: it uses the store's prepared
// statements and its clock.
func (s *Store) In(tx *sql.Tx) event.Tx {
	return &txn{tx: tx, store: s, stmts: map[string]*sql.Stmt{}}
}

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
// wait for another InTx.
func (s *Store) InTx(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
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

// begin is one transaction of the store's own.
func (s *Store) begin(ctx context.Context, f func(*txn) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	t := &txn{tx: tx, store: s, stmts: map[string]*sql.Stmt{}}
	if err := f(t); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if t.wrote {
		s.nudge()
	}
	return nil
}

// nudge wakes a relay of this process.
func (s *Store) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// stmt is a prepared statement inside the transaction, nil where there is none.
func (t *txn) stmt(ctx context.Context, query string) *sql.Stmt {
	if t.store == nil {
		return nil
	}
	if st := t.stmts[query]; st != nil {
		return st
	}
	st := t.store.prepared[query]
	if st == nil {
		return nil
	}
	st = t.tx.StmtContext(ctx, st)
	t.stmts[query] = st
	return st
}

// exec runs a statement and returns how many rows it changed.
func (t *txn) exec(ctx context.Context, query string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	if st := t.stmt(ctx, query); st != nil {
		res, err = st.ExecContext(ctx, args...)
	} else {
		res, err = t.tx.ExecContext(ctx, query, args...)
	}
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row reads one row; found is false where there is none.
func (t *txn) row(ctx context.Context, query string, args []any, into ...any) (found bool, err error) {
	var row *sql.Row
	if st := t.stmt(ctx, query); st != nil {
		row = st.QueryRowContext(ctx, args...)
	} else {
		row = t.tx.QueryRowContext(ctx, query, args...)
	}
	err = row.Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
