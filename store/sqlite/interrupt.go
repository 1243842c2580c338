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

// interrupter ends a statement of a connection when its context ends. The driver
// starts a goroutine for each statement that has such a context, as every
// statement of a handler has: that takes longer than a short statement does.
type interrupter struct {
	handle uintptr // of the connection; 0 where it is unknown and the driver must watch

	mu      sync.Mutex
	runs    uint64
	running uint64 // the run that is under way
}

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

// run calls f, whose statement must wait for no lock, and interrupts it when ctx
// ends.
func (i *interrupter) run(ctx context.Context, f func(context.Context) error) error {
	if i.handle == 0 || ctx.Done() == nil {
		return f(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	i.mu.Lock()
	i.runs++
	run := i.runs
	i.running = run
	i.mu.Unlock()
	forget := context.AfterFunc(ctx, func() { i.interrupt(run) })
	err := f(context.Background())
	i.mu.Lock()
	i.running = 0
	i.mu.Unlock()
	if !forget() && err != nil {
		return ctx.Err()
	}
	return err
}

// interrupt asks until the run is over: SQLite forgets what it is asked before
// the statement has begun.
func (i *interrupter) interrupt(run uint64) {
	for i.ask(run) {
		time.Sleep(time.Millisecond)
	}
}

func (i *interrupter) ask(run uint64) (again bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running != run {
		return false
	}
	tls := libc.NewTLS() // that of the connection is in use
	defer tls.Close()
	sqlite3.Xsqlite3_interrupt(tls, i.handle)
	return true
}
