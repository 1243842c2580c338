package delivery

import (
	"cmp"
	"errors"
	"slices"
)

// Replay is a request to handle quarantined events again. A request without
// Apply is a dry run: a running inbox of the consumer handles the events in
// transactions that it rolls back, and notes what happened. A request with Apply
// names the dry run whose plan it carries out.
type Replay struct {
	ID       int64
	Consumer string
	Cases    []int64 // in the order in which they are handled
	By       string
	Reason   string
	Apply    int64  // the dry run to carry out; 0 asks for a dry run
	Plan     string // digest of the cases and their payloads: an applied plan must have the same
	State    ReplayState
	Results  []Rehearsed
}

// ReplayState is how far a replay has come.
type ReplayState string

const (
	ReplayRequested ReplayState = "requested" // no inbox has taken it yet
	ReplayRehearsed ReplayState = "rehearsed" // the dry run is over
	ReplayApplying  ReplayState = "applying"
	ReplayDone      ReplayState = "done"
)

// Rehearsed is what a replay did, or a dry run would do, with one case.
type Rehearsed struct {
	Replay  int64
	Case    int64
	Outcome Outcome // Done, Stale, Parked behind another, Quarantined again
	Error   string
}

// ErrPlanChanged is returned for a replay whose cases are no longer what its dry
// run saw.
var ErrPlanChanged = errors.New("the cases have changed since the dry run: run it again")

// SortCases puts cases in the order in which they are replayed: lane by lane,
// in each by version and then by number.
func SortCases(cases []Case) {
	slices.SortFunc(cases, func(a, b Case) int {
		return cmp.Or(
			cmp.Compare(a.Lane.Type, b.Lane.Type), cmp.Compare(a.Lane.ID, b.Lane.ID),
			cmp.Compare(a.Version, b.Version), cmp.Compare(a.ID, b.ID))
	})
}

// ReplayedCase says what an applied replay has done so far with a case, by the
// state and the errors of it.
func ReplayedCase(replay int64, c Case) Rehearsed {
	r := Rehearsed{Replay: replay, Case: c.ID, Outcome: Quarantined}
	switch c.State {
	case CaseReplaying:
		r.Outcome = Parked
	case CaseResolved:
		r.Outcome = Done
	case CaseDiscarded:
		r.Outcome = Discarded
	case CaseOpen:
		if len(c.Errors) > 0 {
			r.Error = c.Errors[0]
		}
	}
	return r
}

// ReplayResults are results in the order of the cases; a case may have none yet.
func ReplayResults(cases []int64, found map[int64]Rehearsed) []Rehearsed {
	results := make([]Rehearsed, 0, len(found))
	for _, id := range cases {
		if r, have := found[id]; have {
			results = append(results, r)
		}
	}
	return results
}
