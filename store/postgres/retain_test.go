package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/evcontract/evcontract/store/postgres"
)

// Keys of every age are found wherever they lie, and no others are forgotten.
func TestRetainFindsOldKeys(t *testing.T) {
	s := openStore(t)
	const each, day = 10_000, 24 * time.Hour // more than one piece of a sweep
	count := func() (n int) {
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
			return tx.QueryRow(ctx, "SELECT count(*) FROM evc_event").Scan(&n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := s.InTx(t.Context(), func(_ context.Context, tx *postgres.Tx) error {
		for _, days := range []int{10, 40, 1, 40, 2} { // in the order in which they lie
			tx.Queue(`INSERT INTO evc_event (id, key, event, revision, topic, lane_type, lane_id, version, body, appended_at)
				SELECT gen_random_uuid(), gen_random_uuid(), 'OrderPaid.v1', '', 'orders', 'order', 'o', 0, '', evc_now(NULL) - $2 * 86400000000::bigint FROM generate_series(1, $1::int)`, each, days)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		remember time.Duration
		left     int
	}{{50 * day, 5 * each}, {30 * day, 3 * each}, {30 * day, 3 * each}, {5 * day, 2 * each}, {time.Hour, 0}} {
		for {
			n, err := s.Retain(t.Context(), time.Hour, c.remember)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
		}
		if n := count(); n != c.left {
			t.Errorf("keys of %v: %d are left, want %d", c.remember, n, c.left)
		}
	}
}

// A sweep begins where something was forgotten last, also by another process:
// a table may be too large to be walked over from its beginning.
func TestRetainBeginsWhereItEnded(t *testing.T) {
	s := openStore(t)
	one := func(query string) (n int64) {
		t.Helper()
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *postgres.Tx) error {
			return tx.QueryRow(ctx, query).Scan(&n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := s.InTx(t.Context(), func(_ context.Context, tx *postgres.Tx) error {
		for _, days := range []int{1, 40} {
			tx.Queue(`INSERT INTO evc_event (id, key, event, revision, topic, lane_type, lane_id, version, body, appended_at)
				SELECT gen_random_uuid(), gen_random_uuid(), 'OrderPaid.v1', '', 'orders', 'order', 'o', 0, '', evc_now(NULL) - $1 * 86400000000::bigint FROM generate_series(1, 20000)`, days)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n > 0; {
		var err error
		if n, err = s.Retain(t.Context(), time.Hour, 30*24*time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	young := one("SELECT max((ctid::text::point)[0]::bigint) FROM evc_event")
	if at := one("SELECT block FROM evc_sweep"); at < young-200 {
		t.Errorf("the next sweep begins at block %d, the old keys lay behind %d", at, young)
	}
}
