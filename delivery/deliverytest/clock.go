package deliverytest

import (
	"context"
	"sync"
	"time"
)

// Clock is a delivery.Clock that moves only when it is told to. It is safe for
// concurrent use.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	changed chan struct{} // closed when the time moves
}

// NewClock starts at the given time.
func NewClock(now time.Time) *Clock {
	return &Clock{now: now, changed: make(chan struct{})}
}

// Now implements delivery.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the time, back when d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	close(c.changed)
	c.changed = make(chan struct{})
}

// Sleep implements delivery.Clock.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	until := c.Now().Add(d)
	for {
		c.mu.Lock()
		now, changed := c.now, c.changed
		c.mu.Unlock()
		if !now.Before(until) {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
