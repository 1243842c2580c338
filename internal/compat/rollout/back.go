package rollout

import (
	"slices"
)

// back is the way back from where the run has come to what ran at the beginning.
func (r *run) back() Back {
	if r.inner {
		return Back{}
	}
	back := Back{Alone: r.alone()}
	tasks := make([]task, len(r.tracks))
	for i, t := range r.tracks {
		tasks[i] = task{now: r.running[i], to: t.stops[0], keeps: t.keeps}
		for stop := 1; stop < r.passed[i]; stop++ {
			tasks[i].via = append(tasks[i].via, t.stops[stop]...)
		}
		for _, id := range r.left() {
			if gone := r.gone[id]; r.owner[id] == i {
				tasks[i].sent = append(tasks[i].sent, left{id, max(0, gone.stopped+gone.drain-r.clock)})
			}
		}
	}
	found, ok := r.find(tasks)
	if !ok {
		return back
	}
	walk := r.newRun(found.tracks)
	walk.inner = true
	back.Possible, back.Steps, back.Wait = true, walk.steps(), walk.clock
	back.Waits = slices.ContainsFunc(back.Steps, func(s Step) bool { return s.Kind == Wait })
	return back
}

// alone says for each service that has moved whether it may go back at once while
// all others stay.
func (r *run) alone() []Alone {
	var all []Alone
	for i, t := range r.tracks {
		if r.passed[i] == 0 {
			continue
		}
		old := without(t.stops[0], r.running[i])
		a := Alone{Service: r.services[i].Name, To: r.revisions(t.stops[0])}
		for _, m := range r.brought(i, old) {
			if !m.Answer.Good() {
				a.Forbid = append(a.Forbid, m)
			}
		}
		all = append(all, a)
	}
	return all
}
