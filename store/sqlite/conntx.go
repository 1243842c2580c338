package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// errOver keeps what follows in a transaction from being written for good
// without it. SQLite ends a transaction by itself after some errors (the disk is
// full, a writing statement was interrupted), and goes on without one: whoever
// takes such an error for one of a statement would write what depends on what
// was rolled back.
var errOver = fmt.Errorf("%w: SQLite rolled it back after the error of an earlier statement, or a statement ended it", sql.ErrTxDone)

// errNotYours is what a handler is told, or a function that InTx runs, that
// commits the transaction it was given. With it would go what belongs to others:
// the keys of events that have not been handled yet, the work of other producers.
var errNotYours = errors.New("sqlite: the transaction is the store's to commit: it was rolled back")

// watch learns from the driver when a transaction ends. A commit that is a
// statement is made a rollback: nothing would send what was appended, and it is
// not known to whom the transaction belongs.
func (c *conn) watch() {
	end := func() { c.over = c.open && !c.ending }
	c.RegisterRollbackHook(end)
	c.RegisterCommitHook(func() int32 {
		if end(); c.over {
			return 1
		}
		return 0
	})
}

// ownKey is where the context of a transaction of the store's own has its txn.
type ownKey struct{}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.driverConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	c.open, c.locked = true, c.immediate && !opts.ReadOnly
	c.whose, _ = ctx.Value(ownKey{}).(*txn)
	if c.locked {
		c.start()
	}
	return connTx{tx, c}, nil
}

// connTx is the transaction that is open on a connection.
type connTx struct {
	driver.Tx
	on *conn
}

// Commit implements driver.Tx.
func (t connTx) Commit() error {
	defer t.end()
	switch {
	case t.on.over:
		return errOver
	case t.on.whose != nil && !t.on.whose.complete:
		return errors.Join(errNotYours, t.rollback())
	}
	if err := t.on.enqueue(); err != nil {
		return errors.Join(fmt.Errorf("enqueue what was appended: %w", err), t.rollback())
	}
	t.on.ending = true
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	if t.on.immediate {
		t.on.store.wrote()
	}
	if t.on.any {
		t.on.store.wakers.Wake()
	}
	return nil
}

// Rollback implements driver.Tx.
func (t connTx) Rollback() error {
	defer t.end()
	return t.rollback()
}

func (t connTx) rollback() error {
	if t.on.over {
		return nil
	}
	t.on.ending = true
	return t.Tx.Rollback()
}

func (t connTx) end() {
	t.on.stop()
	if t.on.over { // what ended it may have begun another one: it was one text
		_, _ = t.on.driverConn.ExecContext(context.Background(), "ROLLBACK", nil) // an error is that there is none
	}
	t.on.open, t.on.locked, t.on.ending, t.on.over, t.on.whose, t.on.shared = false, false, false, false, nil, false
	t.on.appending = appending{}
}

// settled reports what would keep the open transaction from being committed.
func (c *conn) settled() error {
	if c.over {
		return errOver
	}
	unresolved, _, err := c.Status(sqlite.DBStatusDeferredFKs, false)
	if err == nil && unresolved != 0 {
		err = errors.New("FOREIGN KEY constraint failed: a deferred one, at the end of the transaction")
	}
	return err
}
