package sqlite

import (
	"context"
	"database/sql/driver"
	"reflect"
	"sync"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// interrupter ends the statement of a connection whose context has ended. The
// driver starts a goroutine for each statement that has such a context, as every
// statement of a handler has: that takes longer than a short statement does. This
// one looks from time to time, while a transaction is open.
type interrupter struct {
	handle uintptr // of the connection; 0 where it is unknown and the driver must watch

	mu      sync.Mutex
	look    *time.Timer
	looking bool
	current context.Context // of the statement under way
	spare   int             // looks at it that are still to pass after its context has ended
}

// lookEvery is how long a statement may go on after its context has ended.
const lookEvery = 5 * time.Millisecond

// spareLooks is for a writing statement in a transaction that several producers
// share, which SQLite rolls back with that statement. It may well come to its
// end, and then only its own producer fails; but the others wait for it.
const spareLooks = 200

// handleOf is SQLite's handle of a connection. The driver has no method that
// tells it; a driver that keeps it elsewhere works as well, and slower.
func handleOf(c driver.Conn) uintptr {
	v := reflect.Indirect(reflect.ValueOf(c))
	if v.Kind() != reflect.Struct {
		return 0
	}
	db := v.FieldByName("db")
	if db.Kind() != reflect.Uintptr {
		return 0
	}
	return uintptr(db.Uint())
}

// start looks after the statements that follow, up to stop.
func (i *interrupter) start() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch i.looking = i.handle != 0; {
	case !i.looking:
	case i.look == nil:
		i.look = time.AfterFunc(lookEvery, i.interrupt)
	default:
		i.look.Reset(lookEvery)
	}
}

func (i *interrupter) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.looking {
		i.looking = false
		i.look.Stop()
	}
}

// run calls f for a statement that must wait for no lock, and interrupts it some
// looks after ctx has ended.
func (i *interrupter) run(ctx context.Context, spare int, f func(context.Context) error) error {
	if i.handle == 0 {
		return f(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	i.mu.Lock()
	i.current, i.spare = ctx, spare
	i.mu.Unlock()
	err := f(context.Background())
	i.mu.Lock()
	i.current = nil
	i.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// interrupt asks as often as it looks: SQLite forgets what it is asked before
// the statement has begun.
func (i *interrupter) interrupt() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.looking {
		return
	}
	if i.current != nil && i.current.Err() != nil {
		i.spare--
	}
	if i.current != nil && i.spare < 0 {
		tls := libc.NewTLS() // that of the connection is in use
		sqlite3.Xsqlite3_interrupt(tls, i.handle)
		tls.Close()
	}
	i.look.Reset(lookEvery)
}
