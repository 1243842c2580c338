package metrics

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/evcontract/evcontract/delivery"
)

// Scope is the name of the meter.
const Scope = "github.com/evcontract/evcontract/metrics"

// Options say where measurements go. Zero fields take the default that stands at
// the field.
type Options struct {
	Provider  metric.MeterProvider // the program's: otel.GetMeterProvider()
	Revisions bool                 // also tell events apart by the revision of their writer, as a canary needs
}

// The keys of attributes: those of OpenTelemetry's conventions where there is one.
const (
	consumerKey = attribute.Key("messaging.consumer.group.name")
	eventKey    = attribute.Key("cloudevents.event_type")
	outcomeKey  = attribute.Key("evcontract.outcome")
	reasonKey   = attribute.Key("evcontract.quarantine.reason")
	stateKey    = attribute.Key("evcontract.state")
	revisionKey = attribute.Key("evcontract.revision")
	effectKey   = attribute.Key("evcontract.effect.name")
	loopKey     = attribute.Key("evcontract.loop")
)

// Metrics counts what loops observe. It is safe for concurrent use.
type Metrics struct {
	meter     metric.Meter
	revisions bool

	published   metric.Int64Counter
	publishing  metric.Float64Histogram
	publishAge  metric.Float64Histogram
	held        metric.Int64Counter
	processed   metric.Int64Counter
	processing  metric.Float64Histogram
	processAge  metric.Float64Histogram
	quarantined metric.Int64Counter
	calls       metric.Int64Counter
	failures    metric.Int64Counter

	events, writers bounded
}

// New makes the instruments.
func New(o Options) (*Metrics, error) {
	if o.Provider == nil {
		o.Provider = otel.GetMeterProvider()
	}
	m := &Metrics{meter: o.Provider.Meter(Scope), revisions: o.Revisions}
	b := builder{meter: m.meter}
	m.published = b.counter("evcontract.published.events", "{event}", "Events that the broker stored and that were marked as sent.")
	m.publishing = b.seconds("evcontract.publish.duration", "Time in which the broker took one batch.")
	m.publishAge = b.ages("evcontract.publish.age", "Age of the oldest event of a batch when it was sent.")
	m.held = b.counter("evcontract.held.lanes", "{lane}", "Lanes that were made to wait because the broker refused their first event.")
	m.processed = b.counter("evcontract.processed.events", "{event}", "What became of events, by outcome. Failed counts attempts.")
	m.processing = b.seconds("evcontract.process.duration", "Time in which one event was handled.")
	m.processAge = b.ages("evcontract.process.age", "Age of an event, since the fact occurred, when it was handled.")
	m.quarantined = b.counter("evcontract.quarantined.events", "{event}", "Events that were quarantined, by reason.")
	m.calls = b.counter("evcontract.effect.calls", "{call}", "Calls to third parties, and questions whether one arrived.")
	m.failures = b.counter("evcontract.loop.errors", "{error}", "Rounds of a loop that failed and are tried again.")
	return m, b.err
}

// Observe is what the Observe field of a Relay, an Inbox or Effects is set to.
func (m *Metrics) Observe(o delivery.Observation) {
	ctx := context.Background() // observations come after the commit, outside of any span
	if o.Outcome == "" {
		m.failures.Add(ctx, 1, metric.WithAttributes(m.who(o, loopKey.String(string(o.Loop)))...))
		return
	}
	switch o.Loop {
	case delivery.LoopRelay:
		m.relayed(ctx, o)
	case delivery.LoopEffects:
		m.called(ctx, o)
	default:
		m.handled(ctx, o)
	}
}

// who adds the consumer, where the observation names one: relays and executors
// of effects put a random name there.
func (m *Metrics) who(o delivery.Observation, more ...attribute.KeyValue) []attribute.KeyValue {
	switch {
	case o.Loop == delivery.LoopRelay, o.Loop == delivery.LoopEffects && o.Outcome == "":
		return more
	}
	return append(more, consumerKey.String(o.Consumer))
}

func (m *Metrics) relayed(ctx context.Context, o delivery.Observation) {
	if o.Outcome == delivery.Held {
		m.held.Add(ctx, int64(o.Count))
		return
	}
	m.published.Add(ctx, int64(o.Count))
	m.publishing.Record(ctx, o.Took.Seconds())
	m.publishAge.Record(ctx, o.Age.Seconds())
}

func (m *Metrics) handled(ctx context.Context, o delivery.Observation) {
	with := m.who(o)
	if o.Event != "" {
		with = append(with, eventKey.String(m.events.keep(o.Event)))
	}
	if m.revisions && o.Revision != "" {
		with = append(with, revisionKey.String(m.writers.keep(o.Revision)))
	}
	m.processed.Add(ctx, int64(o.Count), metric.WithAttributes(append(with, outcomeKey.String(string(o.Outcome)))...))
	set := metric.WithAttributes(with...)
	switch o.Outcome {
	case delivery.Done:
		m.processing.Record(ctx, o.Took.Seconds(), set)
		if o.Age > 0 {
			m.processAge.Record(ctx, o.Age.Seconds(), set)
		}
	case delivery.Quarantined:
		m.quarantined.Add(ctx, int64(o.Count), metric.WithAttributes(append(with, reasonKey.String(string(o.Reason)))...))
	}
}

func (m *Metrics) called(ctx context.Context, o delivery.Observation) {
	state := "answered"
	switch {
	case errors.Is(o.Err, delivery.ErrAbsent):
		state = "absent"
	case o.Err != nil:
		state = "failed"
	}
	m.calls.Add(ctx, int64(o.Count), metric.WithAttributes(m.who(o,
		effectKey.String(o.Event), outcomeKey.String(string(o.Outcome)), stateKey.String(state))...))
}

// bounded keeps the first values of an attribute and calls the rest one name, so
// that what arrives from outside cannot make time series without end.
type bounded struct {
	mu   sync.Mutex
	seen map[string]bool
}

const (
	mostValues = 200
	otherValue = "_OTHER"
)

func (b *bounded) keep(value string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen[value] {
		return value
	}
	if len(b.seen) >= mostValues {
		return otherValue
	}
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	b.seen[value] = true
	return value
}

// builder makes instruments and keeps the first error.
type builder struct {
	meter metric.Meter
	err   error
}

func (b *builder) keep(name string, err error) {
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("metrics: %s: %w", name, err)
	}
}

func (b *builder) counter(name, unit, description string) metric.Int64Counter {
	c, err := b.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	b.keep(name, err)
	return c
}

// seconds is a histogram with the bounds by which the database counts too.
func (b *builder) seconds(name, description string) metric.Float64Histogram {
	bounds := make([]float64, len(delivery.SlowBounds))
	for i, d := range delivery.SlowBounds {
		bounds[i] = d.Seconds()
	}
	return b.histogram(name, description, bounds)
}

// ages is a histogram from a tenth of a second to a week.
func (b *builder) ages(name, description string) metric.Float64Histogram {
	var bounds []float64
	for _, d := range []time.Duration{
		100 * time.Millisecond, time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute,
		15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
	} {
		bounds = append(bounds, d.Seconds())
	}
	return b.histogram(name, description, bounds)
}

func (b *builder) histogram(name, description string, bounds []float64) metric.Float64Histogram {
	h, err := b.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
	b.keep(name, err)
	return h
}
