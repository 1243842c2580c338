package deliverytest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// replay runs a dry run of cases and applies it.
func (i *inbox) replay(ids ...int64) delivery.Replay {
	i.t.Helper()
	return i.replayOf(i.cases("")[0].Consumer, ids...)
}

func (i *inbox) replayOf(consumer string, ids ...int64) delivery.Replay {
	i.t.Helper()
	ctx := i.t.Context()
	dry, err := i.DB.Store.Replay(ctx, delivery.Replay{Consumer: consumer, Cases: ids, By: "me", Reason: "mended"})
	if err != nil {
		i.t.Fatal(err)
	}
	i.eventually("dry run", delivery.ReplayRehearsed, func() any {
		dry, err = i.DB.Store.Replay(ctx, delivery.Replay{ID: dry.ID})
		return must(dry.State, err)
	})
	run, err := i.DB.Store.Replay(ctx, delivery.Replay{Apply: dry.ID, By: "me", Reason: "mended"})
	if err != nil {
		i.t.Fatal(err)
	}
	i.eventually("replay", delivery.ReplayDone, func() any {
		run, err = i.DB.Store.Replay(ctx, delivery.Replay{ID: run.ID})
		return must(run.State, err)
	})
	return run
}

func replayApplies(t *testing.T, w *World) {
	var mended atomic.Bool
	c := w.Consumer(Loyalty)
	handle := c.Routes[0].Handle
	c.Routes[0].Handle = func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {
		if err := handle(ctx, tx, m, id); err != nil || mended.Load() || id.Lane.ID != "o" {
			return err
		}
		return event.Permanent(errors.New("not mended yet"))
	}
	i := w.start(t, delivery.Inbox{}, c)
	i.deliver(fact("o", 2).Message(1), fact("o", 1).Message(0), fact("p", 1).Message(0))
	var ids []int64
	for _, c := range i.cases(delivery.ReasonPermanent) {
		ids = append(ids, c.ID)
	}
	i.want("cases", len(ids), 2)
	run := i.replay(ids...)
	i.want("nothing is mended", []any{run.Results[0].Outcome, run.Results[0].Error != ""}, []any{delivery.Quarantined, true})
	mended.Store(true)
	pause := func(paused bool) {
		if _, err := w.DB.Store.Pause(t.Context(), Loyalty, paused, "me"); err != nil {
			t.Fatal(err)
		}
	}
	pause(true) // who pauses a consumer wants to see what would happen
	dry, err := w.DB.Store.Replay(t.Context(), delivery.Replay{Consumer: Loyalty, Cases: ids, By: "me", Reason: "mended"})
	if err != nil {
		t.Fatal(err)
	}
	i.eventually("dry run", delivery.ReplayRehearsed, func() any {
		dry, err = w.DB.Store.Replay(t.Context(), delivery.Replay{ID: dry.ID})
		return must(dry.State, err)
	})
	i.want("what it would do", []any{dry.Results[0].Outcome, dry.Results[1].Outcome}, []any{delivery.Done, delivery.Done})
	i.want("applied by the dry run", i.versions(Loyalty), []int64{1})
	pause(false)
	run = i.replay(ids...)
	i.want("results", []any{run.Results[0].Outcome, run.Results[1].Outcome}, []any{delivery.Done, delivery.Done})
	i.want("applied, in order", i.versions(Loyalty), []int64{1, 1, 2})
	i.want("resolved by", i.cases("")[0].ResolvedBy, "me")
	if _, err := w.DB.Store.Replay(t.Context(), delivery.Replay{Apply: dry.ID, By: "me", Reason: "again"}); err == nil {
		t.Error("a plan was applied twice")
	}
}

// replayIdentifies replays what could not be identified when it arrived, and now
// can: it has a key of its own then, under which it may have been handled.
func replayIdentifies(t *testing.T, w *World) {
	for _, consumer := range []string{Loyalty, Audit} {
		var mended atomic.Bool
		c := w.Consumer(consumer)
		identify := c.Routes[0].Identify
		c.Routes[0].Identify = func(m event.Message) (event.Identity, error) {
			if !mended.Load() && m.ID == "odd" {
				return event.Identity{}, errors.New("not mended yet")
			}
			return identify(m)
		}
		i := w.start(t, delivery.Inbox{}, c)
		odd, known := fact("o", 1).Message(0), fact("p", 1).Message(0)
		odd.ID, known.ID = "odd", "odd"
		odd.Position.Offset, known.Position.Offset = 7, 8
		i.deliver(odd, known, fact("p", 1).Message(0))
		var ids []int64
		for _, c := range i.cases(delivery.ReasonUnidentified) {
			if c.Consumer == consumer {
				ids = append(ids, c.ID)
			}
		}
		i.want("cases", len(ids), 2)
		i.want("applied", i.versions(consumer), []int64{1})
		mended.Store(true)
		run := i.replayOf(consumer, ids...)
		i.want("results", []any{run.Results[0].Outcome, run.Results[1].Outcome}, []any{delivery.Done, delivery.Done})
		i.want("applied once each", i.versions(consumer), []int64{1, 1})
		i.deliver(odd, known) // and from now on they are duplicates
		i.want("and never again", i.versions(consumer), []int64{1, 1})
		i.want("the run", i.stop(), nil)
	}
}

func effectsSettle(t *testing.T, w *World) {
	names := []string{"asked", "absent", "refused", "unsent", "expired"}
	for _, name := range names {
		e := event.Effect{Key: event.NewEffectKey(event.Key{1}, Notify, name), Name: name, Consumer: Notify, Event: event.Key{1}}
		if err := w.DB.InTx(t.Context(), func(ctx context.Context, tx event.Tx) error { return tx.Intend(ctx, e) }); err != nil {
			t.Fatal(err)
		}
	}
	var calls [5]atomic.Int64
	lost := errors.New("the answer was lost")
	answer := func(i int, first error) func(context.Context, event.Effect) (string, error) {
		return func(context.Context, event.Effect) (string, error) {
			if calls[i].Add(1) == 1 {
				return "", first
			}
			return "ref", nil
		}
	}
	found := func(context.Context, event.Effect) (string, error) { return noText, nil }
	absent := func(context.Context, event.Effect) (string, error) { return "", delivery.ErrAbsent }
	retry := event.Retry{Initial: time.Millisecond, Attempts: 3}
	const within = 50 * time.Millisecond
	x := delivery.Effects{Store: w.DB.Store, Poll: 5 * time.Millisecond, Do: map[string]delivery.Effect{
		"asked":   {Within: within, Call: answer(0, lost), Reconcile: found, Retry: retry},
		"absent":  {Within: within, Call: answer(1, lost), Reconcile: absent, Retry: retry},
		"refused": {Within: within, Call: answer(2, event.Permanent(lost)), Retry: retry},
		"unsent":  {Within: within, Call: answer(3, delivery.NotSent(lost)), Retry: retry},
		"expired": {Within: within, Call: answer(4, lost), Retry: retry},
	}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	i := &inbox{World: w, t: t}
	i.eventually("calls with a next time", 0, func() any {
		return must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_effect WHERE next_at IS NOT NULL"))
	})
	cancel()
	i.want("end", <-ended, nil)
	rows, err := w.DB.Query(t.Context(), "SELECT name, state FROM evc_effect ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	i.want("states", rows, [][]any{{"absent", "confirmed"}, {"asked", "confirmed"}, {"expired", "unknown"}, {"refused", "failed"}, {"unsent", "confirmed"}})
	i.want("calls", []int64{calls[0].Load(), calls[1].Load(), calls[2].Load(), calls[3].Load(), calls[4].Load()}, []int64{1, 2, 1, 2, 1})
}
