package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

const (
	batch   = 500
	workers = 8
)

// payload is of the size of a usual event.
var payload = func() []byte {
	p := make([]byte, 300)
	for i := range p {
		p[i] = 'x'
	}
	return p
}()

// unique numbers facts over the whole run.
var unique atomic.Int64

// draft is a new fact; ten of them are about one lane.
func draft() event.Draft {
	n := unique.Add(1)
	id := fmt.Sprintf("o-%d", n/10)
	key := event.NewKey("OrderPaid", fmt.Sprint(n))
	return event.Draft{
		Event: "OrderPaid.v1", Revision: "0123456789abcdef", Source: "orders", Topic: "orders.events",
		ID: event.NewID("OrderPaid.v1", key), Key: key, Lane: event.Lane{Type: "order", ID: id}, Version: uint64(n%10 + 1),
		PartitionKey: id, Time: time.Now(), ContentType: "application/json", Payload: payload,
	}
}

// message is one that arrives: its payload begins with its number, which is all
// that there is to decode.
func message(n int64) event.Message {
	p := make([]byte, len(payload))
	copy(p, payload)
	binary.BigEndian.PutUint64(p, uint64(n))
	return event.Message{Type: "OrderPaid.v1", Topic: "orders.events", Payload: p, Version: 1, Chained: true}
}

var day = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func identify(m event.Message) (event.Identity, error) {
	n := binary.BigEndian.Uint64(m.Payload)
	id := fmt.Sprintf("o-%d", n)
	return event.Identity{Key: event.NewKey("OrderPaid", id), Lane: event.Lane{Type: "order", ID: id}, Version: 1, Time: day}, nil
}

// null is a broker that takes everything and keeps nothing.
type null struct{}

func (null) Publish(context.Context, []event.Message) []error { return nil }
func (null) Consume(ctx context.Context, _ []string, _ func(context.Context, []event.Message) error) error {
	<-ctx.Done()
	return nil
}

// feed is a broker that delivers fresh batches from several partitions until
// its context ends.
type feed struct {
	null
	partitions int
	handled    *atomic.Int64
}

func (f feed) Consume(ctx context.Context, _ []string, handle func(context.Context, []event.Message) error) error {
	var running sync.WaitGroup
	errs := make(chan error, f.partitions)
	for range f.partitions {
		running.Go(func() { errs <- f.partition(ctx, handle) })
	}
	running.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

func (f feed) partition(ctx context.Context, handle func(context.Context, []event.Message) error) error {
	for ctx.Err() == nil {
		ms := make([]event.Message, batch)
		for i := range ms {
			ms[i] = message(unique.Add(1))
		}
		if err := handle(ctx, ms); err != nil {
			return err
		}
		f.handled.Add(batch)
	}
	return nil
}

// consume runs an inbox over a feed for some time.
func consume(ctx context.Context, store delivery.InboxStore, partitions int, d time.Duration, route event.Route) (float64, error) {
	route.Event, route.Topic, route.Order, route.Identify = "OrderPaid.v1", "orders.events", event.OrderLatest, identify
	var handled atomic.Int64
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	start := time.Now()
	err := delivery.Inbox{Store: store, Broker: feed{partitions: partitions, handled: &handled}}.
		Run(ctx, event.Consumer{Name: "bench", Routes: []event.Route{route}})
	return float64(handled.Load()) / time.Since(start).Seconds(), err
}

// relay fills the outbox and measures how fast it is emptied.
func relay(ctx context.Context, store delivery.OutboxStore, fill func(n int) error, n int) (float64, error) {
	if err := fill(n); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var left atomic.Int64
	left.Store(int64(n))
	start := time.Now()
	err := delivery.Relay{Store: store, Broker: null{}, Batch: batch, Observe: func(o delivery.Observation) {
		if left.Add(-int64(o.Count)) <= 0 {
			cancel()
		}
	}}.Run(ctx)
	return float64(n) / time.Since(start).Seconds(), err
}

// parallel calls f from some goroutines for d and counts the calls.
func parallel(d time.Duration, goroutines int, f func(worker int) error) (float64, error) {
	var done atomic.Int64
	var running sync.WaitGroup
	errs := make(chan error, goroutines)
	start := time.Now()
	for worker := range goroutines {
		running.Go(func() {
			for time.Since(start) < d {
				if err := f(worker); err != nil {
					errs <- err
					return
				}
				done.Add(1)
			}
		})
	}
	running.Wait()
	took := time.Since(start).Seconds()
	select {
	case err := <-errs:
		return 0, err
	default:
		return float64(done.Load()) / took, nil
	}
}
