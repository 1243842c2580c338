package contain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	maxLookStates = 80
	maxLookText   = 30_000
)

// lookahead rewrites a pattern of the form ^(?!a)(?=b)…rest, the common use of
// lookahead, into a regular expression without it: the language is rest minus
// a, and b, …; a product automaton is turned back into text by eliminating
// states. Its answer is false for every other form, and beyond the bounds.
func lookahead(ecma string) (string, bool) {
	conditions, rest, ok := leading(ecma)
	if !ok {
		return "", false
	}
	want := []bool{true}
	list := []string{"^(?:" + rest + ")"}
	for _, c := range conditions {
		want = append(want, c[2] == '=')
		list = append(list, "^(?:"+c[3:len(c)-1]+")")
	}
	var autos []*automaton
	for _, p := range list {
		r := rewriter{in: p}
		if r.run() != nil {
			return "", false
		}
		a := newAutomaton(r.out.String())
		if a.broken {
			return "", false
		}
		autos = append(autos, a)
	}
	e := elimination{autos: autos, want: want, ids: map[string]int{}}
	return e.text()
}

// leading splits the lookaheads off the start of an anchored pattern that has
// no alternative beside them.
func leading(p string) (conditions []string, rest string, ok bool) {
	rest, anchored := strings.CutPrefix(p, "^")
	if !anchored {
		return nil, "", false
	}
	for strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?=") {
		end := groupEnd(rest)
		if end < 0 {
			return nil, "", false
		}
		conditions, rest = append(conditions, rest[:end]), rest[end:]
	}
	if strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "{") {
		return nil, "", false
	}
	return conditions, rest, len(conditions) > 0 && !topAlternative(rest)
}

// groupEnd is the index after the group that p starts with.
func groupEnd(p string) int {
	end := -1
	scan(p, func(i, depth int) bool {
		if p[i] == ')' && depth == 0 {
			end = i + 1
			return false
		}
		return true
	})
	return end
}

func topAlternative(p string) bool {
	found := false
	scan(p, func(i, depth int) bool {
		found = found || p[i] == '|' && depth == 0
		return !found
	})
	return found
}

// scan calls f for every byte outside classes and escapes, with the depth of groups after it.
func scan(p string, f func(i, depth int) bool) {
	depth, class := 0, false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
			continue
		case class:
			class = c != ']'
			continue
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if !f(i, depth) {
			return
		}
	}
}

// elimination is a product automaton on its way to a regular expression.
type elimination struct {
	autos []*automaton
	want  []bool
	ids   map[string]int
	list  [][]int // states of the automata, per product state
	edges []map[int]string
	ends  []bool
}

func (e *elimination) id(states []int) int {
	key := point{states: states}.key()
	id, ok := e.ids[key]
	if !ok {
		id = len(e.list)
		e.ids[key] = id
		e.list = append(e.list, states)
	}
	return id
}

func (e *elimination) text() (string, bool) {
	e.id(make([]int, len(e.autos)))
	bounds := intervals(e.autos)
	for i := 0; i < len(e.list); i++ {
		if i > maxLookStates {
			return "", false
		}
		e.expand(i, bounds)
	}
	return e.eliminate()
}

func intervals(autos []*automaton) []rune {
	cuts := []rune{0, 0xD800, 0xE000, unicode.MaxRune + 1}
	for _, a := range autos {
		cuts = append(cuts, a.cuts...)
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// expand finds the moves of one state, as classes of runes.
func (e *elimination) expand(i int, bounds []rune) {
	ends := true
	for j, a := range e.autos {
		ends = ends && a.states[e.list[i][j]].ends == e.want[j]
	}
	classes := map[int]*strings.Builder{}
	for b := 0; b+1 < len(bounds); b++ {
		lo, hi := bounds[b], bounds[b+1]-1
		if lo >= 0xD800 && lo < 0xE000 || lo > unicode.MaxRune {
			continue
		}
		next := make([]int, len(e.autos))
		for j, a := range e.autos {
			next[j] = a.step(e.list[i][j], lo)
		}
		to := e.id(next)
		if classes[to] == nil {
			classes[to] = &strings.Builder{}
		}
		fmt.Fprintf(classes[to], `\x{%x}-\x{%x}`, lo, hi)
	}
	edges := map[int]string{}
	for to, c := range classes {
		edges[to] = "[" + c.String() + "]"
	}
	e.edges, e.ends = append(e.edges, edges), append(e.ends, ends)
}

// eliminate removes one state after the other and joins the ways through it.
func (e *elimination) eliminate() (string, bool) {
	final := len(e.list)
	for i, ends := range e.ends {
		if ends {
			e.edges[i][final] = ""
		}
	}
	start := final + 1
	e.edges = append(e.edges, map[int]string{}, map[int]string{0: ""})
	for gone := final - 1; gone >= 0; gone-- {
		loop, looped := e.edges[gone][gone]
		if looped {
			loop = "(?:" + loop + ")*"
		}
		for from := range e.edges {
			into, ok := e.edges[from][gone]
			if !ok || from == gone {
				continue
			}
			delete(e.edges[from], gone)
			for _, to := range sortedInts(e.edges[gone]) {
				if to == gone {
					continue
				}
				way := into + loop + e.edges[gone][to]
				if old, ok := e.edges[from][to]; ok {
					way = "(?:" + old + "|" + way + ")"
				}
				if len(way) > maxLookText {
					return "", false
				}
				e.edges[from][to] = way
			}
		}
		e.edges[gone] = map[int]string{}
	}
	way, ok := e.edges[start][final]
	if !ok {
		return `[^\x00-\x{10ffff}]`, true
	}
	return "^(?:" + way + ")$", true
}

func sortedInts(m map[int]string) []int {
	out := make([]int, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
