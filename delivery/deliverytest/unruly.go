package deliverytest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Unruly is a broker that misbehaves while it publishes. Chances go from 0 to 1.
type Unruly struct {
	delivery.Broker
	Seed      uint64
	Duplicate float64 // a message is sent twice
	Refuse    float64 // a message is refused, and those behind it with its key
	Reorder   float64 // a message changes places with another of the batch
	Delay     float64 // a message is taken and sent after DelayBy
	DelayBy   time.Duration

	once sync.Once
	mu   sync.Mutex
	dice *rand.Rand

	late    sync.WaitGroup
	delayed int
	failed  error
}

// Wait returns when everything that was delayed has been sent.
func (u *Unruly) Wait() error {
	u.late.Wait()
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.failed
}

// Delayed is how many messages were.
func (u *Unruly) Delayed() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.delayed
}

func (u *Unruly) later(ctx context.Context, m event.Message) {
	u.delayed++
	ctx = context.WithoutCancel(ctx)
	u.late.Go(func() {
		time.Sleep(u.DelayBy)
		err := errors.Join(u.Broker.Publish(ctx, []event.Message{m})...)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.failed = errors.Join(u.failed, err)
	})
}

// ErrRefused is what an unruly broker says of a message that it refuses.
var ErrRefused = errors.New("refused by the drill")

// Publish implements delivery.Broker.
func (u *Unruly) Publish(ctx context.Context, ms []event.Message) []error {
	u.once.Do(func() { u.dice = rand.New(rand.NewPCG(u.Seed, 0)) })
	u.mu.Lock()
	defer u.mu.Unlock()
	errs := make([]error, len(ms))
	refused := map[string]bool{}
	var sent []event.Message
	for i, m := range ms {
		switch {
		case refused[m.PartitionKey]:
			errs[i] = delivery.ErrHeld
		case u.dice.Float64() < u.Refuse:
			refused[m.PartitionKey], errs[i] = true, ErrRefused
		case u.dice.Float64() < u.Delay:
			u.later(ctx, m)
		default:
			sent = append(sent, m)
			if u.dice.Float64() < u.Duplicate {
				sent = append(sent, m)
			}
		}
	}
	for i := range sent {
		if u.dice.Float64() < u.Reorder {
			k := u.dice.IntN(len(sent))
			sent[i], sent[k] = sent[k], sent[i]
		}
	}
	if failed := u.Broker.Publish(ctx, sent); slices.ContainsFunc(failed, func(err error) bool { return err != nil }) {
		for i := range errs {
			errs[i] = errors.Join(errs[i], errors.Join(failed...))
		}
	}
	return errs
}
