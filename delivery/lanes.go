package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/evcontract/evcontract/event"
)

// lanesAtOnce is how many lanes are taken in one look.
const lanesAtOnce = 4

// errRehearsed rolls a dry run back.
var errRehearsed = errors.New("dry run: rolled back")

// lanes drains blocked lanes whose time has come, until ctx ends. It also gives
// the run's signs of life.
func (r *runner) lanes(ctx context.Context) error {
	m := r.member
	m.Instance += "/lanes"
	var joined time.Time
	swept := r.Clock.Now()
	for {
		if now := r.Clock.Now(); now.Sub(joined) >= signOfLife || now.Before(joined) {
			if err := r.Store.Join(ctx, m); err != nil {
				r.lanesFailed(ctx, err)
			} else {
				joined = now
			}
		}
		if !joined.IsZero() && r.Clock.Now().Sub(swept) >= sweepEvery {
			swept = r.sweep(ctx, swept)
		}
		busy := !joined.IsZero() && r.drainDue(ctx, m)
		if busy && ctx.Err() == nil {
			continue
		}
		if r.Clock.Sleep(ctx, r.Poll) != nil {
			return nil
		}
	}
}

// sweep forgets a piece of what may be forgotten, and says when it last found
// nothing more. What fails is tried again some minutes later.
func (r *runner) sweep(ctx context.Context, swept time.Time) time.Time {
	n, err := r.Store.Forget(ctx, r.consumer.Name, r.policy.Remember, r.policy.Quarantine.Keep)
	switch {
	case err != nil:
		r.lanesFailed(ctx, err)
		return swept.Add(sweepEvery / 12)
	case n > 0:
		return swept
	}
	return r.Clock.Now()
}

const signOfLife = 20 * time.Second

// drainDue reports whether there was something to do.
func (r *runner) drainDue(ctx context.Context, m Member) bool {
	due, err := r.Store.Due(ctx, m, lanesAtOnce, r.laneHold())
	if err != nil {
		r.lanesFailed(ctx, err)
		return false
	}
	progress := false
	for i := range due {
		r.Step(LaneTaken)
		if err := r.drain(ctx, m, &due[i]); err != nil {
			r.lanesFailed(ctx, err)
			r.comeBack(ctx, m, &due[i])
			continue
		}
		r.Step(LaneCommitted)
		progress = true
	}
	return progress
}

// laneHold is how long nobody else takes a lane. If it is too short after all,
// the dedupe row of a parked event lets only one of the two handle it.
func (r *runner) laneHold() time.Duration {
	return 2*time.Second + lanesAtOnce*r.HandleWithin
}

// comeBack makes a lane due soon that could not be drained, so that it doesn't
// wait until its hold is over. When that fails too, it does.
func (r *runner) comeBack(ctx context.Context, m Member, b *Blocked) {
	if b.Why == WhyRehearsal {
		return
	}
	ctx, cancel := lingering(ctx, r.StopWithin)
	defer cancel()
	err := r.Store.Work(ctx, m, func(ctx context.Context, w Work) error {
		return w.Record(ctx, Changes{Block: []Block{{Lane: b.Lane, For: r.Poll}}})
	})
	if err != nil {
		r.lanesFailed(ctx, err)
	}
}

func (r *runner) lanesFailed(ctx context.Context, err error) {
	if ctx.Err() != nil || errors.Is(err, errPaused) {
		return
	}
	r.Observe(Observation{Loop: LoopLanes, Consumer: r.consumer.Name, Err: err})
	r.Log.Warn("lane was not drained; it is tried again", "consumer", r.consumer.Name, "error", err)
}

// drain handles what waits in a lane. An event that was tried before comes
// alone, with its attempt on disk before the handler sees it; those that only
// waited behind it go together.
func (r *runner) drain(parent context.Context, m Member, b *Blocked) error {
	ctx, cancel := lingering(parent, r.StopWithin)
	defer cancel()
	items := r.waiting(b)
	how := mode{careful: true, drain: b}
	switch {
	case b.Why == WhyRehearsal:
		return r.rehearse(ctx, m, b, items)
	case len(items) == 0: // only the block is left
		return r.work(ctx, m, nil, how)
	case items[0].attempt.Count > 0:
		return r.alone(ctx, m, items[0], how)
	}
	items = items[:untried(items)]
	en, err := r.Store.Enlist(ctx, m, keysOf(items), false)
	if err != nil {
		return err
	}
	if en.Paused {
		return errPaused
	}
	return r.work(ctx, m, items, how)
}

// untried is how many events of a lane, from its head, were never tried.
func untried(items []item) int {
	n := 0
	for n < len(items) && n < careful && items[n].attempt.Count == 0 {
		n++
	}
	return n
}

// rehearse handles quarantined events in a transaction that is rolled back, and
// notes what happened. Third-party calls are rows of that transaction, so a dry
// run cannot make any.
func (r *runner) rehearse(ctx context.Context, m Member, b *Blocked, items []item) error {
	p := r.pass(mode{careful: true, drain: b})
	err := r.Store.Work(ctx, m, func(ctx context.Context, w Work) error {
		p.w = w
		if err := p.run(ctx, items); err != nil {
			return err
		}
		return errRehearsed
	})
	if !errors.Is(err, errRehearsed) {
		return err
	}
	results := p.rehearsed(b)
	return r.Store.Work(ctx, m, func(ctx context.Context, w Work) error {
		return w.Record(ctx, Changes{Rehearsed: results})
	})
}

// rehearsed says of each case what the pass did with it.
func (p *pass) rehearsed(b *Blocked) []Rehearsed {
	outcome := map[event.Key]Outcome{}
	for _, o := range p.c.Outcomes {
		outcome[o.Key] = o.Outcome
	}
	for _, key := range p.c.Unpark {
		outcome[key] = or(outcome[key], Done)
	}
	var failure error
	for _, o := range p.seen {
		failure = errors.Join(failure, o.Err)
	}
	results := make([]Rehearsed, len(b.Waiting))
	for i, w := range b.Waiting {
		results[i] = Rehearsed{Replay: b.Replay, Case: w.Case, Outcome: or(outcome[w.Key], Parked)}
		if results[i].Outcome != Done && failure != nil {
			results[i].Error = first(failure)
			failure = nil // those behind the one that failed only wait
		}
	}
	return results
}

// waiting are the events of a lane as items.
func (r *runner) waiting(b *Blocked) []item {
	items := make([]item, 0, len(b.Waiting))
	for _, w := range b.Waiting {
		it, ok := r.item(w.Message)
		if !ok { // the consumer no longer reads this type: it passes
			it = item{m: w.Message, id: event.Identity{Key: w.Key, Lane: w.Lane, Version: w.Version}}
		}
		it.place = w.Key
		if it.err != nil || it.id.Key == w.Key || it.route == nil {
			it.entry.Key, it.entry.Lane, it.entry.Was = w.Key, w.Lane, Parked
			if b.Why == WhyRehearsal {
				it.entry.Was = Quarantined
			}
		} // else it could not be identified when it arrived, and now it can
		it.attempt, it.age = w.Attempt, w.Age
		items = append(items, it)
	}
	return items
}
