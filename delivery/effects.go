package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/evcontract/evcontract/event"
)

// Effects makes the third-party calls that handlers recorded with Tx.Intend,
// after their transaction has committed. A call is marked as sent, on disk,
// before it is made. When nobody can tell whether it arrived it is unknown, and
// the third party is asked before anything is sent again.
//
//	pending → sent → confirmed | failed | unknown,  unknown → confirmed | pending
//
// Zero fields take the default that stands at the field.
type Effects struct {
	Store CallStore
	Do    map[string]Effect // by the name that the consumer declares

	Owner      string        // unique for one run; random
	Batch      int           // calls made at the same time; 16
	Poll       time.Duration // when there is nothing to do; 250 ms
	StopWithin time.Duration // to finish the call in hand after Run's context ended; 10 s

	Clock   Clock
	Log     *slog.Logger
	Observe func(Observation)
	Step    func(Step) // for drills
}

// Effect is how one kind of third-party call is made.
type Effect struct {
	// Call sends the request under its key and returns what the third party
	// calls it. An error that is event.Permanent means refused for good; one
	// that is NotSent means surely not received; any other leaves it unknown.
	Call func(ctx context.Context, e event.Effect) (reference string, err error)

	// Reconcile asks the third party for a key. It returns ErrAbsent when the
	// third party surely doesn't have it, and will not get it any more: the call
	// is then made again. A request that has left cannot be called back, so a
	// third party that is asked while one is still on its way says that it has
	// nothing, and gets it twice. Settle is the time that is waited for that;
	// a third party that refuses a second request with the same key is the only
	// full protection. Nil: it cannot be asked, and an unknown call is sent
	// again under the same key while KeyValid lasts.
	Reconcile func(ctx context.Context, e event.Effect) (reference string, err error)

	// KeyValid is how long the third party remembers a key, counted from when
	// the call was recorded. After it nothing is sent again without asking. Zero
	// means that it doesn't know keys at all: then an unknown call that cannot
	// be asked for is left to a person.
	KeyValid time.Duration

	Within time.Duration // for one Call or Reconcile; 30 s

	// Settle is how long a request may still be on its way after the time of its
	// Call has run out: in a proxy's queue, or in a worker of the third party.
	// Nothing is asked and nothing sent again before; as long as Within.
	Settle time.Duration

	Retry event.Retry // after the last attempt a call that was surely not received has failed, others are left to a person
}

// ErrAbsent is what Reconcile returns for a key that the third party has not
// received.
var ErrAbsent = errors.New("the third party does not have this key")

const callWithin = 30 * time.Second

// NotSent marks the error of a call that surely never reached the third party,
// as a refused connection: it may be made again without asking.
func NotSent(err error) error {
	if err == nil {
		return nil
	}
	return notSent{err}
}

type notSent struct{ error }

func (n notSent) Unwrap() error { return n.error }

// Run makes calls until ctx ends, then finishes the call in hand and returns
// nil. It refuses an effect without a Call. A panic of Call or Reconcile is a
// failure of its call, one of Observe ends the run as its error.
func (x Effects) Run(ctx context.Context) error {
	names, err := x.defaults()
	if err != nil {
		return err
	}
	err = together(ctx, func(ctx context.Context) error { return x.loop(ctx, names) })
	if err != nil {
		return fmt.Errorf("effects: %w", err)
	}
	return nil
}

func (x *Effects) loop(ctx context.Context, names []string) error {
	for ctx.Err() == nil {
		n, err := x.round(ctx, names)
		if broken := (*PanicError)(nil); errors.As(err, &broken) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			x.Observe(Observation{Loop: LoopEffects, Consumer: x.Owner, Err: err})
			x.Log.Warn("effects round failed; it is tried again", "error", err)
		}
		if n == 0 || err != nil {
			_ = x.Clock.Sleep(ctx, x.Poll)
		}
	}
	return nil
}

func (x *Effects) defaults() ([]string, error) {
	if x.Store == nil || len(x.Do) == 0 {
		return nil, errors.New("effects without a Store or without anything to Do: set both fields")
	}
	names := make([]string, 0, len(x.Do))
	for name, e := range x.Do {
		if e.Call == nil {
			return nil, fmt.Errorf("effect %s: no Call: set the field", name)
		}
		names = append(names, name)
	}
	x.Owner = or(x.Owner, rand.Text())
	x.Batch = min(atLeast(x.Batch, 1, 16), MostBatch)
	x.Poll = atLeast(x.Poll, time.Millisecond, 250*time.Millisecond)
	x.StopWithin = or(x.StopWithin, 10*time.Second)
	x.Clock = or[Clock](x.Clock, SystemClock{})
	x.Log = quiet(x.Log)
	if x.Observe == nil {
		x.Observe = func(Observation) {}
	}
	if x.Step == nil {
		x.Step = func(Step) {}
	}
	return names, nil
}

// round claims some calls and takes each one step on, all at the same time: what
// takes long is waiting for the third party.
func (x *Effects) round(parent context.Context, names []string) (int, error) {
	ctx, cancel := lingering(parent, x.StopWithin)
	defer cancel()
	calls, err := x.Store.Claim(ctx, x.Owner, names, x.Batch, x.hold())
	if err != nil {
		return 0, fmt.Errorf("claim calls: %w", err)
	}
	errs := make(chan error, len(calls))
	var running sync.WaitGroup
	for _, c := range calls {
		running.Go(func() { errs <- protect(func() error { return x.advance(ctx, c) }) })
	}
	running.Wait()
	close(errs)
	for e := range errs {
		if !errors.Is(e, ErrFenced) { // another executor has it
			err = errors.Join(err, e)
		}
	}
	return len(calls), err
}

// hold is longer than any call may take and its request be on its way. A claim
// that runs out before its call is made is noticed when the call is marked as
// sent.
func (x *Effects) hold() time.Duration {
	longest := 2 * time.Second
	for _, e := range x.Do {
		longest = max(longest, 2*or(e.Within, callWithin), e.settled(0))
	}
	return longest
}

// settled is how long it takes, after so much of a call's time, until no request
// of it can be on its way.
func (e Effect) settled(after time.Duration) time.Duration {
	within := or(e.Within, callWithin)
	return max(0, within-after) + or(e.Settle, within)
}

func (x *Effects) advance(ctx context.Context, c Call) error {
	e := x.Do[c.Name]
	var err error
	if c.State == CallPending {
		c, err = x.call(ctx, e, c)
	} else { // sent by an executor that is gone, or unknown
		c = x.reconcile(ctx, e, c)
	}
	if err != nil {
		return err
	}
	x.Step(EffectCalled)
	if err := x.Store.Answer(ctx, x.Owner, c); err != nil {
		return fmt.Errorf("effect %s: note %s: %w", c.Name, c.State, err)
	}
	x.Step(EffectSettled)
	return nil
}

// call marks a call as sent and makes it.
func (x *Effects) call(ctx context.Context, e Effect, c Call) (Call, error) {
	c.State, c.Next = CallSent, x.hold()
	c.Attempts++
	if err := x.Store.Answer(ctx, x.Owner, c); err != nil {
		return c, fmt.Errorf("effect %s: note sent: %w", c.Name, err)
	}
	x.Step(EffectSending)
	c.Reference, c.Error = "", ""
	start := x.Clock.Now()
	reference, err := x.within(ctx, e, e.Call, c)
	took := max(0, x.Clock.Now().Sub(start))
	x.observe(c, Called, err)
	var never notSent
	switch {
	case err == nil:
		c.State, c.Reference = CallConfirmed, reference
	case event.IsPermanent(err):
		c.State, c.Error = CallFailed, first(err)
	case errors.As(err, &never):
		c = again(e, c, err)
	default:
		c = unknown(e, c, err)
		if c.Next >= 0 {
			c.Next = max(c.Next, e.settled(took))
		}
	}
	return c, nil
}

// reconcile settles a call that nobody here can tell about.
func (x *Effects) reconcile(ctx context.Context, e Effect, c Call) Call {
	valid := c.Age < e.KeyValid
	if e.Reconcile == nil {
		if valid {
			return again(e, c, errors.New(or(c.Error, "executor was gone before the answer")))
		}
		c.State, c.Next = CallUnknown, -1
		c.Error = or(c.Error, "cannot be asked for, and the key may have been forgotten: a person must look")
		return c
	}
	reference, err := x.within(ctx, e, e.Reconcile, c)
	x.observe(c, Reconciled, err)
	switch {
	case err == nil:
		c.State, c.Reference, c.Error = CallConfirmed, reference, ""
	case errors.Is(err, ErrAbsent):
		c = again(e, c, err)
	default:
		c.Attempts++
		c = unknown(e, c, err)
	}
	return c
}

// again sends later, unless the attempts are used up.
func again(e Effect, c Call, err error) Call {
	c.State, c.Error, c.Next = CallPending, first(err), Wait(e.Retry, c.Attempts)
	if c.Attempts >= retryDefaults(e.Retry).Attempts {
		c.State = CallFailed
	}
	return c
}

// unknown asks later, unless the attempts are used up: then a person must look.
func unknown(e Effect, c Call, err error) Call {
	c.State, c.Error, c.Next = CallUnknown, first(err), Wait(e.Retry, c.Attempts)
	if c.Attempts >= retryDefaults(e.Retry).Attempts {
		c.Next = -1
	}
	return c
}

func (x *Effects) within(ctx context.Context, e Effect, f func(context.Context, event.Effect) (string, error), c Call) (reference string, err error) {
	ctx, cancel := context.WithTimeout(ctx, or(e.Within, callWithin))
	defer cancel()
	err = protect(func() (err error) {
		reference, err = f(ctx, c.Effect)
		return err
	})
	return asText(reference), err
}

func (x *Effects) observe(c Call, what Outcome, err error) {
	x.Observe(Observation{Loop: LoopEffects, Consumer: c.Consumer, Event: c.Name, Outcome: what, Count: 1, Age: c.Age, Err: err})
	if err != nil {
		x.Log.Warn("third-party call", "effect", c.Name, "key", c.Key.String(), "attempt", c.Attempts, "error", first(err))
	}
}
