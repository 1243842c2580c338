package delivery

import (
	"context"
	"strings"
	"time"
)

// InFlight is one revision of an event type that a database still holds: events
// of it may be read again.
type InFlight struct {
	Event    string // OrderPaid.v1
	Revision string
	Newest   time.Time // when the newest of them was written, sent, parked or failed last
}

// RevisionStore tells which revisions are in flight. The stores of this module
// implement it beside OperatorStore.
type RevisionStore interface {
	// InFlight lists what was published and is remembered, what lies in topics
	// that the database keeps, and what is parked or in an open quarantine, each
	// event and revision once. Events of another producer that do not name their
	// revision are left out.
	InFlight(ctx context.Context) ([]InFlight, error)
}

// RevisionOf takes a dataschema apart that SchemaOf made.
func RevisionOf(schema string) (eventType, revision string, ok bool) {
	rest, ours := strings.CutPrefix(schema, "evcontract:")
	slash := strings.LastIndexByte(rest, '/')
	if !ours || slash <= 0 || slash == len(rest)-1 {
		return "", "", false
	}
	return rest[:slash], rest[slash+1:], true
}

// AddInFlight enters one revision into a list, or makes a known one newer: for
// stores that find it in several tables.
func AddInFlight(list []InFlight, next InFlight) []InFlight {
	for i := range list {
		if list[i].Event == next.Event && list[i].Revision == next.Revision {
			if next.Newest.After(list[i].Newest) {
				list[i].Newest = next.Newest
			}
			return list
		}
	}
	return append(list, next)
}
