package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/evcontract/evcontract/internal/source"
)

// Event is the contract of one event type: what its manifest declares, and the
// schema that it names.
type Event struct {
	*Manifest

	Schema    Schema          // nil where it could not be read
	Samples   func() [][]byte // its valid examples as JSON, read when they are asked for; may be nil
	Content   string          // identifies what the event declares, its schema included, by the bytes of its files; empty: not known
	Deferred  func()          // reads the schema where that was put off: see Read; nil where it was not
	Synthetic bool            // made from a bare schema file: it declares no identity and no channel
	Vendored  bool            // a copy of another repository's contract, which is written there
}

// Manifest is what NAME.event.yaml declares. Two revisions have one and the same
// where it did not change, so nobody writes to one that was read.
type Manifest struct {
	Pos        source.Pos                 `yaml:",pos"`
	Name       source.At[Name]            `yaml:"event"`
	Summary    source.At[string]          `yaml:"summary"`
	Owner      source.At[string]          `yaml:"owner"`
	Producer   source.At[string]          `yaml:"producer"` // the service that emits it
	Status     source.At[Status]          `yaml:"status"`
	SchemaRef  source.At[string]          `yaml:"schema"`
	Identity   Identity                   `yaml:"identity"`
	Channel    Channel                    `yaml:"channel"`
	Audience   source.At[Audience]        `yaml:"audience"`
	PII        []source.At[Path]          `yaml:"pii"`
	Examples   Examples                   `yaml:"examples"`
	Deprecated *Deprecation               `yaml:"deprecated"`
	Renamed    map[string]source.At[Path] `yaml:"renamed"` // new path to old path
}

// Identity says which fields play which role.
type Identity struct {
	Pos            source.Pos           `yaml:",pos"`
	EventID        source.At[Locator]   `yaml:"event_id"`
	Aggregate      Aggregate            `yaml:"aggregate"`
	IdempotencyKey []source.At[Locator] `yaml:"idempotency_key"`
	PartitionKey   source.At[Locator]   `yaml:"partition_key"`
	OccurredAt     source.At[Locator]   `yaml:"occurred_at"`
}

// Aggregate is what the event is about: the unit that is kept in order.
type Aggregate struct {
	Pos     source.Pos         `yaml:",pos"`
	Type    source.At[string]  `yaml:"type"`
	ID      source.At[Locator] `yaml:"id"`
	Version source.At[Locator] `yaml:"version"`
}

// Channel is where the event travels and how it is encoded there.
type Channel struct {
	Pos      source.Pos          `yaml:",pos"`
	Topic    source.At[string]   `yaml:"topic"`
	Encoding source.At[Encoding] `yaml:"encoding"`
}

// Examples are globs, relative to the manifest, of events that the schema must
// accept and of events that it must refuse.
type Examples struct {
	Valid   []source.At[string] `yaml:"valid"`
	Invalid []source.At[string] `yaml:"invalid"`
}

// Deprecation says until when a deprecated event is still sent.
type Deprecation struct {
	Pos       source.Pos      `yaml:",pos"`
	Since     source.At[Day]  `yaml:"since"`
	Sunset    source.At[Day]  `yaml:"sunset"`
	Successor source.At[Name] `yaml:"successor"`
}

// Role is one named place of an identity.
type Role struct {
	Name    string // event_id, aggregate.id, …
	Locator source.At[Locator]
}

// Set reports whether the manifest fills the role.
func (r Role) Set() bool { return !r.Locator.Pos.IsZero() }

// Roles lists every role in the order of the manifest, the idempotency key once
// for each of its fields. A role that the manifest leaves out has no place.
func (id *Identity) Roles() []Role {
	roles := []Role{
		{"event_id", id.EventID},
		{"aggregate.id", id.Aggregate.ID},
		{"aggregate.version", id.Aggregate.Version},
	}
	for _, key := range id.IdempotencyKey {
		roles = append(roles, Role{"idempotency_key", key})
	}
	return append(roles, Role{"partition_key", id.PartitionKey}, Role{"occurred_at", id.OccurredAt})
}

// Read reads a schema that was put off. Schema stays nil where it cannot be read.
func (e *Event) Read() {
	if e.Schema == nil && e.Deferred != nil {
		e.Deferred()
	}
}

// Release lets go of a schema that can be read again.
func (e *Event) Release() {
	if e.Deferred != nil {
		e.Schema = nil
	}
}

// Encoding is the encoding really used on the channel; where the manifest is
// silent, what the schema's format suggests.
func (e *Event) Encoding() Encoding {
	if e.Channel.Encoding.Value != "" {
		return e.Channel.Encoding.Value
	}
	if e.Schema != nil && e.Schema.Format() == ProtobufFormat {
		return Protobuf
	}
	return JSON
}

// Revision is the first 16 hex digits of a SHA-256 over what a reader depends
// on: name, identity, channel and schema closure. Comments, owners, docs and
// git take no part.
func (e *Event) Revision() string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, p := range parts {
			io.WriteString(h, p)
			h.Write([]byte{0})
		}
	}
	add("evcontract revision 1", e.Name.Value.String(), e.Identity.Aggregate.Type.Value)
	for _, r := range e.Identity.Roles() {
		add(r.Name, r.Locator.Value.String())
	}
	add(e.Channel.Topic.Value, string(e.Encoding()))
	if e.Schema != nil {
		add(e.Schema.Digest())
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
