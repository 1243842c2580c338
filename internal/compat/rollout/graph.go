package rollout

import (
	"slices"
	"time"
)

// move takes one service from one stop of its track to the next.
type move struct{ track, stop int }

// When a stretch begins and ends, beside the number of a move.
const (
	beginning = -1 // it is there before any move
	forever   = -1 // no move ends it
	byItself  = -2 // no move is needed to end it: what was sent is drained with time
)

// stretch is how long a revision runs: from the start of a move to the end of
// another. Of a writer, what it sent may be read for a while longer.
type stretch struct {
	id, service int
	begin, end  int
	drain       time.Duration // from the end until nothing of it is left
}

// edge says that a move must end before another starts, because of a pair that
// does not hold.
type edge struct {
	from, to       int // moves; from is beginning where only time must pass
	drained        int // the writer whose events must be gone first; -1: it need not wait
	drain          time.Duration
	reader, writer int
	lasting        bool // the pair is there at the beginning and nothing ends it
}

// graph is what the pairs that do not hold ask of the moves of some tracks.
type graph struct {
	*world
	tracks   []track
	moves    []move
	first    []int // the first move of each track
	edges    []edge
	blocks   []edge // each forbids every order alone
	standing []edge // there at the beginning, and ended by the move from, or byItself
}

// newGraph builds the constraints.
func (w *world) newGraph(tracks []track, good goodness) *graph {
	g := &graph{world: w, tracks: tracks}
	for i, t := range tracks {
		g.first = append(g.first, len(g.moves))
		for stop := 1; stop < len(t.stops); stop++ {
			g.moves = append(g.moves, move{i, stop})
			if stop > 1 {
				last := len(g.moves) - 1
				g.edges = append(g.edges, edge{from: last - 1, to: last, drained: -1, reader: -1, writer: -1})
			}
		}
	}
	var running, sending []stretch
	for i := range tracks {
		runs := g.stretches(i)
		running = append(running, runs...)
		sending = append(sending, runs...)
		for _, sent := range tracks[i].sent {
			sending = append(sending, stretch{id: sent.id, service: i, begin: beginning, end: byItself, drain: sent.after})
		}
	}
	for _, r := range running {
		for _, s := range sending {
			if !good(r.id, s.id) {
				g.constrain(r, s)
			}
		}
	}
	return g
}

// stretches are the times for which the revisions of a track run.
func (g *graph) stretches(i int) []stretch {
	var all []stretch
	t := g.tracks[i]
	open := map[int]int{} // from a party to its stretch that has not ended
	for k, stop := range t.stops {
		at := g.first[i] + k - 1 // the move that leads to this stop
		for _, id := range t.stops[max(k-1, 0)] {
			if j, running := open[id]; running && !slices.Contains(stop, id) {
				all[j].end = at
				delete(open, id)
			}
		}
		for _, id := range stop {
			if _, running := open[id]; !running {
				s := stretch{id: id, service: i, begin: at, end: forever, drain: t.keeps}
				if k == 0 {
					s.begin = beginning
				}
				open[id] = len(all)
				all = append(all, s)
			}
		}
	}
	return all
}

// constrain enters what a reader and a writer that must not meet ask for.
func (g *graph) constrain(r, s stretch) {
	e := edge{from: beginning, to: beginning, drained: -1, reader: r.id, writer: s.id}
	if r.begin == beginning && s.begin == beginning {
		switch {
		case r.end == forever && s.end == forever:
			e.lasting = true
			g.blocks = append(g.blocks, e)
		default:
			e.from = endsFirst(r, s)
			g.standing = append(g.standing, e)
		}
		return
	}
	switch {
	case s.begin != beginning && r.end >= 0 && g.mayPrecede(r.end, s.begin):
		e.from, e.to = r.end, s.begin
		g.edges = append(g.edges, e)
	case r.begin != beginning && (s.end == byItself || s.end >= 0 && g.mayPrecede(s.end, r.begin)):
		e.from, e.to, e.drained, e.drain = s.end, r.begin, s.id, s.drain
		g.edges = append(g.edges, e)
	default:
		g.blocks = append(g.blocks, e)
	}
}

// mayPrecede reports whether one move may come before another as far as their own
// track is concerned.
func (g *graph) mayPrecede(a, b int) bool {
	return g.moves[a].track != g.moves[b].track || a < b
}

// endsFirst is a move that ends one of two stretches, byItself where none is needed.
func endsFirst(r, s stretch) int {
	if r.end >= 0 {
		return r.end
	}
	return s.end
}
