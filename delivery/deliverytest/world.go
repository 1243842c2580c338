package deliverytest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// World is a small business on a database: orders change, each change publishes
// an event, four consumers read them. Its ledgers have no unique constraint, so
// that the check doesn't lean on what is tested.
type World struct {
	DB     *Database
	Policy event.Policy
	Tidy   bool // the broker keeps every lane in order, so that handlers of any order see it in order
	Ships  bool // its consumers also read what was shipped, on a topic of its own
}

// Topics are where the world's events go.
const (
	Topic         = "orders.events"
	ShippingTopic = "orders.shipping"
)

// Shipped is the event of a fact that is not a payment.
const Shipped = "OrderShipped"

// The consumers of a world, one of each kind.
const (
	Loyalty    = "loyalty"    // any: adds
	Projection = "projection" // latest: replaces state, blindly
	Audit      = "audit"      // contiguous: needs every step
	Notify     = "notify"     // any: has a third-party call
)

// Consumers are all of them.
var Consumers = []string{Loyalty, Projection, Audit, Notify}

// Fact is one business change; it is also the payload of its event.
type Fact struct {
	Event   string `json:"event,omitempty"` // its name: OrderPaid, or Shipped
	Payment string `json:"payment"`         // the key field
	Order   string `json:"order"`
	Version uint64 `json:"version"`
	Fault   string `json:"fault,omitempty"` // what its handling does: error, panic, permanent, hang, kill
	Times   int    `json:"times,omitempty"` // in how many attempts; 0 means all
	Only    string `json:"only,omitempty"`  // in which consumer; empty means all
}

// NewWorld is a world with a policy that a drill has the time for.
func NewWorld(db *Database) *World {
	return &World{DB: db, Policy: event.Policy{
		Owner: "team-drill",
		Retry: event.Retry{Attempts: 4, Initial: 20 * time.Millisecond, Max: 100 * time.Millisecond},
	}}
}

// Create makes the tables of the business.
func (w *World) Create(ctx context.Context) error {
	return w.DB.Do(ctx,
		"CREATE TABLE t_change (n "+w.DB.Serial+", key TEXT NOT NULL, lane TEXT NOT NULL, version BIGINT NOT NULL)",
		"CREATE TABLE t_effect (n "+w.DB.Serial+", consumer TEXT NOT NULL, key TEXT NOT NULL, lane TEXT NOT NULL, version BIGINT NOT NULL)",
		"CREATE TABLE t_state (consumer TEXT NOT NULL, lane TEXT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (consumer, lane))",
		"CREATE TABLE t_provider (n "+w.DB.Serial+", key TEXT NOT NULL)",
	)
}

// Key is the idempotency key of a fact.
func (f Fact) Key() event.Key { return event.NewKey(f.name(), f.Payment) }

func (f Fact) name() string { return cmp.Or(f.Event, "OrderPaid") }

// Type is the event that its change publishes.
func (f Fact) Type() string { return f.name() + ".v1" }

func (f Fact) topic() string {
	if f.Event == Shipped {
		return ShippingTopic
	}
	return Topic
}

// Draft is the event of a fact, as the given version of OrderPaid.
func (f Fact) Draft(eventType string) event.Draft {
	payload, err := json.Marshal(f)
	if err != nil {
		panic(err) // a struct of strings and numbers always encodes
	}
	return event.Draft{
		Event: eventType, Revision: "0123456789abcdef", Source: "orders", Topic: f.topic(),
		ID: event.NewID(eventType, f.Key()), Key: f.Key(), Lane: event.Lane{Type: "order", ID: f.Order}, Version: f.Version,
		PartitionKey: f.Order, Time: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), ContentType: "application/json",
		Body: [32]byte{1}, Payload: payload,
	}
}

// Change commits a business change and its event together.
func (w *World) Change(ctx context.Context, f Fact) error {
	return w.DB.InTx(ctx, func(ctx context.Context, tx event.Tx) error {
		return w.ChangeIn(ctx, tx, f)
	})
}

// ChangeIn is Change in a transaction of the caller.
func (w *World) ChangeIn(ctx context.Context, tx event.Tx, f Fact) error {
	err := w.DB.Exec(ctx, tx, "INSERT INTO t_change (key, lane, version) VALUES ($1, $2, $3)", f.Key().String(), f.Order, int64(f.Version))
	if err != nil {
		return err
	}
	_, err = tx.Append(ctx, f.Draft(f.Type()))
	return err
}

// Consumer is one of the world's consumers.
func (w *World) Consumer(name string) event.Consumer {
	order := map[string]event.Order{Projection: event.OrderLatest, Audit: event.OrderContiguous}[name]
	c := event.Consumer{
		Name: name, Revision: "0123456789abcdef", Policy: w.Policy,
		Routes: []event.Route{{
			Event: "OrderPaid.v1", Topic: Topic, Order: order, Identify: Identify,
			Handle: func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {
				return w.handle(ctx, tx, name, m, id)
			},
		}},
	}
	if w.Ships {
		route := c.Routes[0]
		route.Event, route.Topic = Shipped+".v1", ShippingTopic
		c.Routes = append(c.Routes, route)
	}
	return c
}

// Identify reads a fact's identity, as generated code does.
func Identify(m event.Message) (event.Identity, error) {
	var f Fact
	if err := json.Unmarshal(m.Payload, &f); err != nil {
		return event.Identity{}, err
	}
	if f.Payment == "" || f.Order == "" {
		return event.Identity{}, errors.New("payment or order is missing")
	}
	return event.Identity{Key: f.Key(), Lane: event.Lane{Type: "order", ID: f.Order}, Version: f.Version, Time: m.Time}, nil
}

func (w *World) handle(ctx context.Context, tx event.Tx, consumer string, m event.Message, id event.Identity) error {
	var f Fact
	if err := json.Unmarshal(m.Payload, &f); err != nil {
		return event.Permanent(err)
	}
	key := id.Key.String()
	if err := w.DB.Exec(ctx, tx, "INSERT INTO t_effect (consumer, key, lane, version) VALUES ($1, $2, $3, $4)", consumer, key, f.Order, int64(f.Version)); err != nil {
		return err
	}
	if f.Only == "" || f.Only == consumer {
		if err := f.fault(ctx, id.Attempt); err != nil {
			return err
		}
	}
	switch consumer {
	case Projection:
		return w.DB.Exec(ctx, tx, "INSERT INTO t_state (consumer, lane, version) VALUES ($1, $2, $3) ON CONFLICT (consumer, lane) DO UPDATE SET version = excluded.version", consumer, f.Order, int64(f.Version))
	case Notify:
		return tx.Intend(ctx, event.Effect{Key: event.NewEffectKey(id.Key, Notify, "mail"), Name: "mail", Consumer: Notify, Event: id.Key, Request: m.Payload})
	}
	return nil
}

// fault misbehaves after the effect was written, where it hurts most.
func (f Fact) fault(ctx context.Context, attempt int) error {
	if f.Fault == "" || f.Times > 0 && attempt > f.Times {
		return nil
	}
	switch f.Fault {
	case "panic":
		panic("drill: handler panics")
	case "permanent":
		return event.Permanent(errors.New("drill: cannot be mended"))
	case "hang":
		<-ctx.Done()
		return ctx.Err()
	case "kill":
		Kill()
	}
	return fmt.Errorf("drill: attempt %d fails", attempt)
}

// Kill ends this process with SIGKILL.
func Kill() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill() // if it fails, the drill sees that the child lives on
	}
	select {} // the signal may take a moment
}

// Effects makes the world's third-party calls. The provider counts every request
// that reaches it and knows no idempotency keys, so sending twice shows.
func (w *World) Effects() map[string]delivery.Effect {
	return map[string]delivery.Effect{"mail": {
		Within: patience * 300 * time.Millisecond,
		Settle: patience * 1500 * time.Millisecond,                                                  // a request that was cut off while it committed may still arrive
		Retry:  event.Retry{Attempts: 50, Initial: w.Policy.Retry.Initial, Max: w.Policy.Retry.Max}, // a slow machine is no reason to give up
		Call: func(ctx context.Context, e event.Effect) (string, error) {
			return "ref", w.DB.InTx(ctx, func(ctx context.Context, tx event.Tx) error {
				return w.DB.Exec(ctx, tx, "INSERT INTO t_provider (key) VALUES ($1)", e.Key.String())
			})
		},
		Reconcile: func(ctx context.Context, e event.Effect) (string, error) {
			n, err := w.DB.Count(ctx, "SELECT count(*) FROM t_provider WHERE key = $1", e.Key.String())
			if err == nil && n == 0 {
				err = delivery.ErrAbsent
			}
			return "ref", err
		},
	}}
}
