package event

import (
	"context"
	"time"
)

// Tx is the caller's business transaction as the outbox sees it. A store
// package makes one from the real transaction and gives the real one back:
// postgres.In and postgres.From, sqlite.In and sqlite.From. It is used by one
// goroutine at a time, as the transaction beneath it is.
type Tx interface {
	// Append writes events to the outbox: they are sent if, and only if, the
	// transaction commits. A key that was published before writes nothing and
	// says so in its receipt; the same key with another body is ErrKeyReused.
	// There is one receipt a draft, in order.
	Append(ctx context.Context, drafts ...Draft) ([]Receipt, error)

	// Intend records third-party calls: they are made after the transaction
	// commits, by an executor that knows their state. A call whose key was
	// recorded before writes nothing.
	Intend(ctx context.Context, effects ...Effect) error
}

// Draft is an event that is about to enter the outbox.
type Draft struct {
	Event        string            // the event type with its major version: OrderPaid.v1
	Revision     string            // of the contract that the producer was generated from
	Source       string            // the producing service: CloudEvents source
	Topic        string            // where it is sent
	ID           ID                // NewID(Event, Key)
	Key          Key               // the idempotency key
	Lane         Lane              // the aggregate it is about
	Version      uint64            // of the aggregate, from 1
	PartitionKey string            // what the broker keeps in order
	Time         time.Time         // when the fact occurred; the zero time means now
	ContentType  string            // application/json or application/protobuf
	Headers      map[string]string // transport headers that are not CloudEvents attributes
	Body         [32]byte          // SHA-256 of what one key must always say: the payload without event id, aggregate version and occurred-at
	Payload      []byte
}

// Lane is one aggregate: the unit that is kept in order, and that waits when
// one of its events cannot be handled. It is UTF-8 without zero bytes, at most
// 1000 bytes of it: others are not published, and quarantined where they arrive.
type Lane struct {
	Type string // order
	ID   string // o-1
}

// Receipt says what became of a draft.
type Receipt struct {
	ID        ID
	Duplicate bool // the key was published before; nothing was written
}

// EffectKey is the stable key that travels with a third-party call.
type EffectKey [16]byte

// String is the UUID in its usual form.
func (k EffectKey) String() string { return format(k) }

// MarshalText writes the usual form.
func (k EffectKey) MarshalText() ([]byte, error) { return []byte(format(k)), nil }

// UnmarshalText reads a UUID of any version.
func (k *EffectKey) UnmarshalText(text []byte) error { return parse((*[16]byte)(k), text) }

// Effect is a third-party call that a handler wants to be made. The request is
// stored and sent byte for byte on every attempt.
type Effect struct {
	Key      EffectKey
	Name     string // as the consumer declares it: points-api
	Consumer string
	Event    Key // the fact that caused it
	Request  []byte
}
