package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Hand is a broker that delivers what a test hands to it, when it does.
type Hand struct {
	once   sync.Once
	opened sync.Once
	ready  chan struct{}
	f      func(context.Context, []event.Message) error
	ctx    context.Context
}

func (h *Hand) init() { h.once.Do(func() { h.ready = make(chan struct{}) }) }

// Publish implements delivery.Broker: it refuses, a test delivers.
func (h *Hand) Publish(_ context.Context, ms []event.Message) []error {
	errs := make([]error, len(ms))
	for i := range errs {
		errs[i] = ErrRefused
	}
	return errs
}

// Consume implements delivery.Broker.
func (h *Hand) Consume(ctx context.Context, _ []string, f func(context.Context, []event.Message) error) error {
	h.init()
	h.f, h.ctx = f, ctx
	h.open()
	<-ctx.Done()
	return nil
}

// open lets those go on who wait to deliver.
func (h *Hand) open() {
	h.init()
	h.opened.Do(func() { close(h.ready) })
}

// errNoInbox is returned by Deliver when the inbox did not start.
var errNoInbox = errors.New("no inbox runs")

// Deliver hands a batch to the inbox; nil means that it was acknowledged.
func (h *Hand) Deliver(ms ...event.Message) error {
	h.init()
	<-h.ready
	if h.f == nil {
		return errNoInbox
	}
	return h.f(h.ctx, ms)
}

// inbox is a running inbox whose broker is the test's hand.
type inbox struct {
	*World
	t    *testing.T
	hand *Hand
	stop func() error
}

// start runs a consumer until the test ends or stops it.
func (w *World) start(t *testing.T, in delivery.Inbox, c event.Consumer) *inbox {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	i := &inbox{World: w, t: t, hand: &Hand{}}
	in.Store, in.Broker, in.Poll = w.DB.Store, i.hand, 5*time.Millisecond
	ended := make(chan error, 1)
	go func() { ended <- in.Run(ctx, c) }()
	i.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := i.stop(); err != nil {
			t.Error(err)
		}
	})
	return i
}

func (i *inbox) deliver(ms ...event.Message) {
	i.t.Helper()
	if err := i.hand.Deliver(ms...); err != nil {
		i.t.Fatal(err)
	}
}

// versions are those that a consumer applied, in the order of their commits.
func (i *inbox) versions(consumer string) (versions []int64) {
	i.t.Helper()
	rows, err := i.DB.Query(i.t.Context(), "SELECT version FROM t_effect WHERE consumer = $1 ORDER BY n", consumer)
	if err != nil {
		i.t.Fatal(err)
	}
	for _, r := range rows {
		versions = append(versions, r[0].(int64))
	}
	return versions
}

// eventually waits until f gives what is wanted. It gives up when nothing has
// moved for a while, which a loaded machine may need, and in the end anyway.
func (i *inbox) eventually(what string, want any, f func() any) {
	i.t.Helper()
	const within = patience * 20 * time.Second
	deadline, was := time.Now().Add(within), ""
	for last := deadline.Add(9 * within); ; time.Sleep(5 * time.Millisecond) {
		got := f()
		if same(got, want) {
			return
		}
		if now := fmt.Sprint(got); now != was {
			was, deadline = now, earlier(time.Now().Add(within), last)
		}
		if time.Now().After(deadline) {
			i.t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
}

func (i *inbox) want(what string, got, want any) {
	i.t.Helper()
	if !same(got, want) {
		i.t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// outcome is what the dedupe table says of a fact.
func (i *inbox) outcome(f Fact) any {
	i.t.Helper()
	rows, err := i.DB.Query(i.t.Context(), "SELECT key, outcome FROM evc_seen")
	if err != nil {
		i.t.Fatal(err)
	}
	for _, r := range rows {
		if keyText(r[0]) == f.Key().String() {
			return r[1]
		}
	}
	return ""
}

func (i *inbox) cases(reason delivery.Reason) []delivery.Case {
	i.t.Helper()
	found, err := i.DB.Store.Cases(i.t.Context(), delivery.CaseFilter{Reason: reason})
	if err != nil {
		i.t.Fatal(err)
	}
	return found
}

// Message is the event of a fact as it arrives, behind the version before it.
func (f Fact) Message(previous uint64) event.Message {
	d := f.Draft(f.Type())
	return event.Message{
		ID: d.ID.String(), Source: d.Source, Type: d.Event, Subject: d.Lane.ID, Time: d.Time, ContentType: d.ContentType,
		AggregateType: d.Lane.Type, Version: d.Version, Previous: previous, Chained: true,
		IdempotencyKey: d.Key.String(), PartitionKey: d.PartitionKey, Topic: d.Topic, Payload: d.Payload,
		Position: event.Position{Offset: int64(f.Version)},
	}
}
