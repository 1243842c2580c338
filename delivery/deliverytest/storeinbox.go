package deliverytest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

func member(instance string) delivery.Member {
	return delivery.Member{Consumer: Loyalty, Instance: instance, Owner: "team-drill", Revision: "r", Build: "b", Host: "h"}
}

func key(payment string) event.Key { return event.NewKey("OrderPaid", payment) }

func lane(order string) event.Lane { return event.Lane{Type: "order", ID: order} }

func entry(payment, order string) delivery.Entry {
	return delivery.Entry{Key: key(payment), Lane: lane(order), Bucket: delivery.BucketOf(event.Identity{Time: epoch}, event.Message{}), Marked: true}
}

func (b *bench) join(instance string) delivery.Member {
	b.t.Helper()
	m := member(instance)
	b.must(b.store.Join(b.ctx, m))
	return m
}

// work enters entries and records changes in one transaction.
func (b *bench) work(m delivery.Member, c delivery.Changes, entries ...delivery.Entry) []delivery.Entered {
	b.t.Helper()
	answers, err := b.tryWork(m, c, entries...)
	b.must(err)
	return answers
}

func (b *bench) tryWork(m delivery.Member, c delivery.Changes, entries ...delivery.Entry) (answers []delivery.Entered, err error) {
	err = b.store.Work(b.ctx, m, func(ctx context.Context, w delivery.Work) (err error) {
		if answers, err = w.Enter(ctx, entries); err != nil {
			return err
		}
		return w.Record(ctx, c)
	})
	return answers, err
}

func message(order string, version uint64) event.Message {
	f := fact(order, version)
	d := f.Draft("OrderPaid.v1")
	return event.Message{ID: d.ID.String(), Type: d.Event, Topic: d.Topic, Version: version, Payload: d.Payload, Time: d.Time}
}

func inboxEnters(_ *testing.T, b *bench) {
	m := b.join("one")
	got := b.work(m, delivery.Changes{Outcomes: []delivery.Changed{{Key: key("b"), Outcome: delivery.Stale}}}, entry("b", "o-1"), entry("a", "o-2"))
	b.want("new", []any{got[0].Seen, got[1].Seen}, []any{"", ""})
	got = b.work(m, delivery.Changes{}, entry("a", "o-2"), entry("b", "o-1"), entry("c", "o-1"))
	b.want("again", []any{got[0].Seen, got[1].Seen, got[2].Seen}, []any{delivery.Done, delivery.Stale, ""})
	undone := errors.New("undone")
	b.wantErr(b.store.Work(b.ctx, m, func(ctx context.Context, w delivery.Work) error {
		_, err := w.Enter(ctx, []delivery.Entry{entry("d", "o-1")})
		b.must(err)
		return undone
	}), undone)
	got = b.work(m, delivery.Changes{}, entry("d", "o-1"))
	b.want("after a rollback", got[0].Seen, "")
	other := m
	other.Consumer = Notify
	b.must(b.store.Join(b.ctx, other))
	got = b.work(other, delivery.Changes{}, entry("a", "o-2"))
	b.want("another consumer", got[0].Seen, "")
}

func inboxTries(_ *testing.T, b *bench) {
	m := b.join("one")
	insert := func(ctx context.Context, w delivery.Work, k string) error {
		return b.DB.Exec(ctx, w.Tx(), "INSERT INTO t_provider (key) VALUES ($1)", k)
	}
	b.must(b.store.Work(b.ctx, m, func(ctx context.Context, w delivery.Work) error {
		for _, k := range []string{"a", "bad", "b", "worse", "c"} {
			failed, err := w.Try(ctx, func(ctx context.Context) error {
				b.must(insert(ctx, w, k))
				switch k {
				case "bad":
					return errors.New("undo me")
				case "worse":
					return b.DB.Exec(ctx, w.Tx(), "INSERT INTO no_such_table VALUES (1)")
				}
				return nil
			})
			b.must(err)
			b.want(k+" failed", failed != nil, k == "bad" || k == "worse")
		}
		return w.Record(ctx, delivery.Changes{})
	}))
	b.want("kept", b.count("SELECT count(*) FROM t_provider"), 3)
}

func inboxMarks(_ *testing.T, b *bench) {
	m := b.join("one")
	at := func(version, was uint64) delivery.Changes {
		return delivery.Changes{Marks: []delivery.Mark{{Lane: lane("o-1"), Version: version, Was: was, Event: "OrderPaid", Key: key("k")}}}
	}
	b.work(m, at(3, 0))
	_, err := b.tryWork(m, at(4, 0))
	b.wantErr(err, delivery.ErrRaced)
	b.work(m, at(5, 3))
	_, err = b.tryWork(m, at(6, 3))
	b.wantErr(err, delivery.ErrRaced)
	got := b.work(m, delivery.Changes{}, entry("x", "o-1"), entry("y", "o-2"))
	b.want("mark", got[0].Mark, delivery.Mark{Lane: lane("o-1"), Version: 5, Was: 5, Event: "OrderPaid", Key: key("k")})
	b.want("no mark", got[1].Mark.Version, 0)
}

func inboxLanes(_ *testing.T, b *bench) {
	m := b.join("one")
	b.work(m, delivery.Changes{
		Outcomes: []delivery.Changed{{Key: key("a"), Outcome: delivery.Parked}, {Key: key("b"), Outcome: delivery.Parked}},
		Block:    []delivery.Block{{Lane: lane("o-1"), Why: delivery.WhyRetry, For: time.Second}},
		Park: []delivery.Waiting{
			{Key: key("a"), Lane: lane("o-1"), Version: 2, Message: message("o-1", 2)},
			{Key: key("b"), Lane: lane("o-1"), Version: 1, Message: message("o-1", 1)},
		},
		Attempts: []delivery.Attempt{{Key: key("a"), Count: 1, Error: "failed"}},
	}, entry("a", "o-1"), entry("b", "o-1"))
	got := b.work(m, delivery.Changes{}, entry("c", "o-1"), entry("d", "o-2"))
	b.want("blocked", []any{got[0].Blocked, got[1].Blocked}, []any{delivery.WhyRetry, ""})
	due, err := b.store.Due(b.ctx, m, 10, time.Minute)
	b.must(err)
	b.want("not yet due", len(due), 0)
	b.clock.Advance(time.Second)
	due, err = b.store.Due(b.ctx, m, 10, time.Minute)
	b.must(err)
	b.want("due", []any{len(due), due[0].Lane, len(due[0].Waiting)}, []any{1, lane("o-1"), 2})
	w := due[0].Waiting
	b.want("order of arrival", []any{w[0].Key, w[1].Key}, []any{key("a"), key("b")})
	b.want("attempt", []any{w[0].Attempt.Count, w[0].Attempt.Error, w[1].Attempt.Count}, []any{1, "failed", 0})
	b.want("payload", string(w[0].Message.Payload), string(message("o-1", 2).Payload))
	again, err := b.store.Due(b.ctx, m, 10, time.Minute)
	b.must(err)
	b.want("held", len(again), 0)
	was := entry("a", "o-1")
	was.Was = delivery.Parked
	got = b.work(m, delivery.Changes{Unpark: []event.Key{key("a")}, Clear: []event.Key{key("a")}, Unblock: []event.Lane{lane("o-1")}}, was)
	b.want("parked enters", got[0].Seen, "")
	due, err = b.store.Due(b.ctx, m, 10, time.Minute)
	b.must(err)
	b.want("the rest is due at once", []any{len(due), len(due[0].Waiting)}, []any{1, 1})
	b.want("a raced parked event", b.work(m, delivery.Changes{}, was)[0].Seen, delivery.Done)
	was = entry("b", "o-1")
	was.Was = delivery.Parked
	b.work(m, delivery.Changes{Unpark: []event.Key{key("b")}, Unblock: []event.Lane{lane("o-1")}}, was)
	b.want("blocks", b.count("SELECT count(*) FROM evc_block"), 0)
	b.want("attempts", b.count("SELECT count(*) FROM evc_attempt"), 0)
}

func inboxAdopts(_ *testing.T, b *bench) {
	one := b.join("one")
	keys := []event.Key{key("a"), key("b"), key("c")}
	en, err := b.store.Enlist(b.ctx, one, keys, false)
	b.must(err)
	b.want("healthy", len(en.Attempts), 0)
	two := b.join("two") // one is gone
	en, err = b.store.Enlist(b.ctx, two, keys[:2], false)
	b.must(err)
	b.want("suspects", []any{len(en.Attempts), en.Attempts[key("a")].Count, en.Attempts[key("a")].Open}, []any{2, 1, true})
	en, err = b.store.Enlist(b.ctx, two, keys[:1], true)
	b.must(err)
	b.want("counted", en.Attempts[key("a")].Count, 2)
	b.work(two, delivery.Changes{Clear: keys[:1]}, entry("a", "o-1"))
	three := b.join("three")
	en, err = b.store.Enlist(b.ctx, three, keys, false)
	b.must(err)
	b.want("settled ones are no suspects", len(en.Attempts), 2)
	// A member that was only slow takes its keys back.
	en, err = b.store.Enlist(b.ctx, three, []event.Key{key("s")}, false)
	b.must(err)
	b.join("four")
	b.work(three, delivery.Changes{}, entry("s", "o-9"))
	b.want("slow", b.count("SELECT count(*) FROM evc_attempt"), 2)
}

func inboxForgets(_ *testing.T, b *bench) {
	m := b.join("one")
	old, fresh := entry("old", "o-1"), entry("fresh", "o-2")
	fresh.Bucket = old.Bucket + 40
	day := 24 * time.Hour
	b.work(m, delivery.Changes{Newest: old.Bucket}, old)
	_, err := b.store.Forget(b.ctx, Loyalty, 30*day, day)
	b.must(err)
	b.want("still known", b.work(m, delivery.Changes{}, old)[0].Seen, delivery.Done)
	b.work(m, delivery.Changes{Newest: fresh.Bucket}, fresh)
	_, err = b.store.Forget(b.ctx, Loyalty, 30*day, day)
	b.must(err)
	b.want("an event from the future forgets nothing", b.work(m, delivery.Changes{}, old)[0].Seen, delivery.Done)
	b.clock.Advance(40 * day)
	_, err = b.store.Forget(b.ctx, Loyalty, 30*day, day)
	b.must(err)
	got := b.work(m, delivery.Changes{}, old, fresh)
	b.want("too old", []any{got[0].Seen, got[0].TooOld, got[1].Seen, got[1].TooOld}, []any{"", true, delivery.Done, false})
}

// inboxForgetsAll: old keys are found behind more than a piece of those that are
// never forgotten.
func inboxForgetsAll(_ *testing.T, b *bench) {
	m := b.join("one")
	const day, each = 24 * time.Hour, 12_000
	today := entry("today", "o-1").Bucket
	for _, bucket := range []int{delivery.Forever, today} {
		for n := 0; n < each; n += 1000 {
			entries := make([]delivery.Entry, 1000)
			for i := range entries {
				entries[i] = entry(fmt.Sprintf("%d-%d", bucket, n+i), "o-1")
				entries[i].Bucket = bucket
			}
			b.work(m, delivery.Changes{Newest: today}, entries...)
		}
	}
	fresh := entry("fresh", "o-1")
	fresh.Bucket += 40
	b.work(m, delivery.Changes{Newest: fresh.Bucket}, fresh)
	b.clock.Advance(40 * day)
	for {
		n, err := b.store.Forget(b.ctx, Loyalty, 30*day, day)
		b.must(err)
		if n == 0 {
			break
		}
	}
	b.want("keys that are left", b.count("SELECT count(*) FROM evc_seen"), each+1)
}

func operatorPauses(_ *testing.T, b *bench) {
	_, err := b.store.Pause(b.ctx, Loyalty, true, "me")
	b.wantErr(err, delivery.ErrNoConsumer)
	m := b.join("one")
	pause := func(paused bool, by string, changes bool) {
		changed, err := b.store.Pause(b.ctx, Loyalty, paused, by)
		b.must(err)
		b.want("changed by "+by, changed, changes)
	}
	pause(false, "nobody", false)
	pause(true, "me", true)
	pause(true, "another", false)
	en, err := b.store.Enlist(b.ctx, m, []event.Key{key("a")}, true)
	b.must(err)
	b.want("paused", en.Paused, true)
	st, err := b.store.Status(b.ctx)
	b.must(err)
	b.want("status", []any{len(st.Consumers), st.Consumers[0].Paused, st.Consumers[0].PausedBy, st.Consumers[0].Members}, []any{1, true, "me", 1})
	pause(false, "me", true)
	en, err = b.store.Enlist(b.ctx, m, nil, false)
	b.must(err)
	b.want("resumed", en.Paused, false)
}

func operatorCases(_ *testing.T, b *bench) {
	m := b.join("one")
	b.work(m, delivery.Changes{
		Outcomes: []delivery.Changed{{Key: key("a"), Outcome: delivery.Quarantined}},
		Quarantine: []delivery.Case{{
			Consumer: Loyalty, Key: key("a"), Lane: lane("o-1"), Version: 4, Message: message("o-1", 4), Reason: delivery.ReasonPermanent,
			Errors: []string{"outer", "inner"}, Attempts: 2, Build: "b", Host: "h", Owner: "team-drill", Within: time.Hour, Holds: true,
		}},
		Block: []delivery.Block{{Lane: lane("o-1"), Why: delivery.WhyQuarantine, For: -1}},
	}, entry("a", "o-1"))
	found, err := b.store.Cases(b.ctx, delivery.CaseFilter{Consumer: Loyalty, State: delivery.CaseOpen, Reason: delivery.ReasonPermanent, Lane: lane("o-1")})
	b.must(err)
	b.want("cases", len(found), 1)
	c := found[0]
	b.want("case", []any{c.Key, c.Version, c.Errors, c.Attempts, c.Owner, c.Due.UTC(), string(c.Message.Payload)},
		[]any{key("a"), 4, []string{"outer", "inner"}, 2, "team-drill", epoch.Add(time.Hour), string(message("o-1", 4).Payload)})
	payload := message("o-1", 4).Payload
	b.want("its payload", []any{c.PayloadBytes, c.PayloadSHA256}, []any{len(payload), sha256.Sum256(payload)})
	found, err = b.store.Cases(b.ctx, delivery.CaseFilter{IDs: []int64{c.ID}, Bare: true})
	b.must(err)
	c.Message.Payload = nil
	b.want("without it", fmt.Sprintf("%+v", found), fmt.Sprintf("%+v", []delivery.Case{c}))
	if err := b.store.Discard(b.ctx, []int64{c.ID}, "", "why"); err == nil {
		b.t.Error("discarded without a name")
	}
	b.must(b.store.Discard(b.ctx, []int64{c.ID}, "me", "it was a test"))
	got := b.work(m, delivery.Changes{}, entry("a", "o-1"))
	b.want("a redelivery stays discarded", got[0].Seen, delivery.Discarded)
	b.want("the lane goes on behind it", got[0].Mark.Version, 4)
	due, err := b.store.Due(b.ctx, m, 10, time.Minute)
	b.must(err)
	b.want("and is due", len(due), 1)
	if err := b.store.Discard(b.ctx, []int64{c.ID}, "me", "again"); err == nil {
		b.t.Error("discarded twice")
	}
}

func effectsClaimed(_ *testing.T, b *bench) {
	e := event.Effect{Key: event.NewEffectKey(key("a"), Notify, "mail"), Name: "mail", Consumer: Notify, Event: key("a"), Request: []byte("{}")}
	for range 2 {
		b.must(b.DB.InTx(b.ctx, func(ctx context.Context, tx event.Tx) error { return tx.Intend(ctx, e) }))
	}
	claim := func(owner string) []delivery.Call {
		calls, err := b.store.Claim(b.ctx, owner, []string{"mail"}, 10, time.Minute)
		b.must(err)
		return calls
	}
	none, err := b.store.Claim(b.ctx, "x", []string{"other"}, 10, time.Minute)
	b.must(err)
	b.want("another effect", len(none), 0)
	calls := claim("x")
	b.want("recorded once", len(calls), 1)
	b.want("call", []any{calls[0].Effect.Key, calls[0].Event, string(calls[0].Request), calls[0].State}, []any{e.Key, e.Event, "{}", delivery.CallPending})
	b.want("held", len(claim("y")), 0)
	c := calls[0]
	c.State, c.Attempts, c.Next = delivery.CallSent, 1, time.Minute
	b.must(b.store.Answer(b.ctx, "x", c))
	b.clock.Advance(2 * time.Minute)
	calls = claim("y")
	b.want("taken over", []any{len(calls), calls[0].State, calls[0].Attempts}, []any{1, delivery.CallSent, 1})
	c.State = delivery.CallConfirmed
	b.wantErr(b.store.Answer(b.ctx, "x", c), delivery.ErrFenced)
	b.must(b.store.Answer(b.ctx, "y", c))
	b.clock.Advance(time.Hour)
	b.want("settled", len(claim("z")), 0)

	late := e // which nobody can tell about: it waits for a person
	late.Key, late.Event = event.NewEffectKey(key("b"), Notify, "mail"), key("b")
	b.must(b.DB.InTx(b.ctx, func(ctx context.Context, tx event.Tx) error { return tx.Intend(ctx, late) }))
	c = claim("z")[0]
	c.State, c.Next = delivery.CallUnknown, -1
	b.must(b.store.Answer(b.ctx, "z", c))
	m := member("one")
	m.Consumer = Notify
	b.must(b.store.Join(b.ctx, m))
	b.join("one")
	forget := func(consumer string, left int) {
		b.t.Helper()
		_, err := b.store.Forget(b.ctx, consumer, 30*24*time.Hour, time.Hour)
		b.must(err)
		b.want("calls that are remembered", b.count("SELECT count(*) FROM evc_effect"), left)
	}
	forget(Notify, 2)
	b.clock.Advance(31 * 24 * time.Hour)
	forget(Loyalty, 2)
	forget(Notify, 1)
}

func inboxFull(_ *testing.T, b *bench) {
	m := b.join("one")
	m.ParkAtMost = 2
	park := func(order string) {
		f := fact(order, 1)
		b.work(m, delivery.Changes{
			Outcomes: []delivery.Changed{{Key: f.Key(), Outcome: delivery.Parked}},
			Block:    []delivery.Block{{Lane: lane(order), Why: delivery.WhyRetry, For: time.Minute}},
			Park:     []delivery.Waiting{{Key: f.Key(), Lane: lane(order), Version: 1, Message: message(order, 1)}},
		}, entry(f.Payment, order))
	}
	full := func(attempt bool) bool {
		en, err := b.store.Enlist(b.ctx, m, []event.Key{key("x")}, attempt)
		b.must(err)
		return en.Full
	}
	park("o-1")
	b.want("one of two", full(false), false)
	park("o-2")
	b.want("two of two", full(false), true)
	b.want("for what is parked already", full(true), false)
	m.ParkAtMost = 0
	b.want("without a limit", full(false), false)

	// Whatever is parked and handled in between, and whoever asks with which limit.
	other := m
	other.Consumer = "other"
	b.must(b.store.Join(b.ctx, other))
	parked := map[string][]string{m.Consumer: {"o-1", "o-2"}}
	first, dice := m, rand.New(rand.NewPCG(1, 1))
	for n := range 150 {
		m = []delivery.Member{first, other}[dice.IntN(2)]
		orders := parked[m.Consumer]
		if k := len(orders); k > 0 && dice.IntN(5) < 2 {
			order := orders[k-1]
			f := fact(order, 1)
			e := entry(f.Payment, order)
			e.Was = delivery.Parked
			b.work(m, delivery.Changes{Unpark: []event.Key{f.Key()}, Unblock: []event.Lane{lane(order)}}, e)
			parked[m.Consumer] = orders[:k-1]
		} else {
			order := fmt.Sprint("more-", n)
			park(order)
			parked[m.Consumer] = append(orders, order)
		}
		m.ParkAtMost = 1 + dice.IntN(20)
		b.want(fmt.Sprintf("step %d: %d of %d", n, len(parked[m.Consumer]), m.ParkAtMost), full(false), len(parked[m.Consumer]) >= m.ParkAtMost)
	}
}

// inboxLeaves: what a run leaves behind that ended in good order is no suspect,
// and what another one has in flight is not touched.
func inboxLeaves(_ *testing.T, b *bench) {
	one, other := b.join("one"), b.join("one-and-a-half")
	worker := one
	worker.Instance = "one/1"
	b.must(b.store.Join(b.ctx, worker))
	for m, payment := range map[delivery.Member]string{one: "a", worker: "b", other: "c"} {
		_, err := b.store.Enlist(b.ctx, m, []event.Key{key(payment)}, false)
		b.must(err)
	}
	members := func() int {
		st, err := b.store.Status(b.ctx)
		b.must(err)
		return st.Consumers[0].Members
	}
	b.want("members", members(), 2)
	b.must(b.store.Leave(b.ctx, one))
	b.want("members after one left", members(), 1)
	next := b.join("next")
	en, err := b.store.Enlist(b.ctx, next, []event.Key{key("a"), key("b"), key("c")}, false)
	b.must(err)
	b.want("suspects", len(en.Attempts), 1)
	b.want("the one that is still in flight", en.Attempts[key("c")].Count, 1)
}
