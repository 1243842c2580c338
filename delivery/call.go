package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/event"
)

// call runs the handler of one event. A panic is an error with a stack.
func (p *pass) call(ctx context.Context, it *item) (time.Duration, error) {
	if it.route == nil {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.r.HandleWithin)
	defer cancel()
	id := it.id
	id.Attempt = max(1, it.attempt.Count)
	start := p.r.Clock.Now()
	err := protect(func() error {
		if p.r.Context != nil {
			ctx = p.r.Context(p.r.carry(ctx, []event.Message{it.m}), it.m)
		}
		if it.route.Handle != nil {
			return it.route.Handle(ctx, p.w.Tx(), it.m, id)
		}
		return firstOf(it.route.Batch(ctx, p.w.Tx(), []event.Message{it.m}, []event.Identity{id}))
	})
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("handler returned late: %w", ctx.Err())
	}
	return p.r.Clock.Now().Sub(start), err
}

// callBatch runs a Batch handler over the events of one route.
func (p *pass) callBatch(ctx context.Context, group []*item) (time.Duration, error) {
	ms, ids := make([]event.Message, len(group)), make([]event.Identity, len(group))
	for i, it := range group {
		ms[i], ids[i] = it.m, it.id
		ids[i].Attempt = 1
	}
	ctx, cancel := context.WithTimeout(p.r.carry(ctx, ms), p.r.HandleWithin)
	defer cancel()
	start := p.r.Clock.Now()
	err := protect(func() error { return firstOf(group[0].route.Batch(ctx, p.w.Tx(), ms, ids)) })
	return p.r.Clock.Now().Sub(start), err
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
