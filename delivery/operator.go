package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/evcontract/evcontract/event"
)

// OperatorStore is what a person at a terminal needs of a database.
type OperatorStore interface {
	// Status reads the figures of every consumer and of the outbox.
	Status(ctx context.Context) (Status, error)

	// Pause stops (or starts) the handling of a consumer without losing a place.
	// It says whether that changed anything; what doesn't is not noted.
	Pause(ctx context.Context, consumer string, paused bool, by string) (changed bool, err error)

	// Cases lists quarantined events, oldest first.
	Cases(ctx context.Context, f CaseFilter) ([]Case, error)

	// Discard closes open cases, the lower versions of a lane first: they count as
	// handled, and a lane that waited for one goes on behind it, unless another
	// case holds it. It refuses to pass over an earlier event that waits in the
	// lane. Reason and by are kept and must not be empty.
	Discard(ctx context.Context, ids []int64, by, reason string) error

	// Replay asks for quarantined events to be handled again, or reads what
	// became of an earlier request: a Replay with an ID is only read.
	Replay(ctx context.Context, r Replay) (Replay, error)
}

// Store is everything; each loop asks for its part only.
type Store interface {
	OutboxStore
	InboxStore
	CallStore
	OperatorStore
}

// Reason says why an event was quarantined.
type Reason string

const (
	ReasonUnidentified Reason = "unidentified"     // no key could be read out of it
	ReasonPermanent    Reason = "permanent"        // the handler said that no retry can mend it
	ReasonExhausted    Reason = "exhausted"        // all attempts failed
	ReasonCrash        Reason = "crash"            // the process ended each time it was handled
	ReasonGap          Reason = "gap"              // an earlier event of its lane never came
	ReasonConflict     Reason = "version_conflict" // another event had the same version
	ReasonTooOld       Reason = "too_old"          // older than the keys that are remembered
	ReasonLate         Reason = "late"             // its lane, in which every step is needed, had gone on without it
)

// CaseState is where a quarantined event stands.
type CaseState string

const (
	CaseOpen      CaseState = "open"
	CaseReplaying CaseState = "replaying"
	CaseResolved  CaseState = "resolved"
	CaseDiscarded CaseState = "discarded"
)

// Case is a quarantined event with everything that a person needs to judge it.
type Case struct {
	ID       int64
	Consumer string
	Key      event.Key // of the event, or PositionKey when it has none
	Lane     event.Lane
	Version  uint64
	Message  event.Message
	Reason   Reason
	Errors   []string // the chain, outermost first
	Attempts int
	First    time.Time // failed attempt
	Last     time.Time
	Build    string
	Host     string
	Owner    string
	Within   time.Duration // to resolve it, when it is written
	Holds    bool          // its lane waits until it is replayed or discarded
	Topic    string        // as in Entry: whose mark passes it when it is discarded
	Due      time.Time     // when it is read

	State      CaseState
	ResolvedBy string
	Resolution string
	ResolvedAt time.Time

	PayloadBytes  int // when it is read: of the payload, also where that was left out
	PayloadSHA256 [32]byte
}

// CaseFilter selects cases. Zero fields select all.
type CaseFilter struct {
	Consumer string
	State    CaseState
	Reason   Reason
	Lane     event.Lane
	IDs      []int64
	Limit    int  // 1000
	Bare     bool // leave the payloads out: they may be large
}

// ErrEarlier is returned for a case that cannot be discarded yet: its lane would
// go on and leave an earlier event behind.
var ErrEarlier = errors.New("an earlier event of its lane still waits, and its consumer needs every step: settle that one first")

// ErrNoConsumer is returned for a consumer that never joined.
var ErrNoConsumer = errors.New("no inbox of this consumer has ever joined this database")
