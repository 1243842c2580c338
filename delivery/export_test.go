package delivery

import (
	"context"

	"github.com/evcontract/evcontract/event"
)

// Driver runs an inbox step by step, without its loops.
type Driver struct{ r *runner }

// Drive joins an inbox that only moves when it is told to.
func Drive(ctx context.Context, in Inbox, c event.Consumer) (*Driver, error) {
	r, err := in.runner(c)
	if err != nil {
		return nil, err
	}
	return &Driver{r}, r.Store.Join(ctx, r.member)
}

// Receive handles a batch as if the broker had delivered it.
func (d *Driver) Receive(ctx context.Context, ms ...event.Message) error { return d.r.receive(ctx, ms) }

// Drain looks once for lanes that are due.
func (d *Driver) Drain(ctx context.Context) bool {
	m := d.r.member
	m.Instance += "/lanes"
	if err := d.r.Store.Join(ctx, m); err != nil {
		return false
	}
	return d.r.drainDue(ctx, m)
}

// Vanish leaves a batch in flight, as a process does that ends in the middle.
func (d *Driver) Vanish(ctx context.Context, ms ...event.Message) error {
	_, err := d.r.Store.Enlist(ctx, d.r.member, keysOf(d.r.items(ms)), false)
	return err
}

// Round relays once.
func (r *Relay) Round(ctx context.Context) error {
	r.defaults()
	_, err := r.round(ctx, Lease{Owner: r.Owner, For: r.Lease}, &relaying{})
	return err
}
