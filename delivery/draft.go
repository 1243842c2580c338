package delivery

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/evcontract/evcontract/event"
)

// Shards is how many parts the outbox is divided into. A relay owns whole
// shards; a lane is always in one.
const Shards = 64

// ShardOf is the shard of a lane. Every store uses this one, so that it doesn't
// depend on the database.
func ShardOf(lane event.Lane) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(lane.Type))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(lane.ID))
	return int(h.Sum32() % Shards)
}

// NameOf is an event type without its major version: OrderPaid of OrderPaid.v1.
func NameOf(eventType string) string {
	i := strings.LastIndex(eventType, ".v")
	if i <= 0 {
		return eventType
	}
	return eventType[:i]
}

// Forever is the bucket of an event that says no time: its key is never
// forgotten, because nothing in the event tells when that would be safe.
const Forever = 1 << 30

// BucketOf is the UTC day, counted from 1970, that an event's key is remembered
// under. It depends on the event alone, so that a redelivery meets the same one.
func BucketOf(id event.Identity, m event.Message) int {
	t := id.Time
	if t.IsZero() {
		t = m.Time
	}
	if t.IsZero() {
		return Forever
	}
	return int(t.Unix() / int64(24*time.Hour/time.Second))
}

// CheckDraft refuses what no store may write. Stores call it before any
// statement.
func CheckDraft(d event.Draft) error {
	switch {
	case d.Key.IsZero():
		return fmt.Errorf("%s: %w", d.Event, event.ErrZeroKey)
	case d.Event == "" || d.Topic == "":
		return errors.New("draft without an event type or a topic: make it with the generated producer")
	case d.ID.IsZero():
		return fmt.Errorf("%s: draft without an id: set it to event.NewID(Event, Key)", d.Event)
	case d.Lane.ID == "" || d.Lane.Type == "":
		return fmt.Errorf("%s: draft without an aggregate: its lane needs a type and an id", d.Event)
	case d.Version > 1<<63-1:
		return fmt.Errorf("%s: aggregate version %d does not fit a signed 64-bit integer", d.Event, d.Version)
	}
	return nil
}

// SchemaOf is the CloudEvents dataschema of an event: it ends in the revision.
func SchemaOf(eventType, revision string) string {
	if revision == "" {
		return ""
	}
	return "evcontract:" + eventType + "/" + revision
}
