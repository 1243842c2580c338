package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/store/sqlite"
)

// TestSweep: payloads go once they are old and sent. What waits to be sent keeps
// its own, holds up nobody else's, and loses it as well when it is sent.
func TestSweep(t *testing.T) {
	const day = 24 * time.Hour
	s := openStore(t, filepath.Join(t.TempDir(), "test.db"))
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { return now }
	publish := func(order string) {
		t.Helper()
		d := deliverytest.Fact{Payment: order, Order: order, Version: 1}.Draft("OrderPaid.v1")
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			_, err := s.In(tx).Append(ctx, d)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	lease := delivery.Lease{Owner: "relay", For: time.Minute}
	send := func(skip int) {
		t.Helper()
		if _, err := s.Lease(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Pending(t.Context(), lease, 100)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(t.Context(), lease, rows[skip:], nil); err != nil {
			t.Fatal(err)
		}
	}
	retain := func(wantPayloads, wantKeys int) {
		t.Helper()
		for n := -1; n != 0; {
			var err error
			if n, err = s.Retain(t.Context(), 7*day, 30*day); err != nil {
				t.Fatal(err)
			}
		}
		var payloads, keys int
		if err := s.Reader().QueryRow("SELECT (SELECT count(*) FROM evc_log), (SELECT count(*) FROM evc_event)").Scan(&payloads, &keys); err != nil {
			t.Fatal(err)
		}
		if payloads != wantPayloads || keys != wantKeys {
			t.Fatalf("%d payloads and %d keys, want %d and %d", payloads, keys, wantPayloads, wantKeys)
		}
	}

	for n := range 2500 { // more than one piece
		publish(fmt.Sprint("old-", n))
	}
	for range 30 {
		send(1) // all but the first, a batch at a time
	}
	retain(2500, 2500)
	now = now.Add(8 * day)
	publish("new")
	retain(2, 2501)
	send(0)
	retain(1, 2501)
	now = now.Add(23 * day)
	retain(0, 1)
	publish("newest")
	if seq := newest(t, s); seq != 2502 {
		t.Errorf("sequence %d, want 2502: none is drawn twice", seq)
	}
	retain(1, 2)
}

func newest(t *testing.T, s *sqlite.Store) (seq int) {
	t.Helper()
	if err := s.Reader().QueryRow("SELECT max(seq) FROM evc_outbox").Scan(&seq); err != nil {
		t.Fatal(err)
	}
	return seq
}
