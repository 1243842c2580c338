// Package memory is a broker inside one process, for tests and for programs
// that need no other. It delivers at least once, keeps the order of a partition,
// delivers a batch again whose handling failed, and can be told to misbehave.
package memory

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Partitions is how many a topic has.
const Partitions = 8

// Hub holds topics. The zero value is ready to use, and is safe for concurrent
// use.
type Hub struct {
	// Faults, when set before use, are what the hub does wrong.
	Faults Faults

	mu     sync.Mutex
	topics map[string]*topic
	dice   *rand.Rand
}

// Faults are the chances, from 0 to 1, that a broker misbehaves. The seed makes
// a run that can be repeated, as far as goroutines can.
type Faults struct {
	Seed      uint64
	Refuse    float64       // a message is not stored
	Duplicate float64       // a message is stored twice
	Reorder   float64       // a message changes places with the one before it
	Delay     time.Duration // a batch is delivered up to this much later
	DropAck   float64       // an acknowledged batch is delivered again
}

type topic struct {
	parts   [Partitions][]stored
	changed chan struct{} // closed when something is stored
	groups  map[string]*[Partitions]cursor
}

// stored is a message and when it came.
type stored struct {
	event.Message
	at time.Time
}

// cursor is where a group is in a partition.
type cursor struct {
	next int
	busy bool
}

// ErrRefused is what Publish answers for a message that a fault refused.
var ErrRefused = errors.New("memory broker: refused by a fault")

// Broker is a group's connection to a hub.
type Broker struct {
	Batch   int           // most messages delivered at once; 500
	Backoff time.Duration // before a batch that failed is delivered again; 10 ms

	hub   *Hub
	group string
}

var (
	_ delivery.Broker  = (*Broker)(nil)
	_ delivery.Lagging = (*Broker)(nil)
)

// Broker connects the named group.
func (h *Hub) Broker(group string) *Broker {
	return &Broker{Batch: 500, Backoff: 10 * time.Millisecond, hub: h, group: group}
}

// topic is looked up under the lock.
func (h *Hub) topic(name string) *topic {
	if h.topics == nil {
		h.topics = map[string]*topic{}
		h.dice = rand.New(rand.NewPCG(h.Faults.Seed, 1))
	}
	t := h.topics[name]
	if t == nil {
		t = &topic{changed: make(chan struct{}), groups: map[string]*[Partitions]cursor{}}
		h.topics[name] = t
	}
	return t
}

// chance is drawn under the lock.
func (h *Hub) chance(p float64) bool { return p > 0 && h.dice.Float64() < p }

// Publish implements delivery.Broker.
func (b *Broker) Publish(ctx context.Context, ms []event.Message) []error {
	b.hub.mu.Lock()
	defer b.hub.mu.Unlock()
	errs := make([]error, len(ms))
	failed := map[string]bool{}
	some := false
	for i, m := range ms {
		t := b.hub.topic(m.Topic)
		switch {
		case ctx.Err() != nil:
			errs[i] = ctx.Err()
		case failed[m.Topic+"\x00"+m.PartitionKey]:
			errs[i] = delivery.ErrHeld
		case b.hub.chance(b.hub.Faults.Refuse):
			errs[i] = ErrRefused
		default:
			b.hub.store(t, m)
			continue
		}
		failed[m.Topic+"\x00"+m.PartitionKey], some = true, true
	}
	if !some {
		return nil
	}
	return errs
}

func (h *Hub) store(t *topic, m event.Message) {
	f := fnv.New32a()
	_, _ = f.Write([]byte(m.PartitionKey))
	part := int(f.Sum32() % Partitions)
	m.Headers = clone(m.Headers)
	m.Payload = slices.Clone(m.Payload)
	times := 1
	if h.chance(h.Faults.Duplicate) {
		times = 2
	}
	for range times {
		m.Position = event.Position{Partition: int32(part), Offset: int64(len(t.parts[part]))}
		t.parts[part] = append(t.parts[part], stored{m, time.Now()})
	}
	if n := len(t.parts[part]); n > 1 && h.chance(h.Faults.Reorder) {
		t.parts[part][n-1], t.parts[part][n-2] = t.parts[part][n-2], t.parts[part][n-1]
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

func clone(h map[string]string) map[string]string {
	if h == nil {
		return nil
	}
	c := make(map[string]string, len(h))
	for k, v := range h {
		c[k] = v
	}
	return c
}

// Consume implements delivery.Broker. Consumers of one group share partitions. A
// panic of f ends all of them and comes out of Consume, where its caller can
// recover it.
func (b *Broker) Consume(ctx context.Context, topics []string, f func(context.Context, []event.Message) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	var panicked atomic.Pointer[string]
	for _, name := range topics {
		for part := range Partitions {
			running.Go(func() {
				defer func() {
					if v := recover(); v != nil {
						text := fmt.Sprintf("%v\n%s", v, debug.Stack())
						panicked.Store(&text)
						cancel()
					}
				}()
				b.consume(ctx, name, part, f)
			})
		}
	}
	running.Wait()
	if text := panicked.Load(); text != nil {
		panic(*text)
	}
	return nil
}

func (b *Broker) consume(ctx context.Context, name string, part int, f func(context.Context, []event.Message) error) {
	for ctx.Err() == nil {
		ms, wait := b.take(name, part)
		if len(ms) == 0 {
			select {
			case <-ctx.Done():
			case <-wait:
			case <-time.After(b.Backoff): // a partition that another consumer had may be free
			}
			continue
		}
		b.delay(ctx)
		if !b.deliver(ctx, name, part, ms, f) {
			_ = delivery.SystemClock{}.Sleep(ctx, b.Backoff)
		}
	}
}

// deliver gives the partition back also when f panics.
func (b *Broker) deliver(ctx context.Context, name string, part int, ms []event.Message, f func(context.Context, []event.Message) error) (handled bool) {
	defer func() { b.answer(name, part, len(ms), handled) }()
	return f(ctx, ms) == nil
}

func (b *Broker) take(name string, part int) ([]event.Message, <-chan struct{}) {
	b.hub.mu.Lock()
	defer b.hub.mu.Unlock()
	t := b.hub.topic(name)
	c := t.cursor(b.group, part)
	log := t.parts[part]
	if c.busy || c.next >= len(log) {
		return nil, t.changed
	}
	c.busy = true
	return messages(log[c.next:min(len(log), c.next+b.Batch)]), nil
}

func messages(log []stored) []event.Message {
	ms := make([]event.Message, len(log))
	for i := range log {
		ms[i] = log[i].Message
	}
	return ms
}

func (t *topic) cursor(group string, part int) *cursor {
	if t.groups[group] == nil {
		t.groups[group] = new([Partitions]cursor)
	}
	return &t.groups[group][part]
}

func (b *Broker) answer(name string, part, n int, acknowledged bool) {
	b.hub.mu.Lock()
	defer b.hub.mu.Unlock()
	c := b.hub.topic(name).cursor(b.group, part)
	c.busy = false
	if acknowledged && !b.hub.chance(b.hub.Faults.DropAck) {
		c.next += n
	}
}

func (b *Broker) delay(ctx context.Context) {
	b.hub.mu.Lock()
	d := b.hub.Faults.Delay
	if d > 0 {
		d = time.Duration(b.hub.dice.Int64N(int64(d)))
	}
	b.hub.mu.Unlock()
	if d > 0 {
		_ = delivery.SystemClock{}.Sleep(ctx, d)
	}
}

// Heal ends all faults.
func (h *Hub) Heal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Faults = Faults{}
}

// Behind is how many messages of a topic the group has not acknowledged.
func (h *Hub) Behind(group, name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(name)
	n := 0
	for part := range Partitions {
		n += len(t.parts[part]) - t.cursor(group, part).next
	}
	return n
}

// Backlog implements delivery.Lagging.
func (b *Broker) Backlog(context.Context) (lag delivery.Backlog, err error) {
	b.hub.mu.Lock()
	defer b.hub.mu.Unlock()
	for _, t := range b.hub.topics {
		cursors := t.groups[b.group]
		if cursors == nil {
			continue
		}
		lag.Topics++
		unread := 0
		for part, c := range cursors {
			if left := t.parts[part][c.next:]; len(left) > 0 {
				unread += len(left)
				lag.Oldest = max(lag.Oldest, time.Since(left[0].at))
			}
		}
		lag.Events += min(unread, delivery.BacklogMost)
	}
	return lag, nil
}

// Messages are all that a topic holds, partition by partition.
func (h *Hub) Messages(name string) []event.Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	return messages(slices.Concat(h.topic(name).parts[:]...))
}
