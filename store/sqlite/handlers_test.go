package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
)

// subject is one of the drills' own consumers.
func subject(db *deliverytest.World, name, state string) deliverytest.Subject {
	s := deliverytest.Subject{
		Consumer: db.Consumer(name),
		Create: func(ctx context.Context, fresh *deliverytest.Database) error {
			*db.DB = *fresh // the consumer's handlers write where the drill reads
			return db.Create(ctx)
		},
		State: func(ctx context.Context, db *deliverytest.Database) (string, error) {
			rows, err := db.Query(ctx, state)
			return strings.TrimSpace(fmt.Sprintln(rows)), err
		},
	}
	for _, order := range []string{"o", "p"} {
		for v := uint64(1); v <= 3; v++ {
			s.Messages = append(s.Messages, deliverytest.Fact{Payment: fmt.Sprint(order, v), Order: order, Version: v}.Message(v-1))
		}
	}
	return s
}

// TestHandlers: handlers that add, that replace and that need every step show
// the same whatever happens to their messages.
func TestHandlers(t *testing.T) {
	for name, state := range map[string]string{
		deliverytest.Loyalty:    "SELECT lane, count(*), sum(version) FROM t_effect GROUP BY lane ORDER BY lane",
		deliverytest.Projection: "SELECT lane, version FROM t_state ORDER BY lane",
		deliverytest.Audit:      "SELECT lane, version FROM t_effect ORDER BY lane, n",
	} {
		t.Run(name, func(t *testing.T) {
			deliverytest.Handlers(t, fresh, subject(deliverytest.NewWorld(&deliverytest.Database{}), name, state))
		})
	}
}

// TestHandlersNotices: an effect outside of the transaction is noticed.
func TestHandlersNotices(t *testing.T) {
	var calls atomic.Int64
	s := subject(deliverytest.NewWorld(&deliverytest.Database{}), deliverytest.Loyalty, "")
	inside := s.Consumer.Routes[0].Handle
	s.Consumer.Routes[0].Handle = func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {
		calls.Add(1)
		return inside(ctx, tx, m, id)
	}
	s.State = func(context.Context, *deliverytest.Database) (string, error) { return fmt.Sprint(calls.Swap(0)), nil }
	n := 0
	found, err := s.Drill(t.Context(), func(context.Context) (*deliverytest.Database, error) {
		n++
		return open(filepath.Join(t.TempDir(), fmt.Sprint(n, ".db")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Error("a call outside of the transaction went unnoticed")
	}
}
