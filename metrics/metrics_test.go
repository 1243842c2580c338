package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/metrics"
)

// meter is a provider whose figures a test reads.
func meter(t *testing.T, o metrics.Options) (*metrics.Metrics, func() map[string]float64) {
	t.Helper()
	reader := metric.NewManualReader()
	o.Provider = metric.NewMeterProvider(metric.WithReader(reader))
	m, err := metrics.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m, func() map[string]float64 {
		t.Helper()
		var data metricdata.ResourceMetrics
		if err := reader.Collect(context.Background(), &data); err != nil {
			t.Fatal(err)
		}
		return figures(t, data)
	}
}

// figures are all points as name{key=value,…}; of a histogram its count and its
// sum in milliseconds.
func figures(t *testing.T, data metricdata.ResourceMetrics) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, scope := range data.ScopeMetrics {
		if scope.Scope.Name != metrics.Scope {
			t.Errorf("scope %q", scope.Scope.Name)
		}
		for _, m := range scope.Metrics {
			if m.Unit == "" || m.Description == "" {
				t.Errorf("%s has no unit or no description", m.Name)
			}
			points(t, m, all)
		}
	}
	return all
}

func points(t *testing.T, m metricdata.Metrics, all map[string]float64) {
	t.Helper()
	switch d := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range d.DataPoints {
			all[m.Name+"{"+p.Attributes.Encoded(encoder{})+"}"] = float64(p.Value)
		}
	case metricdata.Gauge[float64]:
		for _, p := range d.DataPoints {
			all[m.Name+"{"+p.Attributes.Encoded(encoder{})+"}"] = p.Value
		}
	case metricdata.Histogram[float64]:
		for _, p := range d.DataPoints {
			name := m.Name + "{" + p.Attributes.Encoded(encoder{}) + "}"
			all[name+" count"], all[name+" ms"] = float64(p.Count), p.Sum*1000
		}
	default:
		t.Errorf("%s is a %T", m.Name, m.Data)
	}
}

func expect(t *testing.T, got map[string]float64, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		if have, ok := got[name]; !ok || have != value {
			t.Errorf("%s is %v (there: %v), want %v", name, have, ok, value)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestObserve(t *testing.T) {
	m, read := meter(t, metrics.Options{})
	const ms = time.Millisecond
	for _, o := range []delivery.Observation{
		{Loop: delivery.LoopRelay, Consumer: "host-1-RANDOM", Outcome: delivery.Published, Count: 40, Took: 20 * ms, Age: 300 * ms},
		{Loop: delivery.LoopRelay, Consumer: "host-1-RANDOM", Outcome: delivery.Held, Count: 2, Err: errors.New("refused")},
		{Loop: delivery.LoopRelay, Consumer: "host-1-RANDOM", Err: errors.New("no database")},
		{Loop: delivery.LoopInbox, Consumer: "loyalty", Event: "OrderPaid.v1", Revision: "r1", Outcome: delivery.Done, Count: 1, Took: 5 * ms, Age: 700 * ms},
		{Loop: delivery.LoopLanes, Consumer: "loyalty", Event: "OrderPaid.v1", Revision: "r2", Outcome: delivery.Done, Count: 1, Took: 7 * ms, Age: 900 * ms},
		{Loop: delivery.LoopInbox, Consumer: "loyalty", Event: "OrderPaid.v1", Outcome: delivery.Failed, Count: 1, Err: errors.New("no")},
		{Loop: delivery.LoopInbox, Consumer: "loyalty", Event: "OrderPaid.v1", Outcome: delivery.Duplicate, Count: 1},
		{Loop: delivery.LoopInbox, Consumer: "status", Event: "OrderPaid.v1", Outcome: delivery.Stale, Count: 1},
		{Loop: delivery.LoopInbox, Consumer: "loyalty", Event: "OrderPaid.v1", Outcome: delivery.Quarantined, Count: 1, Reason: delivery.ReasonExhausted},
		{Loop: delivery.LoopInbox, Consumer: "loyalty", Outcome: delivery.Ignored, Count: 9},
		{Loop: delivery.LoopInbox, Consumer: "loyalty", Err: errors.New("no database")},
		{Loop: delivery.LoopEffects, Consumer: "notify", Event: "mail", Outcome: delivery.Called, Count: 1},
		{Loop: delivery.LoopEffects, Consumer: "notify", Event: "mail", Outcome: delivery.Called, Count: 1, Err: errors.New("no answer")},
		{Loop: delivery.LoopEffects, Consumer: "notify", Event: "mail", Outcome: delivery.Reconciled, Count: 1, Err: delivery.ErrAbsent},
		{Loop: delivery.LoopEffects, Consumer: "RANDOM", Err: errors.New("no database")},
	} {
		m.Observe(o)
	}
	got := read()
	expect(t, got, map[string]float64{
		"evcontract.published.events{}":                                                               40,
		"evcontract.publish.duration{} ms":                                                            20,
		"evcontract.publish.age{} ms":                                                                 300,
		"evcontract.held.lanes{}":                                                                     2,
		"evcontract.loop.errors{loop=relay}":                                                          1,
		"evcontract.loop.errors{loop=inbox,group.name=loyalty}":                                       1,
		"evcontract.loop.errors{loop=effects}":                                                        1,
		"evcontract.processed.events{event_type=OrderPaid.v1,outcome=done,group.name=loyalty}":        2,
		"evcontract.processed.events{event_type=OrderPaid.v1,outcome=failed,group.name=loyalty}":      1,
		"evcontract.processed.events{event_type=OrderPaid.v1,outcome=duplicate,group.name=loyalty}":   1,
		"evcontract.processed.events{event_type=OrderPaid.v1,outcome=stale,group.name=status}":        1,
		"evcontract.processed.events{event_type=OrderPaid.v1,outcome=quarantined,group.name=loyalty}": 1,
		"evcontract.processed.events{outcome=ignored,group.name=loyalty}":                             9,
		"evcontract.process.duration{event_type=OrderPaid.v1,group.name=loyalty} count":               2,
		"evcontract.process.duration{event_type=OrderPaid.v1,group.name=loyalty} ms":                  12,
		"evcontract.process.age{event_type=OrderPaid.v1,group.name=loyalty} ms":                       1600,
		"evcontract.quarantined.events{event_type=OrderPaid.v1,reason=exhausted,group.name=loyalty}":  1,
		"evcontract.effect.calls{name=mail,outcome=called,state=answered,group.name=notify}":          1,
		"evcontract.effect.calls{name=mail,outcome=called,state=failed,group.name=notify}":            1,
		"evcontract.effect.calls{name=mail,outcome=reconciled,state=absent,group.name=notify}":        1,
	})
	for name := range got {
		if strings.Contains(name, "RANDOM") {
			t.Errorf("%s: the owner of a lease is an attribute", name)
		}
	}
}

// TestObserveRevisions: a canary tells writers apart.
func TestObserveRevisions(t *testing.T) {
	m, read := meter(t, metrics.Options{Revisions: true})
	for _, revision := range []string{"r1", "r1", "r2"} {
		m.Observe(delivery.Observation{Loop: delivery.LoopInbox, Consumer: "c", Event: "E.v1", Revision: revision, Outcome: delivery.Done, Count: 1})
	}
	expect(t, read(), map[string]float64{
		"evcontract.processed.events{event_type=E.v1,outcome=done,revision=r1,group.name=c}": 2,
		"evcontract.processed.events{event_type=E.v1,outcome=done,revision=r2,group.name=c}": 1,
	})
}

// TestObserveBounded: event types that arrive from outside make no time series
// without end.
func TestObserveBounded(t *testing.T) {
	m, read := meter(t, metrics.Options{})
	for i := range 1000 {
		m.Observe(delivery.Observation{Loop: delivery.LoopInbox, Consumer: "c", Event: fmt.Sprintf("E%d.v1", i), Outcome: delivery.Parked, Count: 1})
	}
	got := read()
	if len(got) != 201 {
		t.Errorf("%d time series", len(got))
	}
	expect(t, got, map[string]float64{"evcontract.processed.events{event_type=_OTHER,outcome=parked,group.name=c}": 800})
}
