package deliverytest

import (
	"fmt"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// on is an entry in the chain of a topic.
func on(topic string, e delivery.Entry) delivery.Entry {
	e.Topic = topic
	return e
}

// inboxTrails: each topic has a mark of its own in a lane, and a consumer that
// changes its order goes on from what it kept under the other one.
func inboxTrails(_ *testing.T, b *bench) {
	m := b.join("one")
	set := func(topic string, version, was uint64) {
		b.work(m, delivery.Changes{Marks: []delivery.Mark{{Lane: lane("o-1"), Topic: topic, Version: version, Was: was, Event: "E", Key: key("k")}}})
	}
	marks := func(topics ...string) (texts []any) {
		var entries []delivery.Entry
		for _, topic := range topics {
			entries = append(entries, on(topic, entry("e "+topic, "o-1")))
		}
		for _, a := range b.work(m, delivery.Changes{}, entries...) {
			texts = append(texts, a.Mark.Topic, a.Mark.Version, a.Mark.Was, a.Mark.Borrowed)
		}
		return texts
	}
	set("", 3, 0)
	b.want("before it was contiguous", marks("a", "b"), []any{"a", 3, 0, true, "b", 3, 0, true})
	set("a", 5, 0)
	b.want("one topic has a mark", marks("a", "b"), []any{"a", 5, 5, false, "b", 3, 0, true})
	set("b", 4, 0)
	set("a", 7, 5)
	b.want("every topic has one", marks("a", "b"), []any{"a", 7, 7, false, "b", 4, 4, false})
	b.want("the lane's own", marks(""), []any{"", 3, 3, false})
	b.must(b.DB.Do(b.ctx, "DELETE FROM evc_mark WHERE topic = ''"))
	b.want("after it was contiguous", marks(""), []any{"", 7, 0, true})
	b.want("no topic knows of another", marks("c"), []any{"c", 0, 0, false})
}

// held is an event of o-1 in quarantine, for which its lane waits.
func (b *bench) held(version uint64) delivery.Changes {
	f := fact("o-1", version)
	return delivery.Changes{
		Outcomes: []delivery.Changed{{Key: f.Key(), Outcome: delivery.Quarantined}},
		Quarantine: []delivery.Case{{
			Consumer: Loyalty, Key: f.Key(), Lane: lane("o-1"), Version: version, Message: f.Message(version - 1), Reason: delivery.ReasonPermanent,
			Errors: []string{"failed"}, Attempts: 1, Build: "b", Host: "h", Owner: "team-drill", Within: time.Hour, Holds: true, Topic: Topic,
		}},
		Block: []delivery.Block{{Lane: lane("o-1"), Why: delivery.WhyQuarantine, For: -1}},
	}
}

func (b *bench) ofLane(version uint64) delivery.Entry {
	return on(Topic, entry(fact("o-1", version).Payment, "o-1"))
}

// waits parks events of o-1 behind what its lane waits for.
func (b *bench) waits(m delivery.Member, versions ...uint64) {
	b.t.Helper()
	for _, v := range versions {
		f := fact("o-1", v)
		b.work(m, delivery.Changes{
			Outcomes: []delivery.Changed{{Key: f.Key(), Outcome: delivery.Parked}},
			Park:     []delivery.Waiting{{Key: f.Key(), Lane: lane("o-1"), Version: v, Message: f.Message(v - 1)}},
		}, b.ofLane(v))
	}
}

// handed are the versions that are due in o-1; nil: the lane is not.
func (b *bench) handed(m delivery.Member) (versions []uint64) {
	b.t.Helper()
	due, err := b.store.Due(b.ctx, m, 10, time.Minute)
	b.must(err)
	for _, d := range due {
		versions = []uint64{}
		for _, w := range d.Waiting {
			versions = append(versions, w.Version)
		}
	}
	return versions
}

// handles takes parked events of o-1 out of their lane.
func (b *bench) handles(m delivery.Member, versions ...uint64) {
	b.t.Helper()
	var entries []delivery.Entry
	c := delivery.Changes{Unblock: []event.Lane{lane("o-1")}}
	for _, v := range versions {
		e := b.ofLane(v)
		e.Was = delivery.Parked
		entries, c.Unpark = append(entries, e), append(c.Unpark, e.Key)
	}
	b.work(m, c, entries...)
}

// operatorHolds: a lane with two cases goes on between them when the first is
// settled, and behind them when both are. What lies before a case is never left
// behind.
func operatorHolds(_ *testing.T, b *bench) {
	m := member("one")
	m.ByVersion = true
	b.must(b.store.Join(b.ctx, m))
	b.work(m, b.held(4), b.ofLane(4)) // what came before it was missing, and then came and failed
	b.work(m, b.held(2), b.ofLane(2))
	b.waits(m, 5, 3, 6)
	lowest := func() uint64 { return b.work(m, delivery.Changes{}, b.ofLane(9))[0].Waits }
	b.want("the lane waits for", lowest(), 2)
	b.want("due", b.handed(m) == nil, true)
	cases, err := b.store.Cases(b.ctx, delivery.CaseFilter{Consumer: Loyalty})
	b.must(err)
	four, two := cases[0].ID, cases[1].ID
	b.want("as it is read", []any{cases[0].Holds, cases[0].Topic}, []any{true, Topic})
	b.wantErr(b.store.Discard(b.ctx, []int64{four}, "me", "not this one"), delivery.ErrEarlier)
	b.must(b.store.Discard(b.ctx, []int64{two}, "me", "known"))
	b.want("passed", b.work(m, delivery.Changes{}, b.ofLane(8))[0].Mark.Version, 2)
	b.want("due between the cases", b.handed(m), []uint64{3})
	b.wantErr(b.store.Discard(b.ctx, []int64{four}, "me", "not while 3 waits"), delivery.ErrEarlier)
	b.handles(m, 3)
	b.want("due while the other case is open", b.handed(m) == nil, true)
	b.want("for", b.work(m, delivery.Changes{}, b.ofLane(7))[0], delivery.Entered{
		Seen: "", Blocked: delivery.WhyQuarantine, Waits: 4, Mark: delivery.Mark{Lane: lane("o-1"), Topic: Topic, Version: 2, Was: 2, Key: fact("o-1", 2).Key()},
	})
	b.must(b.store.Discard(b.ctx, []int64{four}, "me", "known"))
	b.want("due behind both", b.handed(m), []uint64{5, 6})
	b.handles(m, 5, 6)
	b.want("blocks", b.count("SELECT count(*) FROM evc_block"), 0)
}

// operatorDiscards: cases of one lane are settled in one go in whatever order
// they are named, and a case for which nothing waits moves nothing.
func operatorDiscards(_ *testing.T, b *bench) {
	m := member("one")
	m.ByVersion = true
	b.must(b.store.Join(b.ctx, m))
	b.work(m, b.held(4), b.ofLane(4))
	b.work(m, b.held(2), b.ofLane(2))
	loose := b.held(6)
	loose.Block, loose.Quarantine[0].Holds, loose.Quarantine[0].Reason = nil, false, delivery.ReasonConflict
	b.work(m, loose, b.ofLane(6))
	b.handles(m) // nothing waits in it any more, but a person must see to its cases
	b.want("blocks while cases are open", []any{b.count("SELECT count(*) FROM evc_block"), b.handed(m) == nil}, []any{1, true})
	b.must(b.store.Discard(b.ctx, []int64{1, 2, 3}, "me", "all of them"))
	b.want("the mark", b.work(m, delivery.Changes{}, b.ofLane(9))[0].Mark.Version, 4)
	b.want("due, for nothing", b.handed(m), []uint64{})
	b.handles(m)
	b.want("blocks", b.count("SELECT count(*) FROM evc_block"), 0)
}

// inboxLowest: the lowest version that waits is told whatever the lane waits for.
func inboxLowest(_ *testing.T, b *bench) {
	m := b.join("one")
	block := delivery.Changes{Block: []delivery.Block{{Lane: lane("o-1"), Why: delivery.WhyGap, For: time.Minute}}}
	b.work(m, block)
	told := func() []any {
		a := b.work(m, delivery.Changes{}, b.ofLane(9))[0]
		return []any{a.Blocked, a.Waits}
	}
	b.want("nothing waits", told(), []any{delivery.WhyGap, 0})
	b.waits(m, 7, 5, 6)
	b.want("of what is parked", told(), []any{delivery.WhyGap, 5})
	c := b.held(3)
	c.Block = nil
	b.work(m, c, b.ofLane(3))
	b.want("or of what holds the lane", told(), []any{delivery.WhyGap, 3})
	b.want("another lane", b.work(m, delivery.Changes{}, entry("x", "o-2"))[0].Waits, 0)
}

// inboxMany has a lane in which very many events wait: to ask about it, and to
// take the first ones out, takes no longer than where few do.
func inboxMany(t *testing.T, b *bench) {
	const few, many = 60, 12_000
	m := b.join("one")
	park := func(order string, from, to int) {
		c := delivery.Changes{Block: []delivery.Block{{Lane: lane(order), Why: delivery.WhyRetry}}}
		var entries []delivery.Entry
		for v := from; v < to; v++ {
			f := fact(order, uint64(v))
			entries = append(entries, entry(f.Payment, order))
			c.Outcomes = append(c.Outcomes, delivery.Changed{Key: f.Key(), Outcome: delivery.Parked})
			c.Park = append(c.Park, delivery.Waiting{Key: f.Key(), Lane: lane(order), Version: f.Version, Message: f.Message(f.Version - 1)})
		}
		b.work(m, c, entries...)
	}
	asked := 0
	takes := map[string]func(order string){
		"to ask about it": func(order string) {
			entries := make([]delivery.Entry, 50)
			for i := range entries {
				asked++
				entries[i] = entry(fmt.Sprint("asked ", asked), order)
			}
			b.want("waits", b.work(m, delivery.Changes{}, entries...)[0].Waits, 1)
		},
	}
	for name, byVersion := range map[string]bool{"to take from it": false, "to take from it by version": true} {
		m := m
		m.ByVersion = byVersion
		takes[name] = func(order string) {
			b.must(b.DB.Do(b.ctx, "UPDATE evc_block SET wake_at = NULL, held_by = NULL", "UPDATE evc_block SET wake_at = 1 WHERE lane_id = '"+order+"'"))
			due, err := b.store.Due(b.ctx, m, 10, time.Minute)
			b.must(err)
			if len(due) != 1 || len(due[0].Waiting) == 0 || due[0].Waiting[0].Version != 1 {
				t.Fatalf("got %d lanes", len(due))
			}
		}
	}
	park("few", 1, few)
	for from := 1; from < many; from += 1000 {
		park("many", from, from+1000)
	}
	timed := func(take func(string), order string) time.Duration {
		start := time.Now()
		take(order)
		return time.Since(start)
	}
	for name, take := range takes {
		a, z := time.Hour, time.Hour // the quickest of each: a busy machine makes some wait, not all
		for n := 0; n < 9 || n < 300 && z > 6*a; n++ {
			a, z = min(a, timed(take, "few")), min(z, timed(take, "many"))
		}
		if z > 6*a {
			t.Errorf("%s takes %s where %d wait, and %s where %d do", name, a, few, z, many)
		}
	}
}

// operatorRehearses has a dry run of more cases than are handed out at once,
// whose first inbox is gone in the middle of what it took.
func operatorRehearses(t *testing.T, b *bench) {
	const n = 120
	one, two := b.join("one"), b.join("two")
	var c delivery.Changes
	var entries []delivery.Entry
	for i := range n {
		f := fact(fmt.Sprint("o-", i), 1)
		entries = append(entries, entry(f.Payment, f.Order))
		c.Outcomes = append(c.Outcomes, delivery.Changed{Key: f.Key(), Outcome: delivery.Quarantined})
		c.Quarantine = append(c.Quarantine, delivery.Case{
			Consumer: Loyalty, Key: f.Key(), Lane: lane(f.Order), Version: 1, Message: f.Message(0), Reason: delivery.ReasonPermanent,
			Errors: []string{"failed"}, Attempts: 1, Build: "b", Host: "h", Owner: "team-drill", Within: time.Hour, Topic: Topic,
		})
	}
	b.work(one, c, entries...)
	found, err := b.store.Cases(b.ctx, delivery.CaseFilter{Consumer: Loyalty})
	b.must(err)
	request := delivery.Replay{Consumer: Loyalty, By: "me", Reason: "mended"}
	for _, q := range found {
		request.Cases = append(request.Cases, q.ID)
	}
	dry, err := b.store.Replay(b.ctx, request)
	b.must(err)

	answered := map[int64]bool{}
	take := func(m delivery.Member) []delivery.Blocked {
		due, err := b.store.Due(b.ctx, m, 10, time.Minute)
		b.must(err)
		return due
	}
	answer := func(m delivery.Member, lanes []delivery.Blocked) {
		for _, l := range lanes {
			for _, w := range l.Waiting {
				if answered[w.Case] {
					t.Errorf("case %d was handed out again", w.Case)
				}
				answered[w.Case] = true
				b.work(m, delivery.Changes{Rehearsed: []delivery.Rehearsed{{Replay: l.Replay, Case: w.Case, Outcome: delivery.Done}}})
			}
		}
	}
	first := take(one)
	if len(first) == 0 || len(first) >= n {
		t.Fatalf("%d of %d lanes were handed out at once", len(first), n)
	}
	answer(one, first[:len(first)/2])
	b.want("while the first has it", len(take(two)), 0)
	b.clock.Advance(2 * time.Minute)
	for lanes := take(two); len(lanes) > 0; lanes = take(two) {
		dry, err = b.store.Replay(b.ctx, delivery.Replay{ID: dry.ID})
		b.must(err)
		b.want("while it goes on", dry.State, delivery.ReplayRequested)
		answer(two, lanes)
	}
	dry, err = b.store.Replay(b.ctx, delivery.Replay{ID: dry.ID})
	b.must(err)
	b.want("at its end", []any{dry.State, len(dry.Results), len(answered)}, []any{delivery.ReplayRehearsed, n, n})
	b.clock.Advance(31 * 24 * time.Hour)
	_, err = b.store.Forget(b.ctx, Loyalty, 40*24*time.Hour, 30*24*time.Hour)
	b.must(err)
	b.want("answers that are kept", b.count("SELECT count(*) FROM evc_rehearsal"), 0)
}
