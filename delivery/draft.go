package delivery

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"time"
	"unicode/utf8"

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
	day := t.Unix() / int64(24*time.Hour/time.Second)
	return int(min(max(day, -Forever), Forever-1)) // what a store can hold, whatever arrives
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
	case !d.Time.IsZero() && (d.Time.UTC().Year() < 0 || d.Time.UTC().Year() > 9999):
		return fmt.Errorf("%s: the year %d of its time cannot be written: it has four digits", d.Event, d.Time.UTC().Year())
	}
	for _, text := range [...]string{d.Event, d.Topic, d.Source, d.Revision, d.PartitionKey, d.ContentType} {
		if !isText(text) {
			return fmt.Errorf("%.40q is no text that every database and broker keeps: it holds a zero byte, or is not UTF-8", text)
		}
	}
	for name, value := range d.Headers {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return fmt.Errorf("%s: header %.40q is not UTF-8", d.Event, name)
		}
	}
	if err := checkPlace(d.Lane, d.Version); err != nil {
		return fmt.Errorf("%s: %w", d.Event, err)
	}
	return nil
}

// LongestLane is the most bytes that an aggregate's type and id may have
// together: they stand in keys of tables.
const LongestLane = 1000

// checkPlace refuses an aggregate and a version that not every store can hold. A
// database that failed of one would fail again each time.
func checkPlace(lane event.Lane, version uint64) error {
	switch {
	case len(lane.Type)+len(lane.ID) > LongestLane:
		return fmt.Errorf("aggregate %.20q %.40q… is too long: its type and id have %d bytes, at most %d", lane.Type, lane.ID, len(lane.Type)+len(lane.ID), LongestLane)
	case !isText(lane.Type) || !isText(lane.ID):
		return fmt.Errorf("aggregate %.20q %.40q is no text that every database keeps: it holds a zero byte, or is not UTF-8", lane.Type, lane.ID)
	case version > math.MaxInt64:
		return fmt.Errorf("aggregate version %d does not fit a signed 64-bit integer", version)
	}
	return nil
}

// isText reports whether every database keeps a text as it is.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// asText is a text of somebody else as every database keeps it.
func asText(s string) string {
	if isText(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// SchemaOf is the CloudEvents dataschema of an event: it ends in the revision.
func SchemaOf(eventType, revision string) string {
	if revision == "" {
		return ""
	}
	return "evcontract:" + eventType + "/" + revision
}
