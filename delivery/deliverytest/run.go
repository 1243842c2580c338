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

// patience stretches what a drill waits for where everything is slow.
const patience = slow * slow

// System runs everything over a world: a relay, the consumers, the executor of
// third-party calls.
type System struct {
	World   *World
	Store   delivery.Store                        // nil: the world's; a drill may put a faulty one in between
	Publish func(delivery.Broker) delivery.Broker // a drill may put an unruly one in between
	Consume func(delivery.Broker) delivery.Broker
	Step    func(delivery.Step)
	Batch   int
	Clock   delivery.Clock // of the loops; the host's
	Release Release        // what is deployed; the world's consumers
}

// Release is a version of a program: what it is built from, and which events
// its consumers read. The zero value reads what the world publishes.
type Release struct {
	Build    string
	Revision string
	Events   []string
}

// consumer is one of the world's consumers in this release.
func (r Release) consumer(w *World, name string) event.Consumer {
	c := w.Consumer(name)
	if r.Revision != "" {
		c.Revision = r.Revision
	}
	if len(r.Events) == 0 {
		return c
	}
	route := c.Routes[0]
	c.Routes = nil
	for _, e := range r.Events {
		route.Event = e
		c.Routes = append(c.Routes, route)
	}
	return c
}

// Run starts it and waits until there is nothing left to do, or until within has
// passed: then it says what there is.
func (s System) Run(ctx context.Context, within time.Duration) error {
	return s.while(ctx, func(ctx context.Context) error { return s.rest(ctx, within) })
}

// while runs everything as long as f does.
func (s System) while(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	var mu sync.Mutex
	var failures error
	start := func(run func(context.Context) error) {
		running.Go(func() {
			if err := run(ctx); err != nil {
				mu.Lock()
				failures = errors.Join(failures, err)
				mu.Unlock()
			}
		})
	}
	s.start(start)
	err := f(ctx)
	cancel()
	running.Wait()
	return errors.Join(err, failures)
}

func (s System) start(start func(func(context.Context) error)) {
	db, store := s.World.DB, s.Store
	if store == nil {
		store = db.Store
	}
	broker := db.Broker("relay")
	if s.Publish != nil {
		broker = s.Publish(broker)
	}
	poll := slow * slow * 5 * time.Millisecond
	start(retried(delivery.Relay{Store: store, Broker: broker, Batch: 6 * s.Batch, Lease: patience * 500 * time.Millisecond, Poll: poll, Step: s.Step, Clock: s.Clock, Retry: s.World.Policy.Retry}.Run))
	for _, name := range Consumers {
		broker := db.Broker(name)
		if s.Consume != nil {
			broker = s.Consume(broker)
		}
		inbox := delivery.Inbox{
			Store: store, Broker: broker, Batch: s.Batch, Poll: poll, Step: s.Step, Clock: s.Clock, Build: s.Release.Build,
			HandleWithin: patience * 200 * time.Millisecond, GapWithin: patience * 30 * time.Second, // whatever is missing comes in the end
		}
		start(retried(func(ctx context.Context) error { return inbox.Run(ctx, s.Release.consumer(s.World, name)) }))
	}
	start(retried(delivery.Effects{Store: store, Do: s.World.Effects(), Poll: poll, Step: s.Step, Clock: s.Clock}.Run))
}

// retried starts a loop again that ended before its time, as a supervisor does.
func retried(run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			err := run(ctx)
			if ctx.Err() != nil {
				return nil //nolint:nilerr // what a loop says while it is stopped is not the drill's concern
			}
			if err == nil {
				return errors.New("a loop ended by itself")
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// rest waits until the system was idle twice in a row. It gives up when nothing
// has moved for the time of within, at the latest after three times as long.
func (s System) rest(ctx context.Context, within time.Duration) error {
	deadline := time.Now().Add(patience * within)
	last := deadline.Add(2 * patience * within)
	was := ""
	for idle := 0; idle < 2; {
		busy, err := s.busy(ctx)
		if now := fmt.Sprint(busy); now != was { // it gets on, if slowly: the machine has other work
			was, deadline = now, earlier(time.Now().Add(patience*within), last)
		}
		switch {
		case err != nil && time.Now().After(deadline):
			return err
		case err == nil && len(busy) == 0:
			idle++
		case time.Now().After(deadline):
			return fmt.Errorf("I9: not at rest after %s: %v", within, busy)
		default:
			idle = 0
		}
		time.Sleep(slow * slow * 5 * time.Millisecond)
	}
	return nil
}

func (s System) busy(ctx context.Context) ([]string, error) {
	busy, err := Busy(ctx, s.World.DB)
	if err != nil {
		return nil, err
	}
	n, err := s.World.DB.Count(ctx, "SELECT count(*) FROM evc_consumer")
	if err == nil && n < int64(len(Consumers)) {
		busy = append(busy, "consumers have not joined")
	}
	return busy, err
}
