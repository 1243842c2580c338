package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/evcontract/evcontract/event"
)

// Relay sends committed events to a broker. Any number may run on one database:
// each owns some shards of lanes under a lease. A crash between sending and
// marking sends again; nothing is skipped because its transaction committed
// late, and the order of a lane is kept. Zero fields take the default that
// stands at the field. A value may run once at a time.
//
// It reads pending rows in the order of their sequence, and not from a cursor
// on: an event is appended while its transaction holds the aggregate, so the
// next event of that lane has a higher sequence and becomes visible later.
type Relay struct {
	Store  OutboxStore
	Broker Broker

	Owner      string        // unique for one run; host, process and a random part
	Loops      int           // that share the relay's shards and send at the same time; what suits the store
	Batch      int           // most events in one Publish, fewer when they are large; 500
	Lease      time.Duration // after which others may take the shards, at most half an hour; 15 s
	Poll       time.Duration // longest wait when there is nothing to send; 250 ms
	Publish    time.Duration // for one Publish; 30 s
	Retry      event.Retry   // pauses of a lane that the broker refuses; Attempts is not used: it never gives up
	StopWithin time.Duration // to finish the batch in hand after Run's context ended; then the broker's context ends, and one that doesn't heed that is waited for; 10 s
	Keep       time.Duration // how long payloads of published events are kept; 7 days
	Remember   time.Duration // how long keys are remembered; 30 days

	Clock   Clock
	Log     *slog.Logger
	Observe func(Observation)
	Step    func(Step) // for drills
}

// Run relays until ctx ends, then finishes the batch in hand, gives the shards
// back and returns nil. Failures of the database or the broker are logged,
// observed and tried again. A panic of the broker is a failure, one of Observe
// ends the run as its error.
func (r Relay) Run(ctx context.Context) error {
	if r.Store == nil || r.Broker == nil {
		return errors.New("relay without a Store or a Broker: set both fields")
	}
	r.defaults()
	leases := r.leases()
	r.Log.Info("relay started", "owner", r.Owner)
	r.enrol(ctx, leases)
	loops := make([]func(context.Context) error, len(leases))
	for i, lease := range leases {
		loops[i] = func(ctx context.Context) error { return r.loop(ctx, lease) }
	}
	failed := together(ctx, loops...)
	release, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.StopWithin)
	defer cancel()
	for _, lease := range leases {
		if err := r.Store.Release(release, lease); err != nil {
			failed = errors.Join(failed, fmt.Errorf("relay %s: release shards: %w", lease.Owner, err))
		}
	}
	return failed
}

// leases are one a loop. To a store each loop is a relay with shards of its own,
// so that what holds for several relays holds for several loops.
func (r *Relay) leases() []Lease {
	leases := make([]Lease, r.Loops)
	for i := range leases {
		leases[i] = Lease{Owner: r.Owner, For: r.Lease}
		if i > 0 {
			leases[i].Owner += fmt.Sprintf("/%d", i+1)
		}
	}
	return leases
}

// enrol makes all loops known before one takes shards that are another's: the
// second time each takes no more than its share. What fails here, a loop's own
// lease tries again.
func (r *Relay) enrol(ctx context.Context, leases []Lease) {
	if len(leases) == 1 {
		return
	}
	for range 2 {
		for _, lease := range leases {
			if _, err := r.Store.Lease(ctx, lease); err != nil {
				return
			}
		}
	}
}

func (r *Relay) defaults() {
	host, _ := os.Hostname() // an empty name is no reason to stand still
	r.Owner = or(r.Owner, fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:8]))
	r.Batch = min(atLeast(r.Batch, 1, 500), MostBatch)
	r.Loops = max(or(r.Loops, loopsOf(r.Store)), 1)
	r.Lease = min(atLeast(r.Lease, time.Millisecond, 15*time.Second), time.Hour/2)
	r.Poll = atLeast(r.Poll, time.Millisecond, 250*time.Millisecond)
	r.Publish = or(r.Publish, 30*time.Second)
	r.StopWithin = or(r.StopWithin, 10*time.Second)
	r.Keep = or(r.Keep, 7*24*time.Hour)
	r.Remember = or(r.Remember, 30*24*time.Hour)
	r.Clock = or[Clock](r.Clock, SystemClock{})
	r.Log = quiet(r.Log)
	if r.Observe == nil {
		r.Observe = func(Observation) {}
	}
	if r.Step == nil {
		r.Step = func(Step) {}
	}
}

// relaying is what the loop carries from round to round.
type relaying struct {
	leased  time.Time // when the lease was last asked for
	swept   time.Time // when retention last ran dry
	shards  int
	failing int // rounds in a row
	idle    time.Duration
}

const (
	busyPoll   = 5 * time.Millisecond
	sweepEvery = time.Hour

	// sweepPieces is how many pieces are forgotten each time that the lease is
	// renewed, while there are any: more than what can be appended meanwhile.
	sweepPieces = 20
)

func (r *Relay) loop(ctx context.Context, lease Lease) error {
	var at relaying
	at.swept = r.Clock.Now()
	for ctx.Err() == nil {
		sent, err := r.round(ctx, lease, &at)
		if err != nil && ctx.Err() == nil {
			at.failing++
			at.leased = time.Time{}
			r.Observe(Observation{Loop: LoopRelay, Consumer: r.Owner, Err: err})
			r.Log.Warn("relay round failed; it is tried again", "owner", r.Owner, "error", err)
			_ = r.Clock.Sleep(ctx, Wait(event.Retry{Initial: 50 * time.Millisecond, Max: 5 * time.Second}, at.failing))
			continue
		}
		at.failing = 0
		r.rest(ctx, lease, &at, sent)
	}
	return nil
}

// rest waits, longer each time that there was nothing to send.
func (r *Relay) rest(ctx context.Context, lease Lease, at *relaying, sent int) {
	switch {
	case sent >= r.Batch:
		at.idle = 0
		return
	case sent > 0:
		at.idle = busyPoll
	default:
		at.idle = min(max(2*at.idle, busyPoll), r.Poll)
	}
	_ = r.Store.Await(ctx, lease, at.idle) // a hint: the loop looks at ctx itself
}

// round leases, reads, publishes and marks once.
func (r *Relay) round(parent context.Context, lease Lease, at *relaying) (sent int, err error) {
	ctx, cancel := lingering(parent, r.StopWithin)
	defer cancel()
	if now := r.Clock.Now(); now.Sub(at.leased) >= r.Lease/3 || now.Before(at.leased) {
		if at.shards, err = r.Store.Lease(ctx, lease); err != nil {
			return 0, fmt.Errorf("lease: %w", err)
		}
		at.leased = now
		r.Step(RelayLeased)
		if lease.Owner == r.Owner { // one of the loops is enough
			r.sweep(ctx, at)
		}
	}
	if at.shards == 0 {
		return 0, nil
	}
	rows, err := r.Store.Pending(ctx, lease, r.Batch)
	if err != nil {
		return 0, fmt.Errorf("read pending: %w", err)
	}
	if len(rows) == 0 {
		return 0, nil
	}
	r.Step(RelayRead)
	return len(rows), r.send(ctx, lease, rows)
}

func (r *Relay) send(ctx context.Context, lease Lease, rows []Row) error {
	ms := make([]event.Message, len(rows))
	for i := range rows {
		ms[i] = rows[i].Message
	}
	start := r.Clock.Now()
	errs := r.publish(ctx, lease, ms)
	took := r.Clock.Now().Sub(start)
	r.Step(RelayPublished)
	sent, held := r.sort(rows, errs)
	if err := r.Store.Settle(ctx, lease, sent, held); err != nil {
		return fmt.Errorf("mark published: %w", err)
	}
	r.Step(RelayMarked)
	r.report(sent, held, took, errs)
	return nil
}

// publish is one call of the broker. A panic is an error of each message, and so
// is an answer that cannot be told apart: nobody knows what was stored.
func (r *Relay) publish(ctx context.Context, lease Lease, ms []event.Message) []error {
	ctx, cancel := context.WithTimeout(ctx, r.Publish)
	defer cancel()
	defer r.keep(ctx, lease)()
	var errs []error
	err := protect(func() error {
		if errs = r.Broker.Publish(ctx, ms); errs != nil && len(errs) != len(ms) {
			return fmt.Errorf("the broker answered for %d messages and was given %d", len(errs), len(ms))
		}
		for _, err := range errs {
			ask(err)
		}
		return nil
	})
	if err != nil {
		return slices.Repeat([]error{err}, len(ms))
	}
	return errs
}

// keep renews the lease while a broker takes long: else another relay would send
// the same, and what this one has sent could not be marked.
func (r *Relay) keep(ctx context.Context, lease Lease) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for r.Clock.Sleep(ctx, r.Lease/3) == nil {
			_ = r.Store.Settle(ctx, lease, nil, nil) // a lost lease shows when the batch is marked
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

type topicLane struct {
	topic string
	lane  event.Lane
}

// sort parts what was sent from lanes that must wait. What a broker stored of a
// lane behind its failed head counts as not sent, so that the lane arrives in
// order after all.
func (r *Relay) sort(rows []Row, errs []error) (sent []Row, held []Hold) {
	failed := map[topicLane]bool{}
	for i, row := range rows {
		lane := topicLane{row.Message.Topic, row.Lane}
		switch {
		case failed[lane]:
		case errs == nil || errs[i] == nil:
			sent = append(sent, row)
		default:
			failed[lane] = true
			held = append(held, r.hold(row, errs[i]))
		}
	}
	return sent, held
}

// hold makes the lane of a refused row wait. One that only stood behind another
// is tried again with it, and not counted.
func (r *Relay) hold(row Row, err error) Hold {
	h := Hold{Topic: row.Message.Topic, Lane: row.Lane, Attempts: row.Attempts, Error: first(err)}
	if !errors.Is(err, ErrHeld) {
		h.Attempts++
	}
	h.For = Wait(r.Retry, max(h.Attempts, 1))
	return h
}

func (r *Relay) report(sent []Row, held []Hold, took time.Duration, errs []error) {
	if len(sent) > 0 {
		r.Observe(Observation{
			Loop: LoopRelay, Consumer: r.Owner, Outcome: Published,
			Count: len(sent), Took: took, Age: sent[0].Age,
		})
	}
	if len(held) > 0 {
		r.Observe(Observation{Loop: LoopRelay, Consumer: r.Owner, Outcome: Held, Count: len(held), Err: firstOf(errs)})
		r.Log.Warn("lanes wait: the broker refused their head", "owner", r.Owner, "lanes", len(held), "error", firstOf(errs))
	}
}

// sweep forgets what may be forgotten, a piece at a time so that sending isn't
// delayed. What fails is tried again an hour later: it is no reason to stop.
func (r *Relay) sweep(ctx context.Context, at *relaying) {
	if r.Clock.Now().Sub(at.swept) < sweepEvery {
		return
	}
	for range sweepPieces {
		n, err := r.Store.Retain(ctx, r.Keep, r.Remember)
		if err != nil {
			r.Observe(Observation{Loop: LoopRelay, Consumer: r.Owner, Err: fmt.Errorf("retention: %w", err)})
			r.Log.Warn("retention failed", "owner", r.Owner, "error", err)
		}
		if n == 0 {
			at.swept = r.Clock.Now()
			return
		}
	}
}
