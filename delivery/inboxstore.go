package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/evcontract/evcontract/event"
)

// InboxStore is what an Inbox needs of a database. Instants never pass through
// it: the store owns the time, and the inbox says how long. Methods are safe for
// concurrent use; a Work is used by one goroutine.
type InboxStore interface {
	// Join registers a member of a consumer. For a run, and not for a worker
	// inside it, it also adopts the events that other members left in flight:
	// each becomes a suspect with one attempt. A worker joins again from time to
	// time, which is the sign of life of its run.
	Join(ctx context.Context, m Member) error

	// Leave ends a run and its workers: Status counts it no longer, and what it
	// still had noted as in flight is nobody's suspect, because no handler of it
	// runs any more. What it did stays counted.
	Leave(ctx context.Context, m Member) error

	// Enlist notes on disk that the member is about to handle these keys, in
	// place of those that it noted before. With attempt set it also adds one to
	// the attempts of each key. It writes nothing while the consumer is paused.
	Enlist(ctx context.Context, m Member, keys []event.Key, attempt bool) (Enlisted, error)

	// Work runs f in one transaction, which commits when f returns nil.
	Work(ctx context.Context, m Member, f func(context.Context, Work) error) error

	// Due hands out blocked lanes whose time has come, with the first events
	// that wait in each. Nobody else is given them for the time of hold. While the
	// consumer is paused it hands out dry runs alone: they leave nothing behind,
	// and a person who has paused it wants to see what would happen.
	Due(ctx context.Context, m Member, limit int, hold time.Duration) ([]Blocked, error)

	// Forget drops what a consumer may forget: dedupe rows of buckets that are
	// older than remember, counted back from the newest bucket it has seen and
	// never from later than today, third-party calls so long after they were
	// settled, and closed cases and what dry runs answered after keep. It returns
	// how many rows it removed, and is called again while it removes many.
	Forget(ctx context.Context, consumer string, remember, keep time.Duration) (int, error)
}

// Work is one transaction of an inbox.
type Work interface {
	// Tx is what handlers are given.
	Tx() event.Tx

	// Enter writes the dedupe rows of entries that are new, in the order of
	// their keys so that overlapping batches never deadlock, and reads what the
	// consumer knows of each. There is one answer an entry, in order. It is
	// called once.
	Enter(ctx context.Context, entries []Entry) ([]Entered, error)

	// Try runs f so that what f did is undone alone when it fails. Failed is
	// what f returned; err means that the transaction itself is of no more use.
	Try(ctx context.Context, f func(context.Context) error) (failed, err error)

	// Record writes what became of the events and takes the member's keys out of
	// flight. It returns ErrRaced when a mark or a parked event was changed by
	// another member meanwhile.
	Record(ctx context.Context, c Changes) error
}

// ErrRaced is returned when another member of the group handled the same lane
// at the same time. The work is rolled back and tried again.
var ErrRaced = errors.New("another member of the consumer changed the same lane")

// Member is one running inbox, or one worker inside it.
type Member struct {
	Consumer   string
	Instance   string // unique for one run; a worker inside it is named RUN/WORKER
	Owner      string // of the consumer
	Revision   string // of the contracts that the consumer was generated from
	Build      string // of the running binary
	Host       string
	ByVersion  bool // lanes are drained by version, not by arrival
	ParkAtMost int  // events that the consumer may have parked; 0 means any number
}

// Enlisted is what the store answers to Enlist.
type Enlisted struct {
	Paused   bool
	Full     bool                  // without attempt: as many events are parked as the member allows
	Attempts map[event.Key]Attempt // with attempt, of every key; else of those that have any and have no dedupe row: these are suspects
}

// Attempt counts how often an event was tried. Open means that the last one
// never came to an end: the process was gone before it could say what happened.
type Attempt struct {
	Key   event.Key
	Count int
	Open  bool
	First time.Time
	Last  time.Time
	Error string // of the last attempt that ended
	Build string // of the last attempt
}

// Entry asks about one event.
type Entry struct {
	Key    event.Key
	Lane   event.Lane // the zero lane where the event could not be identified
	Bucket int        // BucketOf the event
	Marked bool       // whether the lane's version mark is needed
	Topic  string     // whose mark: where every step is needed each topic has one; empty: the one of the whole lane
	Was    Outcome    // what its dedupe row says, which exists: Parked, or Quarantined in a dry run
}

// Entered is what the consumer knows of one event.
type Entered struct {
	Seen    Outcome // empty when it is new
	TooOld  bool    // its bucket was forgotten: nobody can tell whether it is new
	Blocked Why     // empty when the lane flows
	Waits   uint64  // the lowest version of the lane that is parked, or whose case holds it; 0 when there is none
	Mark    Mark
}

// Why says for what a lane waits.
type Why string

const (
	WhyRetry      Why = "retry"      // for the next attempt at its head
	WhyGap        Why = "gap"        // for an event that is missing
	WhyQuarantine Why = "quarantine" // for a person: its head is in quarantine and the consumer needs every step
	WhyReplay     Why = "replay"     // for quarantined events that are handled again
	WhyRehearsal  Why = "rehearsal"  // for nothing: Due hands out cases of a dry run under this name
)

// Mark is the newest version of a lane that a consumer has handled.
type Mark struct {
	Lane    event.Lane
	Topic   string // as in Entry
	Version uint64
	Was     uint64 // what the mark of this topic was when it was read, 0 where there was none: it is only changed from that
	Event   string // the event's name without its major version
	Key     event.Key

	// Borrowed means that there is no mark of this topic yet, and that the one
	// was read which the consumer kept under another order: of the whole lane
	// where a topic is asked about, else the newest of any topic.
	Borrowed bool
}

// Changes are what Record writes beside what handlers did. Outcomes that are
// not mentioned stay Done.
type Changes struct {
	Outcomes   []Changed
	Marks      []Mark
	Block      []Block
	Park       []Waiting
	Attempts   []Attempt    // counts and errors to note
	Quarantine []Case       // their keys are no longer parked
	Unpark     []event.Key  // were handled
	Clear      []event.Key  // whose attempts are settled
	Unblock    []event.Lane // a lane that a case holds waits for a person; one in which nothing waits flows; others are due at once
	Rehearsed  []Rehearsed
	Counts     Counts
	Newest     int // the newest bucket in the batch
}

// Changed is an outcome other than Done.
type Changed struct {
	Key     event.Key
	Outcome Outcome
}

// Block makes a lane wait. A lane that waits already is changed. Without a
// reason it only says when a lane is due again that the member took and gives
// back.
type Block struct {
	Lane event.Lane
	Why  Why
	For  time.Duration // negative: until a person decides
}

// Waiting is an event that waits in its lane.
type Waiting struct {
	Key     event.Key
	Lane    event.Lane
	Version uint64
	Message event.Message
	Case    int64         // from Due: the quarantined event that is handled again
	Attempt Attempt       // from Due: the attempts at it so far
	Age     time.Duration // from Due: since it was parked
}

// Blocked is a lane whose time has come.
type Blocked struct {
	Lane    event.Lane
	Why     Why
	Waiting []Waiting // the first ones, no more than MostBytes allows: replayed cases, then in order of arrival
	Replay  int64     // the dry run that the lane is handed out for
}

// Counts are what a member did, added up in the database as evidence.
type Counts struct {
	Handled, Duplicates, Stale, Parked, Failed, Quarantined int
	Slow                                                    [len(SlowBounds) + 1]int // handling times, by SlowBounds
}

// SlowBounds are the upper bounds of the buckets that handling times are
// counted in; the last bucket has none.
var SlowBounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}
