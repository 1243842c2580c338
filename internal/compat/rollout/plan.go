package rollout

import (
	"cmp"
	"slices"
	"time"
)

// Verdict says whether there is a safe order.
type Verdict string

const (
	Safe      Verdict = "safe"
	Blocked   Verdict = "blocked"
	Undecided Verdict = "undecided" // it would be safe if every unknown pair held
)

// Plan is the answer to a Problem.
type Plan struct {
	Verdict  Verdict
	Steps    []Step     // in order; empty where nothing moves or there is no order
	Through  []Party    // revisions on the way: there is no direct way, but one through them
	Standing []Standing // pairs that do not hold before anything moves
	Blocks   []Block    // what forbids the direct way, the smallest first
	NoReturn []NoReturn // for each service that has one
	Meetings []Meeting  // every pair of which the reader reads something, by reader, then writer
	GaveUp   bool       // more canaries at once than could be tried: what blocks need not block every way
}

// Kind is what a step does.
type Kind string

const (
	Deploy Kind = "deploy"
	Wait   Kind = "wait"
)

// Step is one thing to do. A deployment starts the new revisions beside the old,
// and ends when the old have stopped.
type Step struct {
	Kind    Kind
	Service string        // of a deployment
	From    []string      // what stops; empty for a new service
	To      []string      // what runs afterwards; empty where a new service is taken away again
	Drained []Party       // of a wait: whose events must be gone
	Time    time.Duration // of a wait: how long at most
	Reads   []Meeting     // of a deployment: the pairs that it brings about
	After   []Because     // the steps that must come before, and why
	Back    Back          // the way back from here
}

// Because is an earlier step (from 1) and the pair that must be gone first. Step 0
// is the beginning: time must pass.
type Because struct {
	Step int
	Meeting
}

// Standing is a pair that does not hold before anything moves, and the step (from
// 1) that ends it; 0 where it ends when the writer's last events are drained.
type Standing struct {
	Step int
	Meeting
}

// Back is the way back from where a step leads to what ran at the beginning.
type Back struct {
	Possible bool
	Wait     time.Duration // how long it takes at least: what must be drained on the way
	Waits    bool          // whether it waits at all
	Steps    []Step
	Alone    []Alone // each service that has moved: whether it may go back by itself, at once
}

// Alone says whether one service may go back while all others stay: if no pair
// forbids it.
type Alone struct {
	Service string
	To      []string
	Forbid  []Meeting
}

// NoReturn is the step (from 1) from which on a service cannot go back to what it
// ran, unless others have gone back and what they sent is drained.
type NoReturn struct {
	Service  string
	Revision []string
	Step     int
	Because  []Meeting
}

// Solve finds an order in which every step is safe, and the ways back; or what
// forbids any order. It is polynomial in the
// number of services and revisions, but for canaries that depend on each other.
func Solve(p Problem) (*Plan, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	w := newWorld(&p)
	tasks := w.tasks()
	plan := &Plan{Verdict: Safe, Meetings: w.meetings()}
	found, ok := w.find(tasks)
	plan.Blocks, plan.Through, plan.GaveUp = found.blocks, found.through, found.gaveUp
	slices.SortStableFunc(plan.Blocks, func(a, b Block) int { return cmp.Compare(len(a.Links), len(b.Links)) })
	w.unblock(tasks, plan.Blocks)
	if !ok {
		plan.Verdict = w.verdict(tasks, found)
		plan.Standing = w.newGraph(found.tracks, w.good).stand(nil)
		return plan, nil
	}
	r := w.newRun(found.tracks)
	plan.Steps = r.steps()
	plan.Standing = r.stand(r.done)
	for i := range plan.Standing {
		s := &plan.Standing[i]
		if drained := r.waited[w.ids[s.Writer]]; drained > 0 && (s.Step == 0 || drained < s.Step) {
			s.Step = drained
		}
	}
	plan.NoReturn = noReturn(plan.Steps)
	return plan, nil
}

func (w *world) good(reader, writer int) bool { return w.answers[reader][writer].Good() }

// verdict of a problem without an order: it is undecided if it had one with every
// unknown pair holding.
func (w *world) verdict(tasks []task, found settled) Verdict {
	hopeful := w.settle(tasks, func(r, s int) bool { return w.answers[r][s] != Refuted })
	if len(hopeful.blocks) == 0 || found.gaveUp || hopeful.gaveUp {
		return Undecided
	}
	return Blocked
}

// stand tells the pairs that do not hold at the beginning. done is the step of
// each move.
func (g *graph) stand(done []int) []Standing {
	var all []Standing
	for _, e := range g.standing {
		s := Standing{Meeting: g.meeting(e.reader, e.writer)}
		if e.from >= 0 && done != nil {
			s.Step = done[e.from]
		}
		all = append(all, s)
	}
	for _, e := range g.blocks {
		if e.lasting {
			all = append(all, Standing{Meeting: g.meeting(e.reader, e.writer)})
		}
	}
	return all
}

// noReturn finds for each service the first step that takes its quick way back.
func noReturn(steps []Step) []NoReturn {
	var all []NoReturn
	seen := map[string]bool{}
	for i, s := range steps {
		for _, a := range s.Back.Alone {
			if len(a.Forbid) > 0 && !seen[a.Service] {
				seen[a.Service] = true
				all = append(all, NoReturn{a.Service, a.To, i + 1, a.Forbid})
			}
		}
	}
	return all
}
