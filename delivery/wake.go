package delivery

import (
	"context"
	"sync"
	"time"
)

// Wakers are the loops of relays that wait in a process, for the stores. Each is
// woken by itself: it may be the only one that has the lane of what was appended.
// The zero value is ready for use, by several goroutines.
type Wakers struct {
	mu   sync.Mutex
	each map[string]chan struct{} // by owner; room for one
}

// Wake wakes all of them. One that does not wait yet will not wait next time.
func (w *Wakers) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.each {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Wait returns when the owner was woken since it last waited, when d is over, or
// when ctx ends, whose error it returns. An owner that waits for the first time
// has missed nothing that it may rely on, and does not wait.
func (w *Wakers) Wait(ctx context.Context, owner string, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	case <-w.of(owner):
	}
	return nil
}

func (w *Wakers) of(owner string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.each[owner]
	if c == nil {
		if w.each == nil {
			w.each = map[string]chan struct{}{}
		}
		c = make(chan struct{}, 1)
		c <- struct{}{}
		w.each[owner] = c
	}
	return c
}

// Forget is for an owner that waits no more.
func (w *Wakers) Forget(owner string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.each, owner)
}
