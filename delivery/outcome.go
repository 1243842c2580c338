package delivery

import (
	"errors"
	"fmt"
	"time"

	"github.com/evcontract/evcontract/event"
)

var errTooOld = errors.New("older than the keys that are remembered: it may have been handled before")

func (p *pass) note(it *item, o Outcome, took time.Duration) *Observation {
	loop := LoopInbox
	if p.mode.drain != nil {
		loop = LoopLanes
	}
	obs := Observation{
		Loop: loop, Consumer: p.r.consumer.Name, Event: it.m.Type, Revision: it.id.Revision,
		Outcome: o, Count: 1, Took: took,
	}
	if !it.m.Time.IsZero() {
		obs.Age = p.r.Clock.Now().Sub(it.m.Time)
	}
	p.seen = append(p.seen, obs)
	return &p.seen[len(p.seen)-1]
}

func (p *pass) duplicate(it *item, seen Outcome) {
	p.c.Counts.Duplicates++
	p.note(it, Duplicate, 0)
	if seen != Parked { // the attempts of one that is parked go on
		p.settled(it)
	}
}

func (p *pass) done(it *item, took time.Duration) {
	if it.route != nil {
		p.c.Counts.Handled++
		if it.route.Batch == nil || p.mode.careful {
			p.c.Counts.slot(took)
		}
		p.note(it, Done, took)
	}
	if m := it.mark; m != nil {
		m.move(it)
	}
	p.settled(it)
	if p.mode.drain == nil && p.blocked[it.entry.Lane] == WhyGap {
		// What the lane waited for: whatever is parked behind it may be next.
		p.c.Block = append(p.c.Block, Block{Lane: it.entry.Lane, Why: WhyGap})
	}
}

// move sets a mark to an event. One that nobody reads takes no version for
// itself: another major version of the same fact, which is read, may follow.
func (m *Mark) move(it *item) {
	if it.id.Version < m.Version {
		return
	}
	m.Borrowed = m.Borrowed && it.id.Version == m.Version
	switch {
	case it.route != nil:
		m.Version, m.Event, m.Key = it.id.Version, NameOf(it.m.Type), it.id.Key
	case it.id.Version > m.Version:
		m.Version, m.Event, m.Key = it.id.Version, "", it.id.Key
	}
}

// settled takes an event out of the lane that it waited in.
func (p *pass) settled(it *item) {
	p.unpark(it)
	if it.attempt.Count > 0 {
		p.c.Clear = append(p.c.Clear, it.entry.Key)
	}
}

func (p *pass) unpark(it *item) {
	if it.place == (event.Key{}) {
		return
	}
	p.c.Unpark = append(p.c.Unpark, it.place)
	if it.place != it.entry.Key {
		p.c.Outcomes = append(p.c.Outcomes, Changed{it.place, Done})
	}
}

func (p *pass) stale(it *item) {
	p.c.Counts.Stale++
	p.note(it, Stale, 0)
	p.c.Outcomes = append(p.c.Outcomes, Changed{it.entry.Key, Stale})
	p.settled(it)
}

// late is an event that a lane left behind which needs every step: a person
// must see it. One that nobody handles is no step.
func (p *pass) late(it *item) {
	if it.route == nil {
		p.stale(it)
		return
	}
	p.quarantine(it, ReasonLate, p.lateError(it))
}

// park makes an event wait. A block without a reason changes nothing in the
// lane: it waits already.
func (p *pass) park(it *item, b Block) {
	if b.Why != "" {
		p.c.Block = append(p.c.Block, b)
		p.blocked[b.Lane] = b.Why
	}
	p.wait(b.Lane, it.id.Version)
	if it.entry.Was != "" {
		p.stopped = true
		p.c.Outcomes = append(p.c.Outcomes, Changed{it.entry.Key, Parked})
		return
	}
	p.unpark(it)
	p.c.Counts.Parked++
	p.note(it, Parked, 0)
	p.c.Outcomes = append(p.c.Outcomes, Changed{it.entry.Key, Parked})
	p.c.Park = append(p.c.Park, Waiting{Key: it.entry.Key, Lane: it.entry.Lane, Version: it.id.Version, Message: it.m})
}

// fail counts an attempt that ended in an error.
func (p *pass) fail(it *item, err error) {
	p.c.Counts.Failed++
	p.note(it, Failed, 0).Err = err
	it.attempt.Count = max(it.attempt.Count, 1)
	it.attempt.Open = false
	p.r.Log.Warn("handling failed", "consumer", p.r.consumer.Name, "event", it.m.Type, "key", it.entry.Key.String(),
		"lane", it.entry.Lane.Type+"/"+it.entry.Lane.ID, "attempt", it.attempt.Count, "error", first(err))
	switch {
	case event.IsPermanent(err):
		p.quarantine(it, ReasonPermanent, err)
	case it.attempt.Count >= p.r.policy.Retry.Attempts:
		p.quarantine(it, ReasonExhausted, err)
	default:
		a := it.attempt
		a.Key, a.Error, a.Build = it.entry.Key, first(err), p.r.member.Build
		p.c.Attempts = append(p.c.Attempts, a)
		p.park(it, Block{Lane: it.entry.Lane, Why: WhyRetry, For: Wait(p.r.policy.Retry, a.Count)})
	}
}

// gap makes a lane wait for an event that is missing, for as long as it may. It
// is looked at in between, after twice the time each time: what was missing may
// have been parked by a batch that saw an older state of the lane, or handled
// before the lane was blocked, and then nothing else would wake it.
func (p *pass) gap(it *item) {
	left, look := p.r.GapWithin, 4*p.r.Poll
	if it.entry.Was != "" {
		left, look = left-it.age, max(look, it.age)
	}
	if left <= 0 {
		p.quarantine(it, ReasonGap, p.gapError(it))
		return
	}
	p.park(it, Block{Lane: it.entry.Lane, Why: WhyGap, For: min(left, look, Longest)})
}

func (p *pass) quarantine(it *item, why Reason, err error) {
	p.c.Counts.Quarantined++
	obs := p.note(it, Quarantined, 0)
	obs.Reason, obs.Err = why, err
	p.r.Log.Error("event quarantined", "consumer", p.r.consumer.Name, "event", it.m.Type, "key", it.entry.Key.String(),
		"lane", it.entry.Lane.Type+"/"+it.entry.Lane.ID, "reason", string(why), "attempts", it.attempt.Count)
	p.c.Outcomes = append(p.c.Outcomes, Changed{it.entry.Key, Quarantined})
	p.c.Quarantine = append(p.c.Quarantine, Case{
		Consumer: p.r.consumer.Name, Key: it.entry.Key, Lane: it.entry.Lane, Version: it.id.Version,
		Message: it.m, Reason: why, Errors: chain(err), Attempts: it.attempt.Count,
		First: it.attempt.First, Build: p.r.member.Build, Host: p.r.member.Host,
		Owner: or(p.r.policy.Owner, "unowned"), Within: p.r.policy.Quarantine.ResolveWithin,
		Holds: p.r.contiguous && needed(why), Topic: it.entry.Topic,
	})
	p.settled(it)
	if p.r.contiguous && needed(why) {
		p.c.Block = append(p.c.Block, Block{Lane: it.entry.Lane, Why: WhyQuarantine, For: -1})
		p.blocked[it.entry.Lane] = WhyQuarantine
		p.wait(it.entry.Lane, it.id.Version)
		p.stopped = p.mode.drain != nil
	}
}

// needed reports whether a consumer that needs every step still misses the
// event that was quarantined for this reason.
func needed(why Reason) bool {
	switch why {
	case ReasonUnidentified, ReasonTooOld, ReasonConflict, ReasonLate:
		return false
	}
	return true
}

// exhausted is why an event whose attempts are used up was never settled.
func exhausted(it *item) Reason {
	if it.attempt.Open {
		return ReasonCrash
	}
	return ReasonExhausted
}

func (p *pass) lastError(it *item) error {
	if it.attempt.Open {
		return fmt.Errorf("the process ended while it handled the event, build %s", it.attempt.Build)
	}
	return errors.New(or(it.attempt.Error, "attempts are used up"))
}

func (p *pass) conflictError(it *item) error {
	m := it.mark
	return fmt.Errorf("version %d of %s %s was taken by key %s", it.id.Version, it.entry.Lane.Type, it.entry.Lane.ID, m.Key)
}

func (p *pass) lateError(it *item) error {
	m := it.mark
	return fmt.Errorf("%s %s has gone on to version %d without version %d: discard it when the state holds what it says",
		it.entry.Lane.Type, it.entry.Lane.ID, m.Version, it.id.Version)
}

func (p *pass) gapError(it *item) error {
	m := it.mark
	return fmt.Errorf("%s %s is at version %d and version %d follows %d: what lies between never came",
		it.entry.Lane.Type, it.entry.Lane.ID, m.Version, it.id.Version, it.m.Previous)
}

// first is the text of an error, cut to what a row can hold.
func first(err error) string {
	if texts := chain(err); len(texts) > 0 {
		return texts[0]
	}
	return ""
}
