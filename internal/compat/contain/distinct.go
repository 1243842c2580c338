package contain

import (
	"slices"
)

// distinct gives every item a value of its own. Items with at least as many
// values as there are items never run out; the others are matched.
func (a *attempt) distinct() outcome {
	n := len(a.goals)
	if n <= 1 {
		return a.build(nil)
	}
	domains := make([][]keyed, n)
	for i, g := range a.goals {
		if j := slices.IndexFunc(a.goals[:i], func(o []lit) bool { return slices.Equal(o, g) }); j >= 0 {
			domains[i] = domains[j] // most items are alike
			continue
		}
		list, out := a.s.several(g, n)
		if out.result == unknown {
			return outcome{result: unknown, why: out.why}
		}
		for _, v := range list {
			domains[i] = append(domains[i], keyed{v, canonical(v)})
		}
	}
	chosen, ok := match(domains)
	if !ok {
		return conflict(a.deps)
	}
	return found(chosen)
}

// twice makes two items equal.
func (a *attempt) twice() outcome {
	maybe := outcome{}
	for i := range a.goals {
		for j := i + 1; j < len(a.goals) && j <= max(i, a.prefix)+len(a.duties)+1; j++ {
			both := a.s.solve(append(slices.Clone(a.goals[i]), a.goals[j]...))
			if both.result == unsat {
				continue
			}
			out := a.build(map[int]outcome{i: both, j: both})
			if out.result == sat {
				return out
			}
			maybe = better(maybe, out)
		}
	}
	if maybe.result == unknown {
		return maybe
	}
	return conflict(a.deps)
}

// several lists up to n different values of a goal.
func (s *solver) several(goal []lit, n int) ([]any, outcome) {
	var list []any
	for len(list) < n {
		g := goal
		if len(list) > 0 {
			g = append(slices.Clone(goal), lit{n: exceptNode(list), neg: true})
		}
		out := s.solve(g)
		if out.result != sat {
			return list, out
		}
		list = append(list, out.value)
	}
	return list, outcome{result: sat}
}

func exceptNode(list []any) *node {
	n := &node{kind: kEnum, values: newValueSet(list)}
	for _, v := range n.values.list {
		if typeOf(v)&(tArray|tObject) != 0 {
			n.kids = append(n.kids, equalTo(v))
		}
	}
	return seal(n)
}

// keyed is a value with its canonical text.
type keyed struct {
	value any
	key   string
}

// match assigns different values to all items, by augmenting paths.
func match(domains [][]keyed) ([]any, bool) {
	owner := map[string]int{}
	value := make([]any, len(domains))
	var place func(i int, seen map[string]bool) bool
	place = func(i int, seen map[string]bool) bool {
		for _, v := range domains[i] {
			if seen[v.key] {
				continue
			}
			seen[v.key] = true
			if j, taken := owner[v.key]; !taken || place(j, seen) {
				owner[v.key], value[i] = i, v.value
				return true
			}
		}
		return false
	}
	for i := range domains {
		if !place(i, map[string]bool{}) {
			return nil, false
		}
	}
	return value, true
}
