// Package metrics turns what the loops of package delivery observe into
// OpenTelemetry metrics, and carries the trace of a publisher to the handlers of
// its events. It uses OpenTelemetry's API alone: which exporter and which reader
// there are is the program's choice.
//
//	m, err := metrics.New(metrics.Options{})
//	stop, err := m.Watch(metrics.Watched{Store: store, Brokers: map[string]delivery.Lagging{"loyalty": broker}})
//	delivery.SetInject(metrics.Inject(nil))
//	relay := delivery.Relay{Store: store, Broker: broker, Observe: m.Observe}
//	inbox := delivery.Inbox{Store: store, Broker: broker, Observe: m.Observe, Context: metrics.Extract(nil)}
//
// What is watched, and the instruments that say it:
//
//	how deep is the backlog     evcontract.backlog.events, evcontract.outbox.events
//	how old is the oldest       evcontract.backlog.age, evcontract.outbox.age, evcontract.parked.age
//	what is produced            evcontract.published.events
//	what is consumed            evcontract.processed.events
//	how long handling takes     evcontract.process.duration, a histogram: P95
//	how many attempts fail      evcontract.processed.events, outcome failed by outcomes failed and done
//	dedupe hits, stale skips    evcontract.processed.events, outcomes duplicate and stale
//	how the quarantine grows    evcontract.quarantined.events by reason
//	is anybody looking at it    evcontract.quarantine.cases, state open and overdue; evcontract.quarantine.age
//	what waits in its lane      evcontract.parked.events, evcontract.parked.lanes
//	third-party calls           evcontract.effect.calls, evcontract.effect.pending by state
//	is a loop in trouble        evcontract.loop.errors, evcontract.held.lanes
//
// Attributes are few and bounded: the consumer (messaging.consumer.group.name),
// the event type with its major version (cloudevents.event_type), the outcome,
// the reason, the state. Keys, lanes, error texts and owners of leases are in
// none.
package metrics
