package event

import (
	"context"
	"time"
)

// Consumer is a named group that reads some event types. Generated code makes
// one; an inbox runs it.
type Consumer struct {
	Name     string
	Revision string // of the contracts that it was generated from
	Policy   Policy
	Routes   []Route
}

// Route is how a consumer takes one event type. Handle or Batch must be set:
// an inbox refuses to start a consumer that has a route without a handler.
type Route struct {
	Event string // OrderPaid.v1
	Topic string
	Order Order

	// Identify reads the identity out of a message and nothing more. An error
	// sends the message to quarantine under its position; it parks no lane.
	Identify func(Message) (Identity, error)

	// Handle decodes a message and does the business change inside tx. An error
	// is retried by the policy unless it is Permanent.
	Handle func(ctx context.Context, tx Tx, m Message, id Identity) error

	// Batch handles several messages in one transaction: one error a message, in
	// order, nil for what succeeded. A nil slice means that all succeeded. Any
	// error rolls the whole batch back and narrows it down.
	Batch func(ctx context.Context, tx Tx, ms []Message, ids []Identity) []error
}

// Order is what a consumer's state needs of the order of a lane's events.
type Order uint8

const (
	OrderAny        Order = iota // each event counts, whatever its order: handlers that add
	OrderLatest                  // an older version never overwrites a newer: handlers that replace state
	OrderContiguous              // every step of each topic, a gap waits: handlers that need all of them
)

var orderNames = [...]string{"any", "latest", "contiguous"}

// String is the order as a manifest writes it.
func (o Order) String() string { return orderNames[o] }

// Policy is what a contract says of failures. A zero value takes the default
// that stands at the field.
type Policy struct {
	Owner      string
	Retry      Retry
	Quarantine Quarantine
	SLO        SLO
	Remember   time.Duration // how long a key is remembered; 30 days
}

// Retry bounds the attempts at one event: attempt n waits Initial × 2^(n-1), at
// most Max, shortened or lengthened by up to Jitter of itself.
type Retry struct {
	Attempts int           // all attempts, the first included; 8
	Initial  time.Duration // 1 s
	Max      time.Duration // 5 min
	Jitter   float64       // 0.2; a negative value means none
}

// Quarantine is how long a quarantined event may stay unresolved, and how long
// a resolved one is kept.
type Quarantine struct {
	ResolveWithin time.Duration // 24 h
	Keep          time.Duration // 30 days
}

// SLO is what status and metrics hold the running consumer against.
type SLO struct {
	OldestMessage time.Duration // 1 min
	HandlingP95   time.Duration // 250 ms
	RetryRatio    float64       // 0.01
}
