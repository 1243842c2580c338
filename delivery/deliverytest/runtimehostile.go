package deliverytest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// noText is what a database refuses that keeps UTF-8 without zero bytes.
const noText = "a\x00b\xff"

// nilError is an error that cannot even be asked what it is.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// unkeepable has events that some database would refuse each time, among others:
// of an aggregate, a version or a time that it cannot hold, or whose handler says
// what it cannot hold. The others flow.
func unkeepable(t *testing.T, w *World) {
	w.Policy.Retry.Attempts = 1
	long := strings.Repeat("é!", delivery.LongestLane)
	places := map[string]event.Identity{
		"zero byte": {Lane: event.Lane{Type: "order", ID: "a\x00b"}, Version: 1},
		"type":      {Lane: event.Lane{Type: noText, ID: "o"}, Version: 1},
		"not UTF-8": {Lane: event.Lane{Type: "order", ID: "a\xff"}, Version: 1},
		"long":      {Lane: event.Lane{Type: "order", ID: long}, Version: 1},
		"version":   {Lane: event.Lane{Type: "order", ID: "o"}, Version: 1 << 63},
		"future":    {Lane: event.Lane{Type: "order", ID: "future"}, Version: 1, Time: time.Unix(1<<60, 0)},
		"past":      {Lane: event.Lane{Type: "order", ID: "past"}, Version: 1, Time: time.Unix(-1<<60, 0)},
		"error":     {Lane: event.Lane{Type: "order", ID: "error"}, Version: 1},
		"nil error": {Lane: event.Lane{Type: "order", ID: "nil error"}, Version: 1},
	}
	for _, consumer := range []string{Projection, Audit} {
		c := w.Consumer(consumer)
		route := c.Routes[0]
		c.Routes[0].Identify = func(m event.Message) (event.Identity, error) {
			id, bad := places[m.ID]
			if !bad {
				return route.Identify(m)
			}
			id.Key = event.NewKey("OrderPaid", m.ID)
			return id, nil
		}
		c.Routes[0].Handle = func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {
			switch m.ID {
			case "error":
				return errors.New(noText)
			case "nil error":
				return (*nilError)(nil)
			}
			return route.Handle(ctx, tx, m, id)
		}
		i := w.start(t, delivery.Inbox{JoinMidway: true, Batch: -1}, c)
		ms := []event.Message{fact("p", 1).Message(0)}
		for what := range places {
			m := fact("bad", uint64(len(ms))).Message(0)
			m.ID, m.Headers = what, map[string]string{noText: noText}
			ms = append(ms, m)
		}
		passing := fact("q", 1).Message(0)
		passing.Type, passing.Subject = "OrderShipped.v1", noText
		ms = append(ms, passing, fact("p", 2).Message(1))
		i.deliver(ms...)
		i.deliver(ms...) // and again: nothing happens twice
		reasons := map[delivery.Reason]int{}
		for _, q := range i.cases("") {
			if q.Consumer == consumer {
				reasons[q.Reason]++
			}
		}
		i.want(consumer+": cases", reasons, map[delivery.Reason]int{
			delivery.ReasonUnidentified: 5, delivery.ReasonTooOld: 1, delivery.ReasonExhausted: 2,
		})
		i.want(consumer+": handled", i.versions(consumer)[:1], []int64{1})
		i.want("the run", i.stop(), nil)
	}
}

// garbled is a broker that refuses one lane, in words that no database keeps.
type garbled struct{ *Hand }

func (garbled) Publish(_ context.Context, ms []event.Message) []error {
	errs := make([]error, len(ms))
	for i, m := range ms {
		switch m.Subject {
		case "o-1":
			errs[i] = errors.New(noText)
		case "o-2":
			errs[i] = (*nilError)(nil)
		}
	}
	return errs
}

func unkeepableErrors(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 4, 1, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- delivery.Relay{Store: w.DB.Store, Broker: garbled{&Hand{}}}.Run(ctx) }()
	i := &inbox{World: w, t: t}
	i.eventually("rows that wait", 2, func() any { return must(w.DB.Count(t.Context(), "SELECT count(*) FROM evc_outbox")) })
	cancel()
	i.want("end", <-ended, nil)
}
