package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Faulty is a store of which one call fails: the nth, either before it does
// anything or after it did everything, as when the answer is lost.
type Faulty struct {
	delivery.Store
	Nth   int
	After bool

	mu    sync.Mutex
	calls int
	Hit   string // which call failed; empty while none did
}

// ErrFault is what the failing call returns.
var ErrFault = errors.New("the drill's store fails here")

// at counts a call and says whether it fails.
func (f *Faulty) at(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.calls != f.Nth {
		return false
	}
	f.Hit = name
	return true
}

// do makes one call. Empty says, after the call, that it was a poll that found
// nothing: such calls are made for ever, so they don't count.
func (f *Faulty) do(name string, call func() error, empty func() bool) error {
	if !f.After {
		if empty == nil && f.at(name) {
			return fmt.Errorf("%s: %w", name, ErrFault)
		}
		return call()
	}
	if err := call(); err != nil || empty != nil && empty() || !f.at(name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, ErrFault)
}

func (f *Faulty) Lease(ctx context.Context, l delivery.Lease) (n int, err error) {
	err = f.do("Lease", func() (err error) { n, err = f.Store.Lease(ctx, l); return err }, nil)
	return n, err
}

func (f *Faulty) Pending(ctx context.Context, l delivery.Lease, limit int) (rows []delivery.Row, err error) {
	err = f.do("Pending", func() (err error) { rows, err = f.Store.Pending(ctx, l, limit); return err }, func() bool { return len(rows) == 0 })
	return rows, err
}

func (f *Faulty) Settle(ctx context.Context, l delivery.Lease, sent []delivery.Row, held []delivery.Hold) error {
	return f.do("Settle", func() error { return f.Store.Settle(ctx, l, sent, held) }, nil)
}

func (f *Faulty) Join(ctx context.Context, m delivery.Member) error {
	return f.do("Join", func() error { return f.Store.Join(ctx, m) }, nil)
}

func (f *Faulty) Enlist(ctx context.Context, m delivery.Member, keys []event.Key, attempt bool) (en delivery.Enlisted, err error) {
	err = f.do("Enlist", func() (err error) { en, err = f.Store.Enlist(ctx, m, keys, attempt); return err }, nil)
	return en, err
}

func (f *Faulty) Due(ctx context.Context, m delivery.Member, limit int, hold time.Duration) (due []delivery.Blocked, err error) {
	err = f.do("Due", func() (err error) { due, err = f.Store.Due(ctx, m, limit, hold); return err }, func() bool { return len(due) == 0 })
	return due, err
}

func (f *Faulty) Claim(ctx context.Context, owner string, names []string, limit int, hold time.Duration) (calls []delivery.Call, err error) {
	err = f.do("Claim", func() (err error) { calls, err = f.Store.Claim(ctx, owner, names, limit, hold); return err }, func() bool { return len(calls) == 0 })
	return calls, err
}

func (f *Faulty) Answer(ctx context.Context, owner string, c delivery.Call) error {
	return f.do("Answer", func() error { return f.Store.Answer(ctx, owner, c) }, nil)
}

// Work fails as a whole, which is its commit, or in one of its steps.
func (f *Faulty) Work(ctx context.Context, m delivery.Member, g func(context.Context, delivery.Work) error) error {
	return f.do("Work", func() error {
		return f.Store.Work(ctx, m, func(ctx context.Context, w delivery.Work) error {
			return g(ctx, faultyWork{w, f})
		})
	}, nil)
}

type faultyWork struct {
	delivery.Work
	f *Faulty
}

func (w faultyWork) Enter(ctx context.Context, entries []delivery.Entry) (answers []delivery.Entered, err error) {
	err = w.f.do("Enter", func() (err error) { answers, err = w.Work.Enter(ctx, entries); return err }, nil)
	return answers, err
}

func (w faultyWork) Record(ctx context.Context, c delivery.Changes) error {
	return w.f.do("Record", func() error { return w.Work.Record(ctx, c) }, nil)
}

// run lets a small system come to rest although a call of its store fails.
func (f *Faulty) run(ctx context.Context, w *World) error {
	if err := w.populate(ctx, 2, 2, func(f *Fact) {
		if f.Order == "o-1" && f.Version == 1 {
			f.Fault, f.Times = "error", 1
		}
	}); err != nil {
		return err
	}
	f.Store = w.DB.Store
	return System{World: w, Store: f, Batch: 3}.Run(ctx, 20*time.Second)
}
