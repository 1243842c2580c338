package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// errOver keeps what follows in a transaction from being written for good
// without it. SQLite ends a transaction by itself after some errors (the disk is
// full, a writing statement was interrupted), and goes on without one: whoever
// takes such an error for one of a statement would write what depends on what
// was rolled back.
var errOver = fmt.Errorf("%w: SQLite rolled it back after the error of an earlier statement, or a statement ended it", sql.ErrTxDone)

// watch learns from the driver when a transaction ends. A commit that is a
// statement is made a rollback where something was appended, which nothing would
// send.
func (c *conn) watch() {
	end := func() { c.over = c.open && !c.ending }
	c.RegisterRollbackHook(end)
	c.RegisterCommitHook(func() int32 {
		if end(); c.over && c.any {
			return 1
		}
		return 0
	})
}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.driverConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	c.open, c.locked = true, c.immediate && !opts.ReadOnly
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
	if t.on.over {
		return errOver
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
	t.on.open, t.on.locked, t.on.ending, t.on.over = false, false, false, false
	t.on.appending = appending{}
}
