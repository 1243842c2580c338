package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/store/postgres"
)

// stream is a relay that is called step by step, beside traffic of many lanes.
type stream struct {
	t     *testing.T
	db    *deliverytest.Database
	lease delivery.Lease
	now   time.Time
}

func newStream(t *testing.T, db *deliverytest.Database, owner string) *stream {
	s := &stream{t: t, db: db, lease: delivery.Lease{Owner: owner, For: time.Minute}, now: time.Now()}
	db.SetNow(func() time.Time { return s.now })
	return s
}

func (s *stream) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stream) own() (shards int) {
	s.t.Helper()
	shards, err := s.db.Store.Lease(s.t.Context(), s.lease)
	s.must(err)
	return shards
}

// flows has so many more events sent that a scan begins behind them.
func (s *stream) flows() {
	s.t.Helper()
	const rows = 1000
	for range 20 {
		_, err := s.db.Query(s.t.Context(), `INSERT INTO evc_outbox (shard, id, key, event, revision, topic, lane_type, lane_id, version, source, partition_key, time, content_type, headers, payload, appended_at)
			SELECT i % 64, gen_random_uuid(), gen_random_uuid(), 'OrderPaid.v1', '', 'orders', 'order', 'other', 0, '', '', 0, '', '', '', 0 FROM generate_series(1, $1::int) AS i`, rows)
		s.must(err)
		s.sends("other")
	}
}

// publishes commits an event of a lane.
func (s *stream) publishes(f deliverytest.Fact) {
	s.t.Helper()
	s.must(s.db.InTx(s.t.Context(), func(ctx context.Context, tx event.Tx) error {
		_, err := tx.Append(ctx, f.Draft("OrderPaid.v1"))
		return err
	}))
}

// sends has everything sent that is pending, and wants it all to be of one lane.
func (s *stream) sends(lane string) (rows []delivery.Row) {
	s.t.Helper()
	rows, err := s.db.Store.Pending(s.t.Context(), s.lease, 1000)
	s.must(err)
	if len(rows) == 0 {
		s.t.Fatalf("nothing is pending, want rows of %s", lane)
	}
	for _, row := range rows {
		if row.Lane.ID != lane {
			s.t.Fatalf("a row of %s is pending, want %s only", row.Lane.ID, lane)
		}
	}
	s.must(s.db.Store.Settle(s.t.Context(), s.lease, rows, nil))
	return rows
}

// paid is an event of a lane.
func paid(version uint64) deliverytest.Fact {
	return deliverytest.Fact{Order: "o-1", Version: version, Payment: string(rune('a' + version))}
}

func versions(rows []delivery.Row) (all []uint64) {
	for _, row := range rows {
		all = append(all, row.Message.Version)
	}
	return all
}

func (s *stream) wantOrder(rows []delivery.Row) {
	s.t.Helper()
	if v := versions(rows); len(v) != 2 || v[0] != 1 || v[1] != 2 {
		s.t.Errorf("sent were versions %d, want 1 and 2", v)
	}
}

// A lane that was held while others flowed is sent from its head.
func TestHeldLaneKeepsItsOrder(t *testing.T) {
	s := newStream(t, fresh(t), "relay")
	s.own()
	s.publishes(paid(1))
	rows, err := s.db.Store.Pending(t.Context(), s.lease, 10)
	s.must(err)
	s.must(s.db.Store.Settle(t.Context(), s.lease, nil, []delivery.Hold{{Topic: rows[0].Message.Topic, Lane: rows[0].Lane, Attempts: 1, For: time.Second, Error: "refused"}}))
	s.flows()
	s.publishes(paid(2))
	s.now = s.now.Add(2 * time.Second)
	s.wantOrder(s.sends("o-1"))
}

// Who takes shards over finds what waits in them.
func TestShardsTakenOver(t *testing.T) {
	db := fresh(t)
	s := newStream(t, db, "relay")
	s.own()
	other := delivery.Lease{Owner: "gone", For: time.Second}
	for range 2 { // it joins, the first gives up what is beyond its share, and it takes that
		_, err := db.Store.Lease(t.Context(), other)
		s.must(err)
		s.own()
	}
	if n, err := db.Store.Lease(t.Context(), other); err != nil || n != delivery.Shards/2 {
		t.Fatal(n, err)
	}
	var lane event.Lane
	for i := byte('a'); ; i++ { // one that the other owns
		if lane = (event.Lane{Type: "order", ID: string(i)}); delivery.ShardOf(lane) >= delivery.Shards/2 {
			break
		}
	}
	change := func(version uint64) {
		t.Helper()
		f := paid(version)
		f.Order = lane.ID
		s.publishes(f)
	}
	change(1)
	rows, err := db.Query(t.Context(), "SELECT owner FROM evc_shard JOIN evc_outbox USING (shard)")
	s.must(err)
	if rows[0][0] != "gone" {
		t.Fatalf("the event is of a shard of %v", rows[0][0])
	}
	// Only rows of its own shards: those of the other wait.
	for range 20 {
		_, err := db.Query(t.Context(), `INSERT INTO evc_outbox (shard, id, key, event, revision, topic, lane_type, lane_id, version, source, partition_key, time, content_type, headers, payload, appended_at)
			SELECT shard, gen_random_uuid(), gen_random_uuid(), 'OrderPaid.v1', '', 'orders', 'order', 'other', 0, '', '', 0, '', '', '', 0
			FROM evc_shard, generate_series(1, 30) WHERE owner = 'relay'`)
		s.must(err)
		s.sends("other")
	}
	change(2)
	s.now = s.now.Add(2 * time.Second)
	if n := s.own(); n != delivery.Shards {
		t.Fatal(n)
	}
	s.wantOrder(s.sends(lane.ID))
}

// An event whose transaction commits late is sent before the next of its lane.
func TestLateCommit(t *testing.T) {
	db := fresh(t)
	s := newStream(t, db, "relay")
	s.own()
	conn, err := pgx.Connect(t.Context(), db.Source)
	s.must(err)
	defer func() { _ = conn.Close(context.Background()) }()
	tx, err := conn.Begin(t.Context())
	s.must(err)
	_, err = postgres.In(tx).Append(t.Context(), paid(1).Draft("OrderPaid.v1"))
	s.must(err)
	s.flows()
	s.must(tx.Commit(t.Context()))
	s.publishes(paid(2))
	s.wantOrder(s.sends("o-1"))
}
