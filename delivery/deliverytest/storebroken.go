package deliverytest

import (
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// brokenRows: a row that somebody has spoiled is handed out like any other, with
// nothing that an inbox could handle it by, so that others do not wait for it.
func brokenRows(t *testing.T, b *bench) {
	const spoiled = "{spoiled"
	do := func(query string) {
		t.Helper()
		b.must(b.DB.Do(b.ctx, query))
	}
	is := func(what string, m event.Message) {
		t.Helper()
		b.want(what, []any{m.Type, m.Headers["evcontract-envelope"], len(m.Payload) > 0}, []any{"", spoiled, true})
	}

	broker := b.DB.Broker("one")
	publish(t, broker, 2)
	do("UPDATE evc_topic SET envelope = '" + spoiled + "' WHERE pos = (SELECT min(pos) FROM evc_topic)")
	var got []event.Message
	collect(t, broker, func(ms []event.Message) error { got = append(got, ms...); return nil }, func() bool { return len(got) == 2 })
	is("of a topic", got[0])
	b.want("the one behind it", got[1].Type, brokerMessage(1).Type)

	m := b.join("one")
	b.work(m, delivery.Changes{Block: []delivery.Block{{Lane: lane("o-1"), Why: delivery.WhyRetry, For: 0}}})
	b.waits(m, 2, 3)
	do("UPDATE evc_parked SET envelope = '" + spoiled + "' WHERE version = 2")
	due, err := b.store.Due(b.ctx, m, 10, time.Minute)
	b.must(err)
	is("of a lane", due[0].Waiting[0].Message)
	b.want("its key", due[0].Waiting[0].Key, fact("o-1", 2).Key())
	b.want("the one behind it", due[0].Waiting[1].Message.Version, 3)

	b.work(m, b.held(4), b.ofLane(4))
	do("UPDATE evc_quarantine SET envelope = '" + spoiled + "', errors = '" + spoiled + "'")
	cases, err := b.store.Cases(b.ctx, delivery.CaseFilter{Consumer: Loyalty})
	b.must(err)
	is("of a case", cases[0].Message)
	b.want("its errors", cases[0].Errors, []string{spoiled})
}
