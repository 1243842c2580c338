package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/evcontract/evcontract/event"
)

// Broker carries messages at least once. A value stands for one connection and,
// for Consume, for one named group. Both methods are safe for concurrent use.
type Broker interface {
	// Publish sends messages and returns once the broker has stored them or
	// refused them: nil when all were stored, else one error a message, in
	// order, nil for what was stored. Messages with one PartitionKey keep their
	// order: when one fails, those behind it in the same call fail with ErrHeld
	// and are not sent.
	Publish(ctx context.Context, ms []event.Message) []error

	// Consume calls f with batches until ctx ends, and then returns nil. When f
	// returns nil the batch is acknowledged, else it is delivered again, after a
	// pause. Batches of one partition come one after the other; batches of
	// several partitions may come at the same time.
	Consume(ctx context.Context, topics []string, f func(context.Context, []event.Message) error) error
}

// Lagging is a broker that knows how far its group is behind. Not every one can.
type Lagging interface {
	Backlog(ctx context.Context) (Backlog, error)
}

// Backlog is what a group has not acknowledged.
type Backlog struct {
	Topics int           // that the group has read here; 0 means that it never did
	Events int           // of a topic at most BacklogMost are counted
	Oldest time.Duration // since the oldest of them was published
}

// BacklogMost bounds the count of a backlog, so that asking stays cheap when it
// is deep.
const BacklogMost = 100_000

// Retaining is a broker that knows how long it keeps messages. Not every one can.
type Retaining interface {
	// Retention is the longest of the topics; 0 when the broker doesn't know.
	Retention(ctx context.Context, topics []string) (time.Duration, error)
}

// ErrHeld is what Publish says of a message that was not sent because an
// earlier one with the same partition key failed.
var ErrHeld = errors.New("not sent: an earlier message with this partition key failed")
