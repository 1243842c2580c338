package delivery

import (
	"io"
	"log/slog"
	"time"
)

// Outcome is what became of an event. Stores write the same words.
type Outcome string

const (
	Done        Outcome = "done"        // handled, its effect is committed
	Stale       Outcome = "stale"       // skipped: the lane's state is newer
	Parked      Outcome = "parked"      // waits in the database for its lane
	Quarantined Outcome = "quarantined" // waits for a person
	Discarded   Outcome = "discarded"   // a person decided that it is not handled
	Duplicate   Outcome = "duplicate"   // seen before
	Ignored     Outcome = "ignored"     // a type that the consumer doesn't read
	Failed      Outcome = "failed"      // an attempt that ended in an error
	Published   Outcome = "published"   // stored by the broker and marked
	Held        Outcome = "held"        // the broker refused it; its lane waits
	Called      Outcome = "called"      // a third party was called
	Reconciled  Outcome = "reconciled"  // a third party was asked
)

// Loop names the loop that observes.
type Loop string

const (
	LoopRelay   Loop = "relay"
	LoopInbox   Loop = "inbox"
	LoopLanes   Loop = "lanes"
	LoopEffects Loop = "effects"
)

// Observation is one thing that a loop did, for metrics. It carries no payload.
// Observe fields are called by several goroutines at the same time, and after
// the commit of what they are told.
type Observation struct {
	Loop     Loop
	Consumer string        // or the relay's owner
	Event    string        // the event type; empty when Count covers several
	Revision string        // of the writer, where it is known
	Outcome  Outcome       // what became of it; empty for a round that only failed
	Count    int           // of events
	Took     time.Duration // handling one event, or publishing one batch
	Age      time.Duration // of the event when it was handled or published, where known
	Reason   Reason        // why it was quarantined
	Err      error         // what failed
}

// Step is a place in a loop where a drill may stop or kill the process.
type Step string

const (
	RelayLeased    Step = "relay: leased"
	RelayRead      Step = "relay: read, not published"
	RelayPublished Step = "relay: published, not marked"
	RelayMarked    Step = "relay: marked"
	InboxReceived  Step = "inbox: received"
	InboxEnlisted  Step = "inbox: noted in flight"
	InboxEntered   Step = "inbox: entered"
	InboxHandled   Step = "inbox: handled, not recorded"
	InboxRecorded  Step = "inbox: recorded, not committed"
	InboxCommitted Step = "inbox: committed, not acknowledged"
	LaneTaken      Step = "lane: taken"
	LaneRecorded   Step = "lane: recorded, not committed"
	LaneCommitted  Step = "lane: committed"
	EffectSending  Step = "effect: marked sent, not called"
	EffectCalled   Step = "effect: called, not recorded"
	EffectSettled  Step = "effect: recorded"
)

// Steps are all of them, in the order of an event's life.
var Steps = []Step{
	RelayLeased, RelayRead, RelayPublished, RelayMarked,
	InboxReceived, InboxEnlisted, InboxEntered, InboxHandled, InboxRecorded, InboxCommitted,
	LaneTaken, LaneRecorded, LaneCommitted,
	EffectSending, EffectCalled, EffectSettled,
}

// quiet is the logger of a loop that was given none.
func quiet(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return l
}
