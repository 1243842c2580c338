package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/event"
)

// item is one message on its way through the inbox.
type item struct {
	m       event.Message
	id      event.Identity
	route   *event.Route // nil: nobody handles it, but its lane's mark moves
	entry   Entry
	err     error // it could not be identified
	attempt Attempt
	age     time.Duration // since it was parked
	mark    *Mark         // of its lane, in the pass that it is in; nil if it needs none
	place   event.Key     // under which it is parked; the zero key for what just arrived
}

// careful is the most events in a transaction that undoes them one by one:
// PostgreSQL keeps 64 subtransactions of a transaction in memory.
const careful = 50

// receive handles what the broker delivered; nil acknowledges it. It runs in a
// goroutine of the broker: a panic is the error of the batch there, and of Run.
func (r *runner) receive(ctx context.Context, ms []event.Message) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = panicked(value)
			r.broken(err)
		}
	}()
	return r.take(ctx, ms)
}

func (r *runner) take(ctx context.Context, ms []event.Message) error {
	r.Step(InboxReceived)
	m, err := r.worker(ctx)
	if err != nil {
		return err
	}
	defer r.slots.give(m)
	items := r.items(ms)
	for len(items) > 0 {
		n := min(len(items), r.Batch)
		if err := r.batch(ctx, m, items[:n]); err != nil {
			r.Observe(Observation{Loop: LoopInbox, Consumer: r.consumer.Name, Err: err})
			r.Log.Warn("batch is delivered again", "consumer", r.consumer.Name, "events", n, "error", err)
			return err
		}
		items = items[n:]
	}
	r.Step(InboxCommitted)
	return nil
}

// batch handles some messages in one transaction where it can: suspects are
// handled alone, in their place.
func (r *runner) batch(parent context.Context, m Member, items []item) error {
	en, err := r.enlist(parent, m, keysOf(items))
	if err != nil {
		return err
	}
	ctx, cancel := lingering(parent, r.StopWithin)
	defer cancel()
	r.Step(InboxEnlisted)
	if len(en.Attempts) == 0 {
		return r.handle(ctx, m, items)
	}
	return r.segments(ctx, m, items, en)
}

// ErrFull is observed when a consumer takes nothing new because as many events
// are parked as it allows.
var ErrFull = errors.New("too many events are parked: nothing new is taken until some are handled")

// enlist notes the keys in flight, and waits while the consumer is paused, or
// while too much is parked.
func (r *runner) enlist(ctx context.Context, m Member, keys []event.Key) (Enlisted, error) {
	for told := false; ; {
		en, err := r.Store.Enlist(ctx, m, keys, false)
		if err != nil {
			return en, fmt.Errorf("note in flight: %w", err)
		}
		if !en.Paused && !en.Full {
			return en, nil
		}
		if en.Full && !told {
			told = true
			r.Observe(Observation{Loop: LoopInbox, Consumer: r.consumer.Name, Err: ErrFull})
			r.Log.Error("consumer takes nothing new", "consumer", r.consumer.Name, "parked", r.ParkAtMost, "error", ErrFull)
		}
		if err := r.Clock.Sleep(ctx, r.Poll); err != nil {
			return en, err
		}
	}
}

// segments handles a batch with suspects: what lies between them goes together.
func (r *runner) segments(ctx context.Context, m Member, items []item, en Enlisted) error {
	for len(items) > 0 {
		n := 0
		for n < len(items) && en.Attempts[items[n].entry.Key].Count == 0 {
			n++
		}
		if n > 0 {
			if _, err := r.Store.Enlist(ctx, m, keysOf(items[:n]), false); err != nil {
				return fmt.Errorf("note in flight: %w", err)
			}
			if err := r.handle(ctx, m, items[:n]); err != nil {
				return err
			}
			items = items[n:]
			continue
		}
		items[0].attempt = en.Attempts[items[0].entry.Key]
		if err := r.suspect(ctx, m, items[0]); err != nil {
			return err
		}
		items = items[1:]
	}
	return nil
}

// suspect handles alone an event that was in flight when a process ended. Its
// attempt is on disk before the handler sees it. One that was alone the last
// time too is parked first, so that its neighbours flow before it is tried.
func (r *runner) suspect(ctx context.Context, m Member, it item) error {
	if it.attempt.Count >= 2 && it.attempt.Open {
		return r.work(ctx, m, []item{it}, mode{careful: true, postpone: true})
	}
	return r.alone(ctx, m, it, mode{careful: true})
}

// alone counts an attempt on disk and handles one event.
func (r *runner) alone(ctx context.Context, m Member, it item, how mode) error {
	en, err := r.Store.Enlist(ctx, m, []event.Key{it.entry.Key}, true)
	if err != nil {
		return fmt.Errorf("note attempt: %w", err)
	}
	if en.Paused {
		return errPaused
	}
	crashed := it.attempt.Open
	it.attempt = en.Attempts[it.entry.Key]
	it.attempt.Open = crashed // about the attempt before this one
	return r.work(ctx, m, []item{it}, how)
}

var errPaused = errors.New("consumer was paused")

// handle tries everything in one transaction, then everything with each event
// undone alone, then each event in a transaction of its own.
func (r *runner) handle(ctx context.Context, m Member, items []item) error {
	err := r.work(ctx, m, items, mode{})
	if err == nil || ctx.Err() != nil {
		return err
	}
	for len(items) > 0 {
		n := min(len(items), careful)
		if err := r.work(ctx, m, items[:n], mode{careful: true}); err != nil {
			if ctx.Err() != nil {
				return err
			}
			if err := r.singly(ctx, m, items[:n]); err != nil {
				return err
			}
		}
		items = items[n:]
	}
	return nil
}

// singly blames an event for a transaction that fails with nothing else in it,
// as one does whose deferred constraint breaks at commit.
func (r *runner) singly(ctx context.Context, m Member, items []item) error {
	for _, it := range items {
		err := r.work(ctx, m, []item{it}, mode{careful: true})
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return err
		}
		if blame := r.work(ctx, m, []item{it}, mode{careful: true, blame: err}); blame != nil {
			return blame
		}
	}
	return nil
}

// races is how often work that lost a race is tried again at once.
const races = 5

// work is one transaction; one that lost a race is tried again.
func (r *runner) work(ctx context.Context, m Member, items []item, how mode) error {
	for try := 1; ; try++ {
		p := r.pass(how)
		err := r.Store.Work(ctx, m, func(ctx context.Context, w Work) error {
			p.w = w
			return p.run(ctx, items)
		})
		if err == nil {
			p.report()
			return nil
		}
		if !errors.Is(err, ErrRaced) || try == races {
			return err
		}
	}
}

func (r *runner) pass(how mode) *pass {
	return &pass{r: r, mode: how, marks: map[trail]*Mark{}, blocked: map[event.Lane]Why{}, waits: map[event.Lane]uint64{}}
}

func keysOf(items []item) []event.Key {
	keys := make([]event.Key, len(items))
	for i := range items {
		keys[i] = items[i].entry.Key
	}
	return keys
}
