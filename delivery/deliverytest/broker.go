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

// Features are what differs between brokers. It switches no promise off.
type Features struct {
	Redelivery time.Duration // the longest time until a failed batch comes again; 5 s
}

// Broker is the conformance suite of a broker. Open makes an empty one and
// returns how a group connects to it.
func Broker(t *testing.T, features Features, open func(testing.TB) func(group string) delivery.Broker) {
	if features.Redelivery == 0 {
		features.Redelivery = 5 * time.Second
	}
	for _, c := range []struct {
		name string
		run  func(*testing.T, Features, func(string) delivery.Broker)
	}{
		{"every message arrives whole, in the order of its partition", brokerDelivers},
		{"every group reads everything", brokerGroups},
		{"a failed batch comes again", brokerRedelivers},
		{"a stopped consumer loses nothing", brokerStops},
		{"a backlog is what was not acknowledged", brokerLags},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, features, open(t)) })
	}
}

func brokerMessage(i int) event.Message {
	d := fact(fmt.Sprintf("o-%d", i%7), uint64(i/7+1)).Draft("OrderPaid.v1")
	return event.Message{
		ID: d.ID.String(), Source: d.Source, Type: d.Event, Subject: d.Lane.ID, Time: d.Time, ContentType: d.ContentType,
		Schema: delivery.SchemaOf(d.Event, d.Revision), AggregateType: d.Lane.Type, Version: d.Version, Previous: d.Version - 1, Chained: true,
		IdempotencyKey: d.Key.String(), PartitionKey: d.PartitionKey, Topic: Topic, Payload: d.Payload,
		Headers: map[string]string{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	}
}

func publish(t *testing.T, b delivery.Broker, n int) []event.Message {
	t.Helper()
	ms := make([]event.Message, n)
	for i := range ms {
		ms[i] = brokerMessage(i)
	}
	for i, err := range b.Publish(t.Context(), ms) {
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	return ms
}

// collect consumes until done says so, for some seconds at most.
func collect(t *testing.T, b delivery.Broker, f func([]event.Message) error, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience*20*time.Second)
	defer cancel()
	var mu sync.Mutex
	err := b.Consume(ctx, []string{Topic}, func(_ context.Context, ms []event.Message) error {
		mu.Lock()
		defer mu.Unlock()
		err := f(ms)
		if done() {
			cancel()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !done() {
		t.Fatal("not everything arrived")
	}
}

func brokerDelivers(t *testing.T, _ Features, connect func(string) delivery.Broker) {
	b := connect("one")
	sent := publish(t, b, 100)
	last := map[string]uint64{}
	got := map[string]event.Message{}
	collect(t, b, func(ms []event.Message) error {
		for _, m := range ms {
			if _, again := got[m.ID]; !again && m.Version < last[m.PartitionKey] {
				t.Errorf("%s: version %d after %d", m.PartitionKey, m.Version, last[m.PartitionKey])
			}
			last[m.PartitionKey] = m.Version
			got[m.ID] = m
		}
		return nil
	}, func() bool { return len(got) == len(sent) })
	for _, want := range sent {
		m := got[want.ID]
		m.Position, m.Time = want.Position, m.Time.UTC()
		if fmt.Sprintf("%+v", m) != fmt.Sprintf("%+v", want) {
			t.Fatalf("arrived as\n%+v, sent as\n%+v", m, want)
		}
	}
}

func brokerGroups(t *testing.T, _ Features, connect func(string) delivery.Broker) {
	publish(t, connect("publisher"), 20)
	for _, group := range []string{"one", "two"} {
		seen := map[string]bool{}
		collect(t, connect(group), func(ms []event.Message) error {
			for _, m := range ms {
				seen[m.ID] = true
			}
			return nil
		}, func() bool { return len(seen) == 20 })
	}
}

func brokerRedelivers(t *testing.T, features Features, connect func(string) delivery.Broker) {
	b := connect("one")
	publish(t, b, 20)
	tries, handled := map[string]int{}, map[string]bool{}
	start := time.Now()
	collect(t, b, func(ms []event.Message) error {
		for _, m := range ms {
			if tries[m.ID]++; tries[m.ID] < 3 {
				return errors.New("not yet")
			}
		}
		for _, m := range ms {
			handled[m.ID] = true
		}
		return nil
	}, func() bool { return len(handled) == 20 })
	if took := time.Since(start); took > 60*features.Redelivery {
		t.Errorf("took %s", took)
	}
}

// brokerStops stops consumers in the middle of a batch, over and over: what was
// not handled comes to the next one.
func brokerStops(t *testing.T, _ Features, connect func(string) delivery.Broker) {
	publish(t, connect("one"), 60)
	handled := map[string]bool{}
	for round := 0; len(handled) < 60; round++ {
		if round == 200 {
			t.Fatalf("%d of 60 messages arrived", len(handled))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		var mu sync.Mutex
		err := connect("one").Consume(ctx, []string{Topic}, func(_ context.Context, ms []event.Message) error {
			mu.Lock()
			defer mu.Unlock()
			defer cancel()
			if round%2 == 0 {
				return errors.New("stopped before it was handled")
			}
			for _, m := range ms {
				handled[m.ID] = true
			}
			return nil
		})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// brokerLags is for brokers that know how far a group is behind.
func brokerLags(t *testing.T, _ Features, connect func(string) delivery.Broker) {
	b := connect("one")
	lagging, ok := b.(delivery.Lagging)
	if !ok {
		t.Skip("this broker doesn't know how far a group is behind")
	}
	want := func(what string, topics, events int, old bool) {
		t.Helper()
		lag, err := lagging.Backlog(t.Context())
		if err != nil || lag.Topics != topics || lag.Events != events || (lag.Oldest > 0) != old {
			t.Errorf("%s: %+v, %v; want %d topics, %d events, with an age: %v", what, lag, err, topics, events, old)
		}
	}
	publish(t, b, 10)
	want("a group that never read", 0, 0, false)
	readAll(t, b, lagging)
	want("a group that read everything", 1, 0, false)
	publish(t, connect("another"), 7)
	want("a group that is behind", 1, 7, true)
}

// readAll consumes until the group is behind with nothing: the acknowledgement of
// what was handled may be lost, and then it comes again.
func readAll(t *testing.T, b delivery.Broker, lagging delivery.Lagging) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience*20*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- b.Consume(ctx, []string{Topic}, func(context.Context, []event.Message) error { return nil })
	}()
	for ctx.Err() == nil {
		lag, err := lagging.Backlog(ctx)
		if err == nil && lag.Topics > 0 && lag.Events == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
