package rollout

import (
	"cmp"
	"slices"
)

// Reason is the kind of a block.
type Reason string

const (
	BothNew     Reason = "both-new"     // what shall run cannot read what shall be sent
	ReaderStays Reason = "reader-stays" // the reader's old revision is not replaced
	WriterStays Reason = "writer-stays" // the writer's old revision is not replaced
	NobodyMoves Reason = "nobody-moves" // it is so already, and nothing ends it
	OwnEvents   Reason = "own-events"   // old and new of one service meet while they run side by side
	Circle      Reason = "circle"       // each must go before the next, and the last before the first
	EveryWay    Reason = "every-way"    // whichever revision of a canary is kept, something blocks
)

// Block is a set of pairs that forbids every order; none of them can be left out.
type Block struct {
	Reason Reason
	Links  []Link
}

// Link is one pair of a block. In a circle it says which service must go first.
type Link struct {
	Meeting
	First, Then string // of a circle
	Wait        bool   // of a circle: the first one's events must be drained as well
	Unblocks    bool   // if this pair held and all else stayed as it is, there would be an order
}

// explain finds what blocks a graph of single moves: every pair that blocks alone,
// then shortest circles that have no pair in common, as many as are found.
func (g *graph) explain() []Block {
	var all []Block
	for _, e := range slices.CompactFunc(g.blocks, samePair) {
		all = append(all, Block{g.reason(e), []Link{{Meeting: g.meeting(e.reader, e.writer)}}})
	}
	var circles []Block
	left := *g
	for knots := left.knots(); len(knots) > 0; knots = left.knots() {
		for _, knot := range knots {
			circle := left.circle(knot)
			circles = append(circles, left.block(circle))
			left.edges = slices.DeleteFunc(slices.Clone(left.edges), func(e edge) bool {
				return slices.ContainsFunc(circle, func(c edge) bool { return samePair(c, e) })
			})
		}
	}
	slices.SortStableFunc(circles, func(a, b Block) int { return cmp.Compare(len(a.Links), len(b.Links)) })
	all = append(all, circles...)
	return all
}

func samePair(a, b edge) bool { return a.reader == b.reader && a.writer == b.writer }

// reason classifies a pair that blocks alone.
func (g *graph) reason(e edge) Reason {
	stays := func(id int) bool { return slices.Contains(g.tracks[g.owner[id]].stops[0], id) }
	shall := func(id int) bool { return slices.Contains(last(g.tracks[g.owner[id]].stops), id) }
	switch {
	case g.owner[e.reader] == g.owner[e.writer] && !(shall(e.reader) && shall(e.writer)):
		return OwnEvents
	case stays(e.reader) && stays(e.writer):
		return NobodyMoves
	case stays(e.reader):
		return ReaderStays
	case stays(e.writer):
		return WriterStays
	}
	return BothNew
}

func last(stops [][]int) []int { return stops[len(stops)-1] }

// knots are the sets of moves of which each must come before each other: the
// strongly connected components with more than one move (Kosaraju's algorithm).
func (g *graph) knots() [][]int {
	next, before := make([][]int, len(g.moves)), make([][]int, len(g.moves))
	for _, e := range g.edges {
		if e.from >= 0 {
			next[e.from] = append(next[e.from], e.to)
			before[e.to] = append(before[e.to], e.from)
		}
	}
	var finished []int
	seen := make([]bool, len(g.moves))
	for m := range g.moves {
		reach(next, m, seen, &finished)
	}
	var knots [][]int
	clear(seen)
	for _, m := range slices.Backward(finished) {
		var knot []int
		reach(before, m, seen, &knot)
		if len(knot) > 1 {
			slices.Sort(knot)
			knots = append(knots, knot)
		}
	}
	slices.SortFunc(knots, slices.Compare)
	return knots
}

// reach appends what can be reached from a move, itself last.
func reach(next [][]int, m int, seen []bool, order *[]int) {
	if seen[m] {
		return
	}
	seen[m] = true
	for _, n := range next[m] {
		reach(next, n, seen, order)
	}
	*order = append(*order, m)
}

// circle is a shortest circle inside a knot, one edge for each step.
func (g *graph) circle(knot []int) []edge {
	out := make([][]edge, len(g.moves)) // inside the knot
	for _, e := range g.edges {
		if e.from >= 0 && slices.Contains(knot, e.from) && slices.Contains(knot, e.to) {
			out[e.from] = append(out[e.from], e)
		}
	}
	var best []edge
	for _, m := range knot {
		if c := circleThrough(m, out); best == nil || len(c) < len(best) {
			best = c
		}
	}
	return best
}

// block tells a circle.
func (g *graph) block(circle []edge) Block {
	b := Block{Reason: Circle}
	for _, e := range circle {
		if e.reader < 0 {
			continue // two moves of one service
		}
		b.Links = append(b.Links, Link{
			Meeting: g.meeting(e.reader, e.writer), Wait: e.drained >= 0,
			First: g.services[g.moves[e.from].track].Name, Then: g.services[g.moves[e.to].track].Name,
		})
	}
	return b
}

// circleThrough is a shortest circle through a move: a search in breadth, which
// comes back to where it began.
func circleThrough(m int, out [][]edge) []edge {
	by := map[int]edge{} // the edge by which a move was reached
	for queue := []int{m}; len(queue) > 0; queue = queue[1:] {
		for _, e := range out[queue[0]] {
			if _, reached := by[e.to]; reached {
				continue
			}
			by[e.to] = e
			if e.to == m {
				return trace(by, m)
			}
			queue = append(queue, e.to)
		}
	}
	return nil
}

func trace(by map[int]edge, m int) []edge {
	circle := []edge{by[m]}
	for at := by[m].from; at != m; at = by[at].from {
		circle = append(circle, by[at])
	}
	slices.Reverse(circle)
	return circle
}

// mostPairs bounds how many pairs are tried two by two for what blocks every way.
const mostPairs = 40

// dilemma is what blocks where canaries may be ended in several ways: each pair
// that blocks every way alone, else two pairs that do together, else pairs of
// which none can be left out.
func (w *world) dilemma(failed []*graph) []Block {
	links := w.involved(failed)
	var all []Block
	for _, l := range links {
		if w.suffices(failed, []Link{l}) {
			all = append(all, Block{EveryWay, []Link{l}})
		}
	}
	if len(all) > 0 {
		return all
	}
	for i := range links[:min(len(links), mostPairs)] {
		for j := range i {
			if two := []Link{links[j], links[i]}; w.suffices(failed, two) {
				return []Block{{EveryWay, two}}
			}
		}
	}
	for i := len(links) - 1; i >= 0; i-- {
		if fewer := slices.Delete(slices.Clone(links), i, i+1); w.suffices(failed, fewer) {
			links = fewer
		}
	}
	return []Block{{EveryWay, links}}
}

// involved are all pairs that constrain any of some graphs.
func (w *world) involved(failed []*graph) []Link {
	var links []Link
	known := map[Pair]bool{}
	for _, g := range failed {
		for _, e := range slices.Concat(g.blocks, g.edges) {
			if e.reader < 0 {
				continue
			}
			if m := g.meeting(e.reader, e.writer); !known[m.Pair] {
				known[m.Pair] = true
				links = append(links, Link{Meeting: m})
			}
		}
	}
	return links
}

// suffices reports whether some pairs alone block every way.
func (w *world) suffices(failed []*graph, links []Link) bool {
	good := func(reader, writer int) bool {
		return !slices.ContainsFunc(links, func(l Link) bool {
			return l.Reader == w.parties[reader] && l.Writer == w.parties[writer]
		})
	}
	return !slices.ContainsFunc(failed, func(g *graph) bool { return w.ordered(g.tracks, good) })
}

// unblock finds the pairs each of which would be enough to change. Blocks have no
// pair in common, so where there are several, none is.
func (w *world) unblock(tasks []task, blocks []Block) {
	if len(blocks) != 1 {
		return
	}
	for j := range blocks[0].Links {
		l := &blocks[0].Links[j]
		reader, writer := w.ids[l.Reader], w.ids[l.Writer]
		s := w.settle(tasks, func(r, s int) bool {
			return w.good(r, s) || r == reader && s == writer
		})
		l.Unblocks = len(s.blocks) == 0
	}
}
