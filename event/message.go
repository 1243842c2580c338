package event

import "time"

// Message is an event as it travels: the CloudEvents 1.0 context attributes in
// a form that depends on no broker, and the payload bytes as data. A broker
// package maps it to its own headers and back. Everything in a message comes
// from outside and may be missing or wrong.
type Message struct {
	ID          string    // CloudEvents id
	Source      string    // CloudEvents source
	Type        string    // CloudEvents type: OrderPaid.v1
	Subject     string    // CloudEvents subject: the aggregate's id
	Time        time.Time // CloudEvents time: when the fact occurred
	ContentType string    // CloudEvents datacontenttype
	Schema      string    // CloudEvents dataschema: ends in the contract's revision

	AggregateType  string // extension aggregatetype
	Version        uint64 // extension aggregateversion; 0 means unknown
	Previous       uint64 // extension prevversion: the lane's version before this one on the same topic, 0 for its first event
	Chained        bool   // whether prevversion was sent
	IdempotencyKey string // extension idempotencykey
	PartitionKey   string // extension partitionkey, and the broker's own record key

	Headers  map[string]string // what else travelled
	Topic    string
	Position Position
	Payload  []byte
}

// Position is where a broker keeps a message. It identifies a message that
// cannot be identified in any other way.
type Position struct {
	Partition int32
	Offset    int64
}

// Identity is what a consumer knows a message by. The key is computed from the
// payload by generated code, never taken from the id that arrived.
type Identity struct {
	Key      Key
	Lane     Lane
	Version  uint64 // of the aggregate; 0 where the event has none
	Revision string // of the writer's contract, where the message says it
	Time     time.Time
	Attempt  int // from 1; set by the inbox
}
