package metrics

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/evcontract/evcontract/delivery"
)

// Watched is what is read at each collection, as the database knows it: these
// figures are right after a restart, and where several processes run. Watch one
// database from one process, or the same figures are exported more than once.
type Watched struct {
	Store interface {
		Status(ctx context.Context) (delivery.Status, error)
	}
	Brokers map[string]delivery.Lagging // by consumer: brokers that know how far its group is behind; may be nil
}

// gauges are the instruments of Watched.
type gauges struct {
	outbox, outboxHeld, backlog, parked, parkedLanes, cases, members, paused, calls metric.Int64ObservableUpDownCounter
	outboxAge, backlogAge, parkedAge, casesAge, callsAge                            metric.Float64ObservableGauge
}

func (g *gauges) all() []metric.Observable {
	return []metric.Observable{
		g.outbox, g.outboxHeld, g.backlog, g.parked, g.parkedLanes, g.cases, g.members, g.paused, g.calls,
		g.outboxAge, g.backlogAge, g.parkedAge, g.casesAge, g.callsAge,
	}
}

// Watch registers what is read at each collection. Stop ends it.
func (m *Metrics) Watch(w Watched) (stop func() error, err error) {
	if w.Store == nil {
		return nil, errors.New("metrics: Watched without a Store: set the field")
	}
	b := builder{meter: m.meter}
	g := &gauges{
		outbox:      b.count("evcontract.outbox.events", "{event}", "Committed events that wait to be sent."),
		outboxAge:   b.age("evcontract.outbox.age", "Age of the oldest event that waits to be sent."),
		outboxHeld:  b.count("evcontract.outbox.held_lanes", "{lane}", "Lanes that wait because the broker refused their first event."),
		backlog:     b.count("evcontract.backlog.events", "{event}", "Events at the broker that the consumer has not acknowledged."),
		backlogAge:  b.age("evcontract.backlog.age", "Time since the oldest of them was published."),
		parked:      b.count("evcontract.parked.events", "{event}", "Events that wait for an earlier one of their lane, or for their next attempt."),
		parkedLanes: b.count("evcontract.parked.lanes", "{lane}", "Lanes that wait."),
		parkedAge:   b.age("evcontract.parked.age", "Age of the oldest parked event."),
		cases:       b.count("evcontract.quarantine.cases", "{case}", "Quarantined events that nobody has resolved: open within their deadline, overdue beyond it."),
		casesAge:    b.age("evcontract.quarantine.age", "Age of the oldest unresolved case."),
		members:     b.count("evcontract.inbox.members", "{member}", "Inboxes that gave a sign of life within the last minute."),
		paused:      b.count("evcontract.inbox.paused", "{consumer}", "1 while the consumer is paused."),
		calls:       b.count("evcontract.effect.pending", "{call}", "Calls to third parties that are not confirmed, by state."),
		callsAge:    b.age("evcontract.effect.age", "Age of the oldest call that is not settled."),
	}
	if b.err != nil {
		return nil, b.err
	}
	registered, err := m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		return g.observe(ctx, o, w)
	}, g.all()...)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return registered.Unregister, nil
}

func (g *gauges) observe(ctx context.Context, o metric.Observer, w Watched) error {
	st, err := w.Store.Status(ctx)
	if err != nil {
		return fmt.Errorf("metrics: status: %w", err)
	}
	o.ObserveInt64(g.outbox, int64(st.Outbox.Pending))
	o.ObserveInt64(g.outboxHeld, int64(st.Outbox.Held))
	o.ObserveFloat64(g.outboxAge, st.Outbox.Oldest.Seconds())
	for _, c := range st.Consumers {
		g.consumer(o, c)
	}
	for _, e := range st.Effects {
		g.effect(o, e)
	}
	for consumer, broker := range w.Brokers {
		lag, lagErr := broker.Backlog(ctx)
		if lagErr != nil {
			err = errors.Join(err, fmt.Errorf("metrics: backlog of %s: %w", consumer, lagErr))
			continue
		}
		if lag.Topics > 0 { // else it has never read, and nobody can tell
			o.ObserveInt64(g.backlog, int64(lag.Events), of(consumer))
			o.ObserveFloat64(g.backlogAge, lag.Oldest.Seconds(), of(consumer))
		}
	}
	return err
}

func of(consumer string, more ...attribute.KeyValue) metric.ObserveOption {
	return metric.WithAttributes(append(more, consumerKey.String(consumer))...)
}

func (g *gauges) consumer(o metric.Observer, c delivery.ConsumerStatus) {
	who := of(c.Consumer)
	o.ObserveInt64(g.parked, int64(c.ParkedEvents), who)
	o.ObserveInt64(g.parkedLanes, int64(c.ParkedLanes), who)
	o.ObserveFloat64(g.parkedAge, c.OldestParked.Seconds(), who)
	o.ObserveInt64(g.cases, int64(c.Open-c.Overdue), of(c.Consumer, stateKey.String("open")))
	o.ObserveInt64(g.cases, int64(c.Overdue), of(c.Consumer, stateKey.String("overdue")))
	o.ObserveFloat64(g.casesAge, c.OldestCase.Seconds(), who)
	o.ObserveInt64(g.members, int64(c.Members), who)
	paused := int64(0)
	if c.Paused {
		paused = 1
	}
	o.ObserveInt64(g.paused, paused, who)
}

func (g *gauges) effect(o metric.Observer, e delivery.EffectStatus) {
	name := effectKey.String(e.Name)
	for _, state := range []delivery.CallState{delivery.CallPending, delivery.CallSent, delivery.CallUnknown, delivery.CallFailed} {
		o.ObserveInt64(g.calls, int64(e.States[state]), metric.WithAttributes(name, stateKey.String(string(state))))
	}
	o.ObserveFloat64(g.callsAge, e.Oldest.Seconds(), metric.WithAttributes(name))
}

func (b *builder) count(name, unit, description string) metric.Int64ObservableUpDownCounter {
	c, err := b.meter.Int64ObservableUpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	b.keep(name, err)
	return c
}

func (b *builder) age(name, description string) metric.Float64ObservableGauge {
	g, err := b.meter.Float64ObservableGauge(name, metric.WithUnit("s"), metric.WithDescription(description))
	b.keep(name, err)
	return g
}
