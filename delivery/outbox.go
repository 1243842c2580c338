package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/evcontract/evcontract/event"
)

// OutboxStore is what a Relay needs of a database. All times belong to the
// store: the relay passes durations, so that hosts never compare their clocks.
// Methods are safe for concurrent use.
type OutboxStore interface {
	// Lease registers or renews an owner, drops owners whose time is up, and
	// gives this one its fair share of the shards. It returns how many it has.
	Lease(ctx context.Context, l Lease) (shards int, err error)

	// Pending reads rows of the owner's shards in the order of their sequence,
	// without lanes that are held and no more than MostBytes allows, and, where there are any, then renews the lease
	// in a transaction that is synced to disk: what was read is durable when
	// Pending returns. It returns ErrFenced when the lease is lost.
	Pending(ctx context.Context, l Lease, limit int) ([]Row, error)

	// Settle marks sent rows as published and holds lanes that failed, in one
	// transaction. It changes nothing and returns ErrFenced when the lease is lost.
	Settle(ctx context.Context, l Lease, sent []Row, held []Hold) error

	// Release gives the owner's shards back at once.
	Release(ctx context.Context, l Lease) error

	// Await returns when something may have been appended since the owner last
	// awaited it, at the latest after d. It is a hint that saves time, nothing
	// depends on it.
	Await(ctx context.Context, l Lease, d time.Duration) error

	// Retain forgets published events: their payloads after keep, their keys
	// after remember. It returns how many rows it changed, and is called again
	// while there are some.
	Retain(ctx context.Context, keep, remember time.Duration) (int, error)
}

// Looping is an OutboxStore that serves several loops at the same time faster
// than one after the other.
type Looping interface {
	// RelayLoops is how many loops of one relay it serves best.
	RelayLoops() int
}

func loopsOf(s OutboxStore) int {
	if l, ok := s.(Looping); ok {
		return l.RelayLoops()
	}
	return 1
}

// MostBytes bounds the payloads that are in hand at once, whatever they are of:
// stores and brokers end a batch behind the event that reaches it.
const MostBytes = 16 << 20

// MostBatch is the most events in one batch, whatever a loop is told.
const MostBatch = 10_000

// Lease says who relays, and for how long the store may believe it.
type Lease struct {
	Owner string // unique for one run of one relay
	For   time.Duration
}

// Row is a committed event that waits to be sent.
type Row struct {
	Seq      int64
	Message  event.Message // the lane's previous version is stamped on it
	Lane     event.Lane
	Attempts int           // failed attempts to publish the head of its lane
	Age      time.Duration // since it was appended
}

// Hold makes a lane wait after its head could not be published.
type Hold struct {
	Topic    string
	Lane     event.Lane
	Attempts int
	For      time.Duration
	Error    string
}

// ErrFenced is returned to a relay whose lease ran out: another one may own its
// shards, so nothing was changed.
var ErrFenced = errors.New("relay lease was lost: another relay may own the shards")
