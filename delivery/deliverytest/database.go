package deliverytest

import (
	"context"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Database is an open store with what the suites need around it. Statements use
// $1, $2 … in order.
type Database struct {
	Store  delivery.Store
	Source string // the data source name that a child process opens
	Serial string // the type of a column that numbers its rows: BIGSERIAL PRIMARY KEY

	// InTx runs f in a business transaction that commits when f returns nil.
	InTx func(ctx context.Context, f func(context.Context, event.Tx) error) error

	// Exec runs a statement in the transaction of a handler.
	Exec func(ctx context.Context, tx event.Tx, query string, args ...any) error

	// Query reads rows outside any transaction. Numbers come as int64, texts as
	// string, bytes and UUIDs as []byte.
	Query func(ctx context.Context, query string, args ...any) ([][]any, error)

	// Broker is the database as a broker.
	Broker func(group string) delivery.Broker

	// SetNow sets the store's clock, before it is used.
	SetNow func(func() time.Time)

	Close func() error

	// What some drills need; a drill whose field is nil is skipped.
	Lock    func(ctx context.Context) error            // locks everything for longer than a lock is waited for, and lets go
	Restart func(ctx context.Context) error            // ends every connection, or the server, under whoever works
	Fill    func(ctx context.Context, full bool) error // leaves room for little more, or makes room again
	Crash   func(ctx context.Context) error            // ends the server without a warning and starts it again

	// Lazily is InTx that doesn't wait until the disk has the commit.
	Lazily func(ctx context.Context, f func(context.Context, event.Tx) error) error
}

// Do runs statements in one transaction.
func (db *Database) Do(ctx context.Context, statements ...string) error {
	return db.InTx(ctx, func(ctx context.Context, tx event.Tx) error {
		for _, s := range statements {
			if err := db.Exec(ctx, tx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	})
}

// Count reads one number.
func (db *Database) Count(ctx context.Context, query string, args ...any) (int64, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		return 0, fmt.Errorf("%s: not one number", query)
	}
	n, ok := rows[0][0].(int64)
	if !ok {
		return 0, fmt.Errorf("%s: %T is not a number", query, rows[0][0])
	}
	return n, nil
}
