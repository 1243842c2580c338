package rollout

import (
	"container/heap"
	"slices"
	"time"
)

// schedule is the order of a graph's moves, nil where a circle forbids one.
type schedule struct {
	order []int
	at    []time.Duration // when each move may start at the earliest, if moves took no time
}

// schedule orders the moves so that all is done as early as it can be: each move
// has the earliest time that its waits allow. Of those that may go at one time, the
// ones that come after nothing go first: only a move that another must precede can
// take that one's way back. Then the services go in their own order.
func (g *graph) schedule() (schedule, bool) {
	s := schedule{at: make([]time.Duration, len(g.moves))}
	open := make([]int, len(g.moves)) // edges into a move that are not yet met
	out := make([][]edge, len(g.moves))
	for _, e := range g.edges {
		if e.from < 0 {
			s.at[e.to] = max(s.at[e.to], e.drain)
			continue
		}
		open[e.to]++
		out[e.from] = append(out[e.from], e)
	}
	ready := &queue{at: s.at, later: make([]bool, len(g.moves))}
	for m := range g.moves {
		ready.later[m] = open[m] > 0
	}
	for m := range g.moves {
		if open[m] == 0 {
			heap.Push(ready, m)
		}
	}
	for ready.Len() > 0 {
		m := heap.Pop(ready).(int)
		s.order = append(s.order, m)
		for _, e := range out[m] {
			s.at[e.to] = max(s.at[e.to], s.at[m]+e.drain)
			if open[e.to]--; open[e.to] == 0 {
				heap.Push(ready, e.to)
			}
		}
	}
	return s, len(s.order) == len(g.moves)
}

// queue is the moves that may go, the earliest first.
type queue struct {
	at    []time.Duration
	later []bool // others come before it
	moves []int
}

func (q *queue) Len() int { return len(q.moves) }
func (q *queue) Less(i, j int) bool {
	a, b := q.moves[i], q.moves[j]
	if q.at[a] != q.at[b] {
		return q.at[a] < q.at[b]
	}
	if q.later[a] != q.later[b] {
		return q.later[b]
	}
	return a < b
}
func (q *queue) Swap(i, j int) { q.moves[i], q.moves[j] = q.moves[j], q.moves[i] }
func (q *queue) Push(x any)    { q.moves = append(q.moves, x.(int)) }
func (q *queue) Pop() any {
	last := q.moves[len(q.moves)-1]
	q.moves = q.moves[:len(q.moves)-1]
	return last
}

// into are the edges that a move waits for, the ones that make it wait longest last.
func (g *graph) into(m int) []edge {
	var in []edge
	for _, e := range g.edges {
		if e.to == m && e.reader >= 0 {
			in = append(in, e)
		}
	}
	slices.SortStableFunc(in, func(a, b edge) int { return int(min(max(a.drain-b.drain, -1), 1)) })
	return in
}
