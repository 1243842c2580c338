package deliverytest

import (
	"context"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// lease is one that a test relays under.
var lease = delivery.Lease{Owner: "relay-1", For: 10 * time.Second}

// relay marks everything as sent that is pending.
func (b *bench) relay() []delivery.Row {
	b.t.Helper()
	_, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	rows, err := b.store.Pending(b.ctx, lease, 1000)
	b.must(err)
	b.must(b.store.Settle(b.ctx, lease, rows, nil))
	return rows
}

func outboxLeases(_ *testing.T, b *bench) {
	two := delivery.Lease{Owner: "relay-2", For: 10 * time.Second}
	n, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	b.want("alone", n, delivery.Shards)
	n, err = b.store.Lease(b.ctx, two)
	b.must(err)
	b.want("nothing is free yet", n, 0)
	n, err = b.store.Lease(b.ctx, lease)
	b.must(err)
	b.want("its share", n, delivery.Shards/2)
	n, err = b.store.Lease(b.ctx, two)
	b.must(err)
	b.want("the other's share", n, delivery.Shards/2)
	b.clock.Advance(5 * time.Second)
	_, err = b.store.Lease(b.ctx, lease)
	b.must(err)
	b.clock.Advance(6 * time.Second)
	n, err = b.store.Lease(b.ctx, lease)
	b.must(err)
	b.want("after the other's time", n, delivery.Shards)
	_, err = b.store.Pending(b.ctx, two, 10)
	b.wantErr(err, delivery.ErrFenced)
	b.wantErr(b.store.Settle(b.ctx, two, nil, nil), delivery.ErrFenced)
	b.must(b.store.Release(b.ctx, lease))
	n, err = b.store.Lease(b.ctx, two)
	b.must(err)
	b.want("after release", n, delivery.Shards)
}

func outboxStamps(_ *testing.T, b *bench) {
	for i := range 3 {
		for _, order := range []string{"o-1", "o-2"} {
			b.must(b.Change(b.ctx, fact(order, uint64(2*i+1)))) // not every version makes an event
		}
	}
	_, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	first, err := b.store.Pending(b.ctx, lease, 4)
	b.must(err)
	b.want("limit", len(first), 4)
	b.must(b.store.Settle(b.ctx, lease, first, nil))
	rest := b.relay()
	rows := append(first, rest...)
	b.want("all", len(rows), 6)
	last := map[string]uint64{}
	for _, row := range rows {
		m := row.Message
		b.want("previous of "+m.Subject, m.Previous, last[m.Subject])
		b.want("chained", m.Chained, true)
		last[m.Subject] = m.Version
	}
	m, d := rows[0].Message, fact("o-1", 1).Draft("OrderPaid.v1")
	b.want("message", []any{m.ID, m.Source, m.Type, m.Subject, m.Time.UTC(), m.ContentType, m.AggregateType, m.IdempotencyKey, m.PartitionKey, m.Topic, string(m.Payload), m.Schema},
		[]any{d.ID, d.Source, d.Event, d.Lane.ID, d.Time, d.ContentType, d.Lane.Type, d.Key, d.PartitionKey, d.Topic, string(d.Payload), "evcontract:OrderPaid.v1/0123456789abcdef"})
}

func outboxHolds(_ *testing.T, b *bench) {
	for _, f := range []Fact{fact("o-1", 1), fact("o-1", 2), fact("o-2", 1)} {
		b.must(b.Change(b.ctx, f))
	}
	_, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	rows, err := b.store.Pending(b.ctx, lease, 10)
	b.must(err)
	b.must(b.store.Settle(b.ctx, lease, rows[2:], []delivery.Hold{{Topic: Topic, Lane: rows[0].Lane, Attempts: 1, For: time.Second, Error: "refused"}}))
	b.must(b.Change(b.ctx, fact("o-2", 2)))
	rows, err = b.store.Pending(b.ctx, lease, 10)
	b.must(err)
	b.want("only the other lane", len(rows), 1)
	b.must(b.store.Settle(b.ctx, lease, rows, nil))
	b.clock.Advance(2 * time.Second)
	rows = b.relay()
	b.want("the held lane, in order", []any{len(rows), rows[0].Message.Version, rows[0].Attempts}, []any{2, 1, 1})
	b.want("holds", b.count("SELECT count(*) FROM evc_hold"), 0)
}

func outboxTopics(t *testing.T, b *bench) {
	one := b.DB.Broker("one")
	publish(t, one, 3)
	n := 0
	collect(t, one, func(ms []event.Message) error { n += len(ms); return nil }, func() bool { return n == 3 })
	publish(t, one, 2) // which the group has not read
	other := fact("o-1", 1).Message(0)
	other.Topic = ShippingTopic // which no group reads
	for _, err := range one.Publish(b.ctx, []event.Message{other}) {
		b.must(err)
	}
	day := 24 * time.Hour
	_, err := b.store.Retain(b.ctx, 7*day, 30*day)
	b.must(err)
	b.want("within their time", b.count("SELECT count(*) FROM evc_topic"), 6)
	b.clock.Advance(8 * day)
	_, err = b.store.Retain(b.ctx, 7*day, 30*day)
	b.must(err)
	b.want("after it", b.count("SELECT count(*) FROM evc_topic"), 2)
}

// outboxLarge has events that are large among small ones: what is in hand at
// once is bounded by their payloads as well, for a relay and for who reads a
// topic, and nothing is left out.
func outboxLarge(t *testing.T, b *bench) {
	const large, small = 7, 60
	var ms []event.Message
	for i := range large + small {
		f := fact("o", uint64(i+1))
		d := f.Draft(f.Type())
		if i < large {
			d.Payload = make([]byte, 5<<20)
		}
		b.must(b.DB.InTx(b.ctx, func(ctx context.Context, tx event.Tx) error {
			_, err := tx.Append(ctx, d)
			return err
		}))
	}
	bounded := func(ms []event.Message) {
		t.Helper()
		bytes := 0
		for i, m := range ms {
			if bytes >= delivery.MostBytes {
				t.Fatalf("%d messages behind %d bytes", len(ms)-i, bytes)
			}
			bytes += len(m.Payload)
		}
	}
	_, err := b.store.Lease(b.ctx, lease)
	b.must(err)
	for len(ms) < large+small {
		rows, err := b.store.Pending(b.ctx, lease, 1000)
		b.must(err)
		if len(rows) == 0 {
			t.Fatalf("only %d events were read", len(ms))
		}
		batch := make([]event.Message, len(rows))
		for i, r := range rows {
			batch[i] = r.Message
		}
		bounded(batch)
		ms = append(ms, batch...)
		b.must(b.store.Settle(b.ctx, lease, rows, nil))
	}
	broker := b.DB.Broker("large")
	for _, err := range broker.Publish(b.ctx, ms) {
		b.must(err)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	var versions []uint64
	b.must(broker.Consume(ctx, []string{Topic}, func(_ context.Context, ms []event.Message) error {
		bounded(ms)
		for _, m := range ms {
			versions = append(versions, m.Version)
		}
		if len(versions) >= large+small {
			cancel()
		}
		return nil
	}))
	for i, v := range versions {
		if v != uint64(i+1) {
			t.Fatalf("event %d has version %d", i+1, v)
		}
	}
	b.want("events read", len(versions), large+small)
}
