package contain

import (
	"math"
	"slices"
)

const (
	maxItemsBuilt = 2000 // items that are written into a witness
	maxObligation = 64   // items that contains may ask for
)

// arrProblem is what an array must satisfy.
type arrProblem struct {
	s        *solver
	min, max int64
	items    map[int][]lit // by position
	rests    []lit         // positive kRest
	duties   []duty        // items that must exist
	limits   []limit       // how often something may occur
	prefix   int           // positions that are not alike
	unique   bool
	repeat   bool
	deps     uint64
}

// duty asks for an item at or after from; equal duties sit on different items.
type duty struct {
	from int
	want lit
	same bool // as the one before, so it comes later
}

type limit struct {
	kid  *node
	most int64
	deps uint64
}

func (s *solver) solveArray(lits []lit) outcome {
	p := &arrProblem{s: s, max: math.MaxInt64, items: map[int][]lit{}}
	for _, l := range lits {
		if !p.add(l) {
			return spent("items")
		}
	}
	if p.min > p.max {
		return conflict(p.deps)
	}
	longest := max(p.min, int64(p.prefix)) + int64(len(p.duties))
	if p.repeat {
		longest += 2
	}
	longest = min(longest, p.max)
	maybe := outcome{}
	for n := p.min; n <= longest; n++ {
		if n > maxItemsBuilt {
			return spent("items")
		}
		out := p.ofLength(int(n))
		if out.result == sat {
			return out
		}
		if out.result == unknown {
			maybe = better(maybe, out)
		}
	}
	if maybe.result == unknown {
		return maybe
	}
	return conflict(p.deps)
}

func (p *arrProblem) add(l lit) bool {
	p.deps |= l.deps
	n := l.n
	switch n.kind {
	case kMinItems, kMaxItems:
		p.addCount(l)
	case kUnique:
		p.unique, p.repeat = p.unique || !l.neg, p.repeat || l.neg
	case kItem:
		i := int(n.n)
		p.prefix = max(p.prefix, i+1)
		p.items[i] = append(p.items[i], lit{n.kids[0], l.neg, l.deps})
		if l.neg {
			p.min = max(p.min, n.n+1)
		}
	case kRest:
		p.prefix = max(p.prefix, int(n.n))
		if l.neg {
			p.duties = append(p.duties, duty{from: int(n.n), want: lit{n.kids[0], true, l.deps}})
		} else {
			p.rests = append(p.rests, l)
		}
	default:
		return p.addContains(l)
	}
	return p.prefix <= maxItemsBuilt
}

func (p *arrProblem) addCount(l lit) {
	switch {
	case l.n.kind == kMinItems && !l.neg:
		p.min = max(p.min, l.n.n)
	case l.n.kind == kMinItems:
		p.max = min(p.max, l.n.n-1)
	case !l.neg:
		p.max = min(p.max, l.n.n)
	default:
		p.min = max(p.min, l.n.n+1)
	}
}

func (p *arrProblem) addContains(l lit) bool {
	kid, least, most := l.n.kids[0], l.n.n, l.n.n
	if l.neg {
		least, most = l.n.n+1, l.n.n-1
	}
	if (l.n.kind == kHasMax) != l.neg {
		p.limits = append(p.limits, limit{kid, most, l.deps})
		return true
	}
	if least > maxObligation {
		return false
	}
	for i := range least {
		p.duties = append(p.duties, duty{want: lit{kid, false, l.deps}, same: i > 0})
	}
	return true
}

// attempt is one length with the duties given out.
type attempt struct {
	*arrProblem
	goals [][]lit
	maybe outcome
}

func (p *arrProblem) ofLength(n int) outcome {
	a := attempt{arrProblem: p, goals: make([][]lit, n)}
	for i := range a.goals {
		a.goals[i] = slices.Clone(p.items[i])
		for _, r := range p.rests {
			if int64(i) >= r.n.n {
				a.goals[i] = append(a.goals[i], lit{r.n.kids[0], false, r.deps})
			}
		}
	}
	for _, l := range p.limits {
		if l.most < 0 {
			return conflict(p.deps)
		}
	}
	out := a.give(0, -1)
	if out.result == unsat && a.maybe.result == unknown {
		return a.maybe
	}
	return out
}

// give puts duty i on an item and goes on.
func (a *attempt) give(i, last int) outcome {
	if !a.s.spend() {
		return spent("steps")
	}
	if i == len(a.duties) {
		left := make([]int64, len(a.limits))
		for j, l := range a.limits {
			left[j] = l.most
		}
		return a.settle(0, left)
	}
	d := a.duties[i]
	from := d.from
	if d.same {
		from = max(from, last+1)
	}
	triedPlain := false
	for at := from; at < len(a.goals); at++ {
		before := a.goals[at]
		if at >= a.prefix && len(before) == a.plain() {
			if triedPlain { // all untouched items of the tail are alike
				continue
			}
			triedPlain = true
		}
		a.goals[at] = append(slices.Clone(before), d.want)
		out := conflict(0)
		if a.s.solve(a.goals[at]).result != unsat {
			out = a.give(i+1, at)
		}
		a.goals[at] = before
		if out.result == sat {
			return out
		}
		if out.result == unknown {
			a.maybe = better(a.maybe, out)
		}
	}
	return conflict(a.deps)
}

// plain is the number of literals of an untouched tail item.
func (a *attempt) plain() int { return len(a.rests) }

// settle decides from item i on which limits the item stays clear of.
func (a *attempt) settle(i int, left []int64) outcome {
	if i == len(a.goals) {
		return a.finish()
	}
	if !a.s.spend() {
		return spent("steps")
	}
	before := a.goals[i]
	defer func() { a.goals[i] = before }()
	for set := 0; set < 1<<len(a.limits); set++ { // a bit says that the item uses up the limit
		goal, next, ok := slices.Clone(before), slices.Clone(left), true
		for j, l := range a.limits {
			if set>>j&1 == 1 {
				next[j]--
				ok = ok && next[j] >= 0
			} else {
				goal = append(goal, lit{l.kid, true, l.deps})
			}
		}
		if !ok || a.s.solve(goal).result == unsat {
			continue
		}
		a.goals[i] = goal
		out := a.settle(i+1, next)
		if out.result == sat || out.result == unknown && out.why.budget == "steps" {
			return out
		}
		if out.result == unknown {
			a.maybe = better(a.maybe, out)
		}
	}
	return conflict(a.deps)
}

// finish picks the values.
func (a *attempt) finish() outcome {
	switch {
	case a.unique && a.repeat:
		return conflict(a.deps)
	case a.unique:
		return a.distinct()
	case a.repeat:
		return a.twice()
	}
	return a.build(nil)
}

func (a *attempt) build(fixed map[int]outcome) outcome {
	v := make([]any, len(a.goals))
	result := found(v)
	for i, g := range a.goals {
		out, ok := fixed[i]
		if !ok {
			out = a.s.solve(g)
		}
		if out.result == unsat {
			return conflict(a.deps)
		}
		if out.result == unknown {
			result.result, result.why = unknown, out.why
			result.has = result.has && out.has
		}
		v[i] = out.value
	}
	return result
}
