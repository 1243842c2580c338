package rollout

import (
	"slices"
	"time"
)

// task is what one service has to do: from what it runs to what it shall run.
type task struct {
	now, to []int
	via     []int // what may be run on the way
	sent    []left
	keeps   time.Duration
}

// mostGraphs bounds how many ways of ending canaries are tried for services that
// depend on each other.
const mostGraphs = 256

// settled is how the tasks can be done, or what forbids it.
type settled struct {
	tracks  []track
	blocks  []Block // what forbids the direct way
	through []Party // there is another way, through these
	gaveUp  bool    // there were too many canaries at once to try all ways of ending them
}

// settle finds tracks for which there is an order. What does not depend on each
// other is settled apart.
func (w *world) settle(tasks []task, good goodness) settled {
	var s settled
	s.tracks = make([]track, len(tasks))
	for _, members := range w.components(tasks, good) {
		tracks, blocks, gaveUp := w.settleTogether(tasks, members, good)
		for _, i := range members {
			s.tracks[i] = tracks[i]
		}
		s.blocks = append(s.blocks, blocks...)
		s.gaveUp = s.gaveUp || gaveUp
	}
	return s
}

// find settles the tasks, if need be through one revision of one service more.
// The graph then may leave a choice of what goes first, of which one is tried:
// what is found is safe, and what is not found may be there.
func (w *world) find(tasks []task) (settled, bool) {
	s := w.settle(tasks, w.good)
	if len(s.blocks) == 0 {
		return s, true
	}
	for i, t := range tasks {
		for _, id := range t.via {
			if slices.Contains(t.now, id) || slices.Contains(t.to, id) || sameSet(t.now, t.to) {
				continue
			}
			tracks := slices.Clone(s.tracks)
			tracks[i] = t.track(t.now, []int{id}, t.to)
			if w.ordered(tracks, w.good) {
				s.tracks, s.through = tracks, []Party{w.parties[id]}
				return s, true
			}
		}
	}
	return s, false
}

// goodness says which pairs may meet.
type goodness func(reader, writer int) bool

// components are the services that pairs which do not hold tie together.
func (w *world) components(tasks []task, good goodness) [][]int {
	parent := make([]int, len(tasks))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for r := range w.parties {
		for s := range w.parties {
			if !good(r, s) {
				parent[root(w.owner[r])] = root(w.owner[s])
			}
		}
	}
	var all [][]int
	at := map[int]int{}
	for i := range tasks {
		j, known := at[root(i)]
		if !known {
			j = len(all)
			at[root(i)] = j
			all = append(all, nil)
		}
		all[j] = append(all[j], i)
	}
	return all
}

// settleTogether tries the plain way, one move for each service, and then every
// way of ending canaries first.
func (w *world) settleTogether(tasks []task, members []int, good goodness) ([]track, []Block, bool) {
	plain := make([]track, len(tasks))
	ways := make([][]track, len(tasks))
	for i, t := range tasks {
		ways[i] = []track{{}}
		plain[i] = track{stops: [][]int{nil}}
		if slices.Contains(members, i) {
			plain[i], ways[i] = t.track(t.now, t.to), t.ways()
		}
	}
	if w.ordered(plain, good) {
		return plain, nil, false
	}
	tracks, found, tried := plain, false, 0
	var failed []*graph
	each(ways, func(choice []track) bool {
		tried++
		for i := range choice {
			if !slices.Contains(members, i) {
				choice[i] = plain[i]
			}
		}
		g := w.newGraph(slices.Clone(choice), good)
		if found = g.ordered(); found {
			tracks = g.tracks
			return false
		}
		failed = append(failed, g)
		return tried < mostGraphs
	})
	switch {
	case found:
		return tracks, nil, false
	case len(failed) == 1:
		return plain, failed[0].explain(), false
	case tried == mostGraphs:
		return plain, failed[0].explain(), true
	}
	return plain, w.dilemma(failed), false
}

// ways are the tracks that are worth a try. Of what runs, only one revision need
// be kept until the new one starts; of the new ones, only one need start then. The
// others stop at once and start last, where they meet the fewest. What runs and
// shall run is kept in any case.
func (t task) ways() []track {
	both := slices.DeleteFunc(slices.Clone(t.now), func(id int) bool { return !slices.Contains(t.to, id) })
	switch {
	case len(both) > 0:
		return []track{t.track(t.now, both, t.to)}
	case len(t.now) == 0 || len(t.to) == 0:
		return []track{t.track(t.now, t.to)}
	}
	var all []track
	for _, kept := range t.now {
		for _, first := range t.to {
			all = append(all, t.track(t.now, []int{kept}, []int{first}, t.to))
		}
	}
	return all
}

// track leads through stops, of which two that follow each other and are the same
// are one.
func (t task) track(stops ...[]int) track {
	return track{stops: slices.CompactFunc(stops, sameSet), sent: t.sent, keeps: t.keeps}
}

// each calls f with every choice of one track for each service, until it says no.
func each(ways [][]track, f func([]track) bool) {
	choice := make([]track, len(ways))
	var from func(i int) bool
	from = func(i int) bool {
		if i == len(ways) {
			return f(choice)
		}
		for _, t := range ways[i] {
			choice[i] = t
			if !from(i + 1) {
				return false
			}
		}
		return true
	}
	from(0)
}

func (w *world) ordered(tracks []track, good goodness) bool {
	return w.newGraph(tracks, good).ordered()
}

// ordered reports whether a graph has an order.
func (g *graph) ordered() bool {
	_, ok := g.schedule()
	return ok && len(g.blocks) == 0
}
