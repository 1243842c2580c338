package metrics_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/metrics"
	"github.com/evcontract/evcontract/store/sqlite"
)

// system is a whole service on one SQLite database.
type system struct {
	t      *testing.T
	store  *sqlite.Store
	broker *sqlite.Broker
	handle func(ctx context.Context, m event.Message) error
	batch  func(ctx context.Context, ms []event.Message) []error // in place of handle
}

func newSystem(t *testing.T) *system {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "service.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &system{t: t, store: store, broker: store.NewBroker("loyalty")}
}

func draft(order string, version uint64) event.Draft {
	key := event.NewKey("OrderPaid", order+string(rune('a'+version)))
	return event.Draft{
		Event: "OrderPaid.v1", Source: "orders", Topic: "orders.events", ID: event.NewID("OrderPaid.v1", key), Key: key,
		Lane: event.Lane{Type: "order", ID: order}, Version: version, PartitionKey: order, ContentType: "application/json",
		Time: time.Now().Add(-time.Second), Body: [32]byte{1}, Payload: []byte(order),
	}
}

func (s *system) publish(ctx context.Context, drafts ...event.Draft) {
	s.t.Helper()
	err := s.store.InTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := s.store.In(tx).Append(ctx, drafts...)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *system) consumer() event.Consumer {
	c := event.Consumer{Name: "loyalty", Policy: event.Policy{Owner: "team", Retry: event.Retry{Attempts: 3, Initial: time.Millisecond}}, Routes: []event.Route{{
		Event: "OrderPaid.v1", Topic: "orders.events",
		Identify: func(m event.Message) (event.Identity, error) {
			var id event.Identity
			err := id.Key.UnmarshalText([]byte(m.IdempotencyKey))
			id.Lane, id.Version, id.Time = event.Lane{Type: m.AggregateType, ID: m.Subject}, m.Version, m.Time
			return id, err
		},
		Handle: func(ctx context.Context, _ event.Tx, m event.Message, _ event.Identity) error {
			return s.handle(ctx, m)
		},
	}}}
	if s.batch != nil {
		c.Routes[0].Handle = nil
		c.Routes[0].Batch = func(ctx context.Context, _ event.Tx, ms []event.Message, _ []event.Identity) []error {
			return s.batch(ctx, ms)
		}
	}
	return c
}

// run relays and handles until done says so, for some time at most.
func (s *system) run(observe func(delivery.Observation), done func() bool) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer stop()
	var loops sync.WaitGroup
	relay := delivery.Relay{Store: s.store, Broker: s.store.NewBroker("relay"), Observe: observe, Poll: time.Millisecond}
	inbox := delivery.Inbox{Store: s.store, Broker: s.broker, Observe: observe, Poll: time.Millisecond, Context: metrics.Extract(nil)}
	loops.Go(func() { s.check(relay.Run(ctx)) })
	loops.Go(func() { s.check(inbox.Run(ctx, s.consumer())) })
	for !done() && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if ctx.Err() != nil {
		s.t.Error("it took too long")
	}
	stop()
	loops.Wait()
}

func (s *system) check(err error) {
	if err != nil {
		s.t.Error(err)
	}
}

func (s *system) status() delivery.Status {
	s.t.Helper()
	st, err := s.store.Status(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

// TestTrace: a span that a handler starts is a child of the span under which the
// event was published, through outbox, relay, topic and inbox, and also when the
// event was parked and tried again.
func TestTrace(t *testing.T) {
	delivery.SetInject(metrics.Inject(nil))
	t.Cleanup(func() { delivery.SetInject(nil) })
	spans := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("test")
	s := newSystem(t)
	var mu sync.Mutex
	tries := map[string]int{}
	s.handle = func(ctx context.Context, m event.Message) error {
		if !oteltrace.SpanContextFromContext(ctx).IsRemote() {
			t.Errorf("%s: the publisher's span is not known to be another process's", m.Subject)
		}
		_, span := tracer.Start(ctx, "handle "+m.Subject)
		span.End()
		mu.Lock()
		defer mu.Unlock()
		if tries[m.Subject]++; m.Subject == "o-2" && tries[m.Subject] < 3 { // in its batch, alone in its batch, out of its lane
			return errors.New("not yet")
		}
		return nil
	}
	ctx, root := tracer.Start(t.Context(), "pay")
	s.publish(ctx, draft("o-1", 1), draft("o-2", 1))
	root.End()
	s.run(nil, func() bool { c := s.status().Consumers; return len(c) == 1 && c[0].Counts.Handled == 2 })
	if c := s.status().Consumers[0].Counts; c.Parked != 1 {
		t.Errorf("%d parked", c.Parked)
	}
	children := map[string]int{}
	for _, span := range spans.Ended() {
		if span.Name() == "pay" {
			continue
		}
		children[span.Name()]++
		if span.Parent().SpanID() != root.SpanContext().SpanID() || span.SpanContext().TraceID() != root.SpanContext().TraceID() {
			t.Errorf("%s belongs to trace %s below %s, want %s below %s", span.Name(), span.SpanContext().TraceID(), span.Parent().SpanID(),
				root.SpanContext().TraceID(), root.SpanContext().SpanID())
		}
	}
	if children["handle o-1"] == 0 || children["handle o-2"] < 3 {
		t.Errorf("spans of handlers: %v", children)
	}
}

// TestTraceAbsent: without a span nothing is added, and nonsense is no trace.
func TestTraceAbsent(t *testing.T) {
	headers := map[string]string{}
	metrics.Inject(nil)(t.Context(), headers)
	if len(headers) != 0 {
		t.Errorf("headers %v", headers)
	}
	for _, text := range []string{"", "nonsense", "00-00000000000000000000000000000000-0000000000000000-01"} {
		ctx := metrics.Extract(nil)(t.Context(), event.Message{Headers: map[string]string{"traceparent": text}})
		if oteltrace.SpanContextFromContext(ctx).IsValid() {
			t.Errorf("%q is a trace", text)
		}
	}
	if ctx := metrics.Extract(propagation.Baggage{})(t.Context(), event.Message{}); ctx == nil {
		t.Error("no context")
	}
}

// TestHonest: the figures are what the database says, and the gauges are right
// in a process that saw nothing of how it came to be so.
func TestHonest(t *testing.T) {
	s := newSystem(t)
	m, read := meter(t, metrics.Options{})
	stop, err := m.Watch(metrics.Watched{Store: s.store, Brokers: map[string]delivery.Lagging{"loyalty": s.broker}})
	if err != nil {
		t.Fatal(err)
	}
	s.handle = func(_ context.Context, m event.Message) error {
		if m.Subject == "o-3" {
			return errors.New("never")
		}
		return nil
	}
	s.publish(t.Context(), draft("o-1", 1), draft("o-2", 1), draft("o-3", 1), draft("o-3", 2))
	expect(t, read(), map[string]float64{"evcontract.outbox.events{}": 4})
	s.run(m.Observe, func() bool {
		st := s.status()
		return st.Outbox.Pending == 0 && len(st.Consumers) == 1 && st.Consumers[0].Open == 2 && st.Consumers[0].Counts.Handled == 2
	})
	s.publish(t.Context(), draft("o-4", 1))
	c := s.status().Consumers[0]
	const kind = "event_type=OrderPaid.v1"
	expect(t, read(), map[string]float64{
		"evcontract.published.events{}":                                                    4,
		"evcontract.processed.events{" + kind + ",outcome=done,group.name=loyalty}":        float64(c.Counts.Handled),
		"evcontract.processed.events{" + kind + ",outcome=failed,group.name=loyalty}":      float64(c.Counts.Failed),
		"evcontract.processed.events{" + kind + ",outcome=quarantined,group.name=loyalty}": 2,
		"evcontract.quarantined.events{" + kind + ",reason=exhausted,group.name=loyalty}":  2,
		"evcontract.process.duration{" + kind + ",group.name=loyalty} count":               2,
	})
	_, other := watched(t, s)
	got := other()
	expect(t, got, map[string]float64{
		"evcontract.outbox.events{}":                                    1,
		"evcontract.outbox.held_lanes{}":                                0,
		"evcontract.backlog.events{group.name=loyalty}":                 0,
		"evcontract.parked.events{group.name=loyalty}":                  float64(c.ParkedEvents),
		"evcontract.quarantine.cases{state=open,group.name=loyalty}":    2,
		"evcontract.quarantine.cases{state=overdue,group.name=loyalty}": 0,
		"evcontract.inbox.members{group.name=loyalty}":                  0,
		"evcontract.inbox.paused{group.name=loyalty}":                   0,
	})
	for _, age := range []string{"evcontract.outbox.age{}", "evcontract.quarantine.age{group.name=loyalty}"} {
		if got[age] <= 0 {
			t.Errorf("%s is %v", age, got[age])
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, still := read()["evcontract.outbox.events{}"]; still {
		t.Error("stopped, and still watching")
	}
}

func watched(t *testing.T, s *system) (*metrics.Metrics, func() map[string]float64) {
	t.Helper()
	m, read := meter(t, metrics.Options{})
	if _, err := m.Watch(metrics.Watched{Store: s.store, Brokers: map[string]delivery.Lagging{"loyalty": s.broker}}); err != nil {
		t.Fatal(err)
	}
	return m, read
}

func TestWatchNothing(t *testing.T) {
	m, _ := meter(t, metrics.Options{})
	if _, err := m.Watch(metrics.Watched{}); err == nil {
		t.Error("watches nothing")
	}
}

// TestTraceBatch: a Batch handler has the trace of each of its events, and links
// to them for a span of its own. An event that was published without a trace has
// none.
func TestTraceBatch(t *testing.T) {
	delivery.SetInject(metrics.Inject(nil))
	t.Cleanup(func() { delivery.SetInject(nil) })
	tracer := trace.NewTracerProvider().Tracer("test")
	s := newSystem(t)
	traces := map[string]oteltrace.TraceID{}
	for _, order := range []string{"o-1", "o-2"} {
		ctx, span := tracer.Start(t.Context(), "pay "+order)
		s.publish(ctx, draft(order, 1))
		span.End()
		traces[order] = span.SpanContext().TraceID()
	}
	s.publish(t.Context(), draft("o-3", 1))
	s.batch = func(ctx context.Context, ms []event.Message) []error {
		if oteltrace.SpanContextFromContext(ctx).IsValid() {
			t.Error("the batch is in the trace of one of its events")
		}
		var want []oteltrace.TraceID
		for i, m := range ms {
			of := oteltrace.SpanContextFromContext(delivery.ContextOf(ctx, i))
			if of.TraceID() != traces[m.Subject] || of.IsValid() && !of.IsRemote() {
				t.Errorf("%s has trace %s, want %s", m.Subject, of.TraceID(), traces[m.Subject])
			}
			if of.IsValid() {
				want = append(want, of.TraceID())
			}
		}
		var got []oteltrace.TraceID
		for _, link := range metrics.Links(ctx, len(ms)) {
			got = append(got, link.SpanContext.TraceID())
		}
		if !slices.Equal(got, want) {
			t.Errorf("links to %v, want %v", got, want)
		}
		if out := delivery.ContextOf(ctx, len(ms)); out != ctx {
			t.Error("there is a context behind the last event")
		}
		return nil
	}
	s.run(nil, func() bool { c := s.status().Consumers; return len(c) == 1 && c[0].Counts.Handled == 3 })
}
