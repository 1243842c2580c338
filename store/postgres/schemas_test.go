package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
)

// Services that have schemas of their own in one database don't wait for each
// other: while one is stuck in the middle of something, the others go on.
func TestSchemasApart(t *testing.T) {
	stuck, other := patient(t), fresh(t)
	m := []event.Message{{Topic: "t", ID: "1"}}
	act := func(db *deliverytest.Database) []func() error {
		publisher := db.Broker("g")
		return []func() error{
			func() error { return errors.Join(publisher.Publish(t.Context(), m)...) },
			func() error {
				_, err := db.Store.Lease(t.Context(), delivery.Lease{Owner: "one", For: time.Minute})
				return err
			},
		}
	}
	for _, f := range act(stuck) { // what is prepared already waits with its lock held
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), stuck.Source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE evc_topic, evc_shard"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	for _, f := range act(stuck) {
		go func() { ended <- f() }()
	}
	untilWaiting(t, stuck, int64(cap(ended))) // both have what they lock first
	for _, f := range act(other) {
		if err := f(); err != nil {
			t.Errorf("the other service waited: %v", err)
		}
	}
	untilWaiting(t, stuck, int64(cap(ended))) // still
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range cap(ended) {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
