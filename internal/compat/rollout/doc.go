// Package rollout plans in which order services may be deployed, so that at no
// moment anybody reads what they cannot. It knows no contract: it asks who can
// read whom, and gets holds, refuted or unknown. Unknown is never safe.
//
// # States
//
// A service runs a set of revisions: one, or several during a canary. Events
// stay behind: what a revision has sent may be read until it is drained from
// topic, outbox and quarantine. A state is what runs and what may still be read.
// Its pairs are every revision that runs against every revision that may still
// be read. A state is safe if every one of its pairs holds.
//
// Three things change a state: a revision starts, a revision stops, and the
// events of a revision that has stopped are drained. Starting makes pairs;
// stopping a reader and draining a writer end them. Nothing else does either.
//
// # Why a graph is enough
//
// A move takes a service from what it runs to what it shall run: the new starts
// beside the old, then the old stops. Let a plan be any safe interleaving of
// starts, stops and drains. Put each stop of an old revision directly after the
// start of the new one, and each drain as early as it can be. Every pair then
// ends no later than it did and begins when it did, so the plan is still safe:
// whole moves, one after the other, are all that need be looked at. Starting and
// stopping more often only adds pairs and postpones drains, so one move for each
// service is enough.
//
// Where a service runs several revisions (a canary), all but one may stop at once,
// and that only ends pairs; where it shall run several, all but one may start last.
// Which one is kept and which is first is the only choice there is, and only
// services that depend on each other make choices together (settle.go).
//
// In such a plan each revision runs for one stretch, from the start of a move (or
// from the beginning) to the end of a move (or for ever), and each revision's
// events may be read from the same start until they are drained. A pair that does
// not hold must never be there, so one of two things is true:
//
//	the reader's last revision stops before the writer's first event   (consumers first)
//	the writer's last event is drained before the reader starts        (producers first, with a wait)
//
// Where the reader runs already, only the first is left; where the writer's
// events are there already, only the second; where both are new, neither. So each
// pair that does not hold says that one move must come before another, or that
// there is no order at all, and it never leaves a choice. An order exists exactly
// if no pair forbids all orders and the graph of these constraints has no circle.
// What blocks is therefore either one pair, or the pairs on one circle; the
// shortest circle is the smallest set of pairs that blocks together, since no
// set without a circle does.
//
// All but the choice among canaries is polynomial: states are never walked. The
// tests walk them, on thousands of small cases, and compare.
//
// # What is broken already
//
// A pair that is there at the beginning was not brought about by the rollout. It
// may stay until a move ends it, and is told (Standing); if nothing ends it, it
// blocks, since the end would not be safe.
//
// # The way back
//
// The way back from a state is a rollout too: from what runs now to what ran at
// the beginning, with the events of the new revisions in flight. Each constraint
// turns round: where the consumer had to go first, it can go back only after the
// producer has gone back and its new events are drained. From that step on there
// is no quick way back for it: its point of no return.
package rollout
