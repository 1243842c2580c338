package delivery

import (
	"context"
	"time"
)

// Clock is the time that a loop lives by. Tests set it; deliverytest.Clock is
// one that moves only when it is told to.
type Clock interface {
	Now() time.Time
	// Sleep waits for d and returns early, with the context's error, when ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock that a loop uses when it is given none.
type SystemClock struct{}

// Now is the time of this host.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits on a timer of this host.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// lingering is a context for work that was begun: it outlives its parent by
// grace, so that a stop finishes a batch and doesn't cut it.
func lingering(parent context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	return ctx, func() { stop(); cancel() }
}
