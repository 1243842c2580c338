package postgres_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/store/postgres"
)

// server is a PostgreSQL server that a test may crash.
type server struct {
	*deliverytest.Server
	t *testing.T
}

func newServer(t *testing.T) server {
	if os.Getenv(deliverytest.Binaries) == "" {
		t.Skipf("%s is not set: it holds the folder of initdb and pg_ctl", deliverytest.Binaries)
	}
	s, err := deliverytest.StartServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server{s, t}
}

func (s server) crash() {
	s.t.Helper()
	if err := s.Crash(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// What a relay was given to publish is in the database after a crash, also when
// the business doesn't wait for its commits. What could only be seen is not.
func TestNoGhostEvents(t *testing.T) {
	s := newServer(t)
	var seen, published, lostOfSeen int
	for round := range 4 {
		ids := commitLazily(t, s, round)
		seen += len(ids.seen)
		published += len(ids.published)
		s.crash()
		for id := range ids.published {
			if !exists(t, s, id) {
				t.Errorf("event %s was published and is gone", id)
			}
		}
		for id := range ids.seen {
			if !ids.published[id] && !exists(t, s, id) {
				lostOfSeen++
			}
		}
	}
	t.Logf("%d events published, none lost; %d of %d that were only seen were lost", published, lostOfSeen, seen-published)
	if published == 0 || lostOfSeen == 0 {
		t.Errorf("the drill shows nothing: %d published, %d that were only seen were lost", published, lostOfSeen)
	}
}

// A server that crashes twice under a running system loses nothing, and the
// system goes on.
func TestServerCrashes(t *testing.T) {
	s := newServer(t)
	db, err := open(s.Source())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // some connections died with the server
	w := deliverytest.NewWorld(db)
	w.Policy.Retry.Attempts = 100 // a crash may count as an attempt
	if err := w.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for v := range 30 {
		for o := range 5 {
			f := deliverytest.Fact{Payment: fmt.Sprint(v, o), Order: fmt.Sprint("o-", o), Version: uint64(v + 1)}
			if err := w.Change(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- deliverytest.System{World: w, Batch: 5}.Run(t.Context(), time.Minute) }()
	for range 2 {
		time.Sleep(300 * time.Millisecond)
		s.crash()
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	found, err := w.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

type events struct{ seen, published map[string]bool }

// commitLazily commits events without waiting for the disk, has a relay read
// some, and commits more that anyone can see.
func commitLazily(t *testing.T, s server, round int) events {
	ctx := t.Context()
	store, err := postgres.Open(ctx, s.Source())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }() // the server crashes under it
	conn, err := pgx.Connect(ctx, s.Source()+" options='-c synchronous_commit=off'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	lease := delivery.Lease{Owner: "relay", For: time.Hour / 2}
	if _, err := store.Lease(ctx, lease); err != nil {
		t.Fatal(err)
	}
	found := events{map[string]bool{}, map[string]bool{}}
	commit := func(part int) {
		d := deliverytest.Fact{Payment: fmt.Sprint(round, part), Order: fmt.Sprint(round, part), Version: 1}.Draft("OrderPaid.v1")
		if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			_, err := postgres.In(tx).Append(ctx, d)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		found.seen[d.ID.String()] = true
	}
	commit(1)
	rows, err := store.Pending(ctx, lease, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		found.seen[row.Message.ID], found.published[row.Message.ID] = true, true
	}
	commit(2)
	return found
}

func exists(t *testing.T, s server, id string) (ok bool) {
	conn, err := pgx.Connect(t.Context(), s.Source())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM evc_event WHERE id = $1)", id).Scan(&ok); err != nil {
		t.Fatal(err)
	}
	return ok
}
