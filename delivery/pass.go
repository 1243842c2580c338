package delivery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/evcontract/evcontract/event"
)

// mode is how a pass treats its events.
type mode struct {
	careful  bool     // each event is undone alone when it fails
	postpone bool     // park them without a try
	blame    error    // what their transaction failed of, with nothing else in it
	drain    *Blocked // they come out of this lane
}

// pass is one transaction over some events. It lives for one try: nothing of it
// is kept when the transaction is rolled back.
type pass struct {
	r       *runner
	mode    mode
	w       Work
	marks   map[trail]*Mark
	room    []Mark // where they are
	blocked map[event.Lane]Why
	waits   map[event.Lane]uint64 // the lowest version that waits in a blocked lane
	stopped bool                  // draining: the lane waits again, the rest stays parked
	group   []*item
	c       Changes
	seen    []Observation // reported when the transaction has committed
}

// trail is what a mark is about: a lane, or what a topic has of it.
type trail struct {
	lane  event.Lane
	topic string
}

func trailOf(e Entry) trail { return trail{e.Lane, e.Topic} }

// errNarrow rolls a fast pass back: some event failed, and the next pass finds
// out which.
var errNarrow = errors.New("an event of the batch failed")

func (p *pass) run(ctx context.Context, items []item) error {
	entered, err := p.enter(ctx, items)
	if err != nil {
		return err
	}
	p.step(InboxEntered)
	for i := range items {
		if p.stopped {
			p.stay(items[i:], entered[i:])
			break
		}
		if err := p.one(ctx, &items[i], entered[i]); err != nil {
			return err
		}
	}
	if err := p.flush(ctx); err != nil {
		return err
	}
	p.step(InboxHandled)
	if err := p.w.Record(ctx, p.changes()); err != nil {
		return err
	}
	p.step(InboxRecorded)
	return nil
}

// stay leaves the rest of a lane parked: entering has claimed its dedupe rows.
func (p *pass) stay(items []item, entered []Entered) {
	for i := range items {
		if e := items[i].entry; e.Was != "" && entered[i].Seen == "" {
			p.c.Outcomes = append(p.c.Outcomes, Changed{e.Key, e.Was})
		}
	}
}

func (p *pass) step(s Step) {
	if p.mode.drain != nil {
		if s != InboxRecorded {
			return
		}
		s = LaneRecorded
	}
	p.r.Step(s)
}

// enter asks about every event once: of those that stand in the batch twice,
// the later one is a duplicate already.
func (p *pass) enter(ctx context.Context, items []item) ([]Entered, error) {
	first := make(map[event.Key]bool, len(items))
	entries := make([]Entry, 0, len(items))
	marked := 0
	again := make([]bool, len(items))
	for i := range items {
		e := items[i].entry
		again[i] = first[e.Key]
		if !again[i] {
			first[e.Key] = true
			entries = append(entries, e)
			if e.Marked {
				marked++
			}
		}
		if e.Bucket != Forever {
			p.c.Newest = max(p.c.Newest, e.Bucket)
		}
	}
	answers, err := p.w.Enter(ctx, entries)
	if err != nil {
		return nil, err
	}
	p.marks, p.room, p.seen = make(map[trail]*Mark, marked), make([]Mark, 0, marked), make([]Observation, 0, len(items))
	entered := make([]Entered, len(items))
	for i, next := 0, 0; i < len(items); i++ {
		it := &items[i]
		if again[i] {
			entered[i] = Entered{Seen: Duplicate}
		} else {
			entered[i] = answers[next]
			p.learn(&it.entry, &answers[next])
			next++
		}
		if it.mark = nil; it.entry.Marked {
			it.mark = p.marks[trailOf(it.entry)]
		}
	}
	return entered, nil
}

// learn keeps what is known of a lane; the pass changes it as it goes.
func (p *pass) learn(e *Entry, a *Entered) {
	if _, have := p.blocked[e.Lane]; !have && a.Blocked != "" && e.Lane != (event.Lane{}) {
		p.blocked[e.Lane] = a.Blocked
		p.wait(e.Lane, a.Waits)
	}
	if e.Marked && p.marks[trailOf(*e)] == nil {
		m := a.Mark
		m.Lane, m.Topic = e.Lane, e.Topic
		p.room = append(p.room, m)
		p.marks[trailOf(*e)] = &p.room[len(p.room)-1]
	}
}

// one decides what becomes of an event, in this order: it was seen before; it
// cannot be told whether it was; it is unreadable; its lane waits; its attempts
// are used up; its version says no; else it is handled.
func (p *pass) one(ctx context.Context, it *item, e Entered) error {
	lane := it.entry.Lane
	why, waits := p.blocked[lane]
	waits = waits && (p.mode.drain == nil || p.mode.drain.Lane != lane)
	says := p.guard(it)
	switch {
	case e.Seen != "":
		p.duplicate(it, e.Seen)
	case e.TooOld:
		p.quarantine(it, ReasonTooOld, errTooOld)
	case it.err != nil:
		p.quarantine(it, ReasonUnidentified, it.err)
	case waits && !p.passes(it, why, says):
		p.park(it, Block{Lane: lane})
	case p.mode.postpone:
		p.park(it, Block{Lane: lane, Why: WhyRetry, For: Wait(p.r.policy.Retry, it.attempt.Count)})
	case it.attempt.Count > p.r.policy.Retry.Attempts:
		it.attempt.Count-- // the one that was just counted isn't made
		p.quarantine(it, exhausted(it), p.lastError(it))
	case says == older:
		p.stale(it)
	case says == late:
		p.late(it)
	case says == conflict:
		p.quarantine(it, ReasonConflict, p.conflictError(it))
	case says == gap:
		p.gap(it)
	case p.mode.blame != nil:
		p.fail(it, p.mode.blame)
	default:
		return p.handle(ctx, it)
	}
	return nil
}

// passes reports whether an event may go past those that wait in its lane: what
// a gap waited for may, and the other event of the version that waits. What is
// behind them may not, although the lane's mark may have reached their version
// by such another event. What is in front of a case has a gap's time to wait for
// what is missing before it.
func (p *pass) passes(it *item, why Why, says verdict) bool {
	least := p.waits[it.entry.Lane]
	switch {
	case says == late:
		return true
	case says == gap:
		return why == WhyQuarantine && it.id.Version < least
	case says != follows:
		return false
	case why == WhyGap:
		return least == 0 || it.id.Version <= least
	}
	return why == WhyQuarantine && it.id.Version <= least
}

// wait notes a version that waits in a lane.
func (p *pass) wait(lane event.Lane, version uint64) {
	if least := p.waits[lane]; version > 0 && (least == 0 || version < least) {
		p.waits[lane] = version
	}
}

func (p *pass) guard(it *item) verdict {
	mark := it.mark
	if mark == nil || it.route == nil && it.id.Version == mark.Version {
		return follows
	}
	return guard(p.r.order(it.route), it.m, it.id, *mark, p.r.JoinMidway)
}

// handle runs the handler now, or together with others of its route.
func (p *pass) handle(ctx context.Context, it *item) error {
	if it.route != nil && it.route.Batch != nil && !p.mode.careful {
		if len(p.group) > 0 && p.group[0].route != it.route {
			if err := p.flush(ctx); err != nil {
				return err
			}
		}
		p.group = append(p.group, it)
		p.done(it, 0)
		return nil
	}
	if err := p.flush(ctx); err != nil {
		return err
	}
	if !p.mode.careful {
		took, err := p.call(ctx, it)
		if err != nil {
			return errors.Join(errNarrow, err)
		}
		p.done(it, took)
		return nil
	}
	var took time.Duration
	failed, err := p.w.Try(ctx, func(ctx context.Context) (err error) {
		took, err = p.call(ctx, it)
		return err
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil: // the stop cut it short: no fault of the event
		return ctx.Err()
	case failed != nil:
		p.fail(it, failed)
	default:
		p.done(it, took)
	}
	return nil
}

// flush calls the Batch handler of the events that wait for it.
func (p *pass) flush(ctx context.Context) error {
	if len(p.group) == 0 {
		return nil
	}
	took, err := p.callBatch(ctx, p.group)
	if err != nil {
		return errors.Join(errNarrow, err)
	}
	for range p.group {
		p.c.Counts.slot(took / time.Duration(len(p.group)))
	}
	p.group = nil
	return nil
}

// changes completes what Record is given.
func (p *pass) changes() Changes {
	moved := make([]*Mark, 0, len(p.marks))
	for _, m := range p.marks {
		if m.Version != m.Was && !m.Borrowed {
			moved = append(moved, m)
		}
	}
	slices.SortFunc(moved, func(a, b *Mark) int {
		return cmp.Or(cmp.Compare(a.Lane.Type, b.Lane.Type), cmp.Compare(a.Lane.ID, b.Lane.ID), cmp.Compare(a.Topic, b.Topic))
	})
	p.c.Marks = slices.Grow(p.c.Marks, len(moved))
	for _, m := range moved {
		p.c.Marks = append(p.c.Marks, *m)
	}
	if p.mode.drain != nil && !p.stopped {
		p.c.Unblock = append(p.c.Unblock, p.mode.drain.Lane)
	}
	return p.c
}

// report tells the observers what has committed.
func (p *pass) report() {
	for _, o := range p.seen {
		p.r.Observe(o)
	}
}
