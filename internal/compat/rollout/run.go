package rollout

import (
	"slices"
	"time"
)

// run walks a schedule step by step and tells what each step does.
type run struct {
	*graph
	running [][]int         // by service
	gone    map[int]leaving // revisions that run no longer and whose events may still be read
	clock   time.Duration
	done    []int       // the step of each move, from 1
	passed  []int       // how many stops each track is past
	waited  map[int]int // the step that waited for a revision to be drained
	inner   bool        // on a way back: no way back of the way back
}

// leaving is a revision that has stopped.
type leaving struct {
	stopped, drain time.Duration
}

func (w *world) newRun(tracks []track) *run {
	r := &run{graph: w.newGraph(tracks, w.good), gone: map[int]leaving{}, waited: map[int]int{}, passed: make([]int, len(tracks))}
	r.done = make([]int, len(r.moves))
	for _, t := range tracks {
		r.running = append(r.running, t.stops[0])
		for _, sent := range t.sent {
			r.gone[sent.id] = leaving{0, sent.after}
		}
	}
	return r
}

func (r *run) steps() []Step {
	s, _ := r.schedule()
	var steps []Step
	for _, m := range s.order {
		if wait, needed := r.wait(m, len(steps)+1, s.at[m]); needed {
			wait.Back = r.back()
			steps = append(steps, wait)
		}
		steps = append(steps, r.deploy(m, len(steps)+1))
	}
	return steps
}

// wait is the step before a move that lets events of others be drained.
func (r *run) wait(m, number int, until time.Duration) (Step, bool) {
	step := Step{Kind: Wait, Time: max(0, until-r.clock)}
	for _, e := range r.into(m) {
		if _, there := r.gone[e.drained]; e.drained < 0 || !there {
			continue
		}
		delete(r.gone, e.drained)
		r.waited[e.drained] = number
		step.Drained = append(step.Drained, r.parties[e.drained])
		because := Because{Meeting: r.meeting(e.reader, e.writer)}
		if e.from >= 0 {
			because.Step = r.done[e.from]
		}
		step.After = append(step.After, because)
	}
	r.clock = max(r.clock, until)
	if len(step.Drained) == 0 {
		return step, false
	}
	for _, id := range r.left() { // time has passed for these too
		if gone := r.gone[id]; r.isRead[id] && gone.stopped+gone.drain <= r.clock {
			delete(r.gone, id)
			r.waited[id] = number
			step.Drained = append(step.Drained, r.parties[id])
		}
	}
	return step, true
}

// deploy is one move.
func (r *run) deploy(m, number int) Step {
	i := r.moves[m].track
	t := r.tracks[i]
	from, to := t.stops[r.moves[m].stop-1], t.stops[r.moves[m].stop]
	step := Step{Kind: Deploy, Service: r.services[i].Name, From: r.revisions(from), To: r.revisions(to)}
	starting := without(to, from)
	for _, e := range r.into(m) {
		if e.drained >= 0 {
			step.After = append(step.After, Because{r.waited[e.drained], r.meeting(e.reader, e.writer)})
		} else {
			step.After = append(step.After, Because{r.done[e.from], r.meeting(e.reader, e.writer)})
		}
	}
	step.Reads = r.brought(i, starting)
	r.running[i] = to
	for _, id := range from {
		if !slices.Contains(to, id) {
			r.gone[id] = leaving{r.clock, t.keeps}
		}
	}
	for _, id := range to {
		delete(r.gone, id)
	}
	r.done[m], r.passed[i] = number, r.moves[m].stop
	step.Back = r.back()
	return step
}

// brought are the pairs that some revisions of a service bring about by starting
// now: they read what may still be read, and are read by all that runs.
func (r *run) brought(i int, starting []int) []Meeting {
	var all []Meeting
	seen := map[[2]int]bool{}
	add := func(reader, writer int) {
		if k := [2]int{reader, writer}; !seen[k] && r.answers[reader][writer] != Nothing {
			seen[k] = true
			all = append(all, r.meeting(reader, writer))
		}
	}
	beside := slices.Concat(r.running...)
	for _, id := range starting {
		for _, reader := range slices.Concat(beside, starting) {
			add(reader, id)
		}
		for _, writer := range slices.Concat(beside, starting, r.left()) {
			add(id, writer)
		}
	}
	return all
}

// left are the revisions that run no longer and may still be read, in order.
func (r *run) left() []int {
	var ids []int
	for id := range r.parties {
		if _, there := r.gone[id]; there {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r *run) revisions(ids []int) []string {
	var names []string
	for _, id := range ids {
		names = append(names, r.parties[id].Revision)
	}
	return names
}

func without(ids, others []int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return slices.Contains(others, id) })
}
