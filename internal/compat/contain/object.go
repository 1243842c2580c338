package contain

import (
	"math"
	"slices"
	"sort"
)

const (
	maxFill     = 300 // keys that are added to reach minProperties
	maxPatterns = 10  // patterns whose cells are enumerated
)

// objProblem is what an object must satisfy.
type objProblem struct {
	s        *solver
	min, max int64
	required map[string]bool
	absent   map[string]bool
	props    map[string][]lit // by name: what its value must satisfy
	rules    []lit            // positive kPat and kAdd
	names    []lit            // positive kNames
	some     []lit            // negative kPat, kAdd, kNames: some key must break them
	universe []string         // keys that any assertion mentions
	deps     uint64
	maybe    *outcome // a goal on the way that was not decided
}

func (s *solver) solveObject(lits []lit) outcome {
	p := &objProblem{s: s, max: math.MaxInt64, required: map[string]bool{}, absent: map[string]bool{}, props: map[string][]lit{}}
	for _, l := range lits {
		p.add(l)
	}
	for k := range p.required {
		if p.absent[k] {
			return conflict(p.deps)
		}
	}
	if p.min > p.max || int64(len(p.required)) > p.max {
		return conflict(p.deps)
	}
	slices.Sort(p.universe)
	p.universe = slices.Compact(p.universe)
	for _, k := range sortedKeys(p.required) {
		if out := p.value(k); out.result == unsat {
			return out
		}
	}
	return p.choose(0)
}

func (p *objProblem) add(l lit) {
	p.deps |= l.deps
	n := l.n
	p.universe = append(p.universe, n.names...)
	if n.name != "" || n.kind == kReq || n.kind == kProp {
		p.universe = append(p.universe, n.name)
	}
	switch n.kind {
	case kReq:
		if l.neg {
			p.absent[n.name] = true
		} else {
			p.required[n.name] = true
		}
	case kProp:
		if l.neg {
			p.required[n.name] = true
		}
		p.props[n.name] = append(p.props[n.name], lit{n.kids[0], l.neg, l.deps})
	case kMinProps, kMaxProps:
		p.addCount(l)
	default:
		switch {
		case l.neg:
			p.some = append(p.some, l)
		case n.kind == kNames:
			p.names = append(p.names, l)
		default:
			p.rules = append(p.rules, l)
		}
	}
}

func (p *objProblem) addCount(l lit) {
	switch {
	case l.n.kind == kMinProps && !l.neg:
		p.min = max(p.min, l.n.n)
	case l.n.kind == kMinProps:
		p.max = min(p.max, l.n.n-1)
	case !l.neg:
		p.max = min(p.max, l.n.n)
	default:
		p.min = max(p.min, l.n.n+1)
	}
}

// goal is what the value of key k must satisfy if k is there.
func (p *objProblem) goal(k string) []lit {
	out := slices.Clone(p.props[k])
	for _, r := range p.rules {
		if r.n.appliesTo(k) {
			out = append(out, lit{r.n.kids[0], false, r.deps})
		}
	}
	return out
}

// value decides key k: its name, then its value. An undecided one is noted.
func (p *objProblem) value(k string) outcome {
	for _, l := range p.names {
		switch eval(l.n.kids[0], k) {
		case no:
			return conflict(l.deps | depsOf(p.props[k]) | p.deps)
		case unsure:
			p.note(outcome{result: unknown, why: l.cause()})
		}
	}
	out := p.s.solve(p.goal(k))
	switch out.result {
	case unsat:
		out.core |= p.deps
	case unknown:
		p.note(out)
	}
	return out
}

func (p *objProblem) note(out outcome) {
	if p.maybe == nil {
		p.maybe = &out
	}
}

// choose gives every existential from i on a key, and then counts.
func (p *objProblem) choose(i int) outcome {
	if !p.s.spend() {
		return spent("steps")
	}
	if i == len(p.some) {
		return p.count()
	}
	e := p.some[i]
	maybe := outcome{}
	for _, k := range p.universe {
		if p.absent[k] || !breakable(e, k) {
			continue
		}
		if out := p.with(k, e, i); out.result == sat {
			return out
		} else if out.result == unknown {
			maybe = better(maybe, out)
		}
	}
	out := p.fresh(e, i)
	if out.result == unsat && maybe.result == unknown {
		return maybe
	}
	return out
}

func better(a, b outcome) outcome {
	if a.result != unknown || !a.has && b.has {
		return b
	}
	return a
}

// breakable says whether key k can be the one that breaks e.
func breakable(e lit, k string) bool {
	if e.n.kind == kNames {
		return eval(e.n.kids[0], k) == no
	}
	return e.n.appliesTo(k)
}

// with makes key k break e and goes on.
func (p *objProblem) with(k string, e lit, i int) outcome {
	before, had, known, noted := p.props[k], p.required[k], len(p.universe), p.maybe
	if e.n.kind != kNames {
		p.props[k] = append(slices.Clone(before), lit{e.n.kids[0], true, e.deps})
	}
	p.required[k] = true
	if !slices.Contains(p.universe, k) {
		p.universe = append(p.universe, k)
	}
	out := p.value(k)
	if out.result != unsat {
		out = p.choose(i + 1)
	}
	p.props[k], p.universe = before, p.universe[:known]
	if !had {
		delete(p.required, k)
	}
	p.maybe = noted
	return out
}

// count fills the object up to its least number of keys and builds it.
func (p *objProblem) count() outcome {
	keys := sortedKeys(p.required)
	if int64(len(keys)) > p.max {
		return conflict(p.deps)
	}
	if p.min > int64(len(keys)) {
		return p.fill(keys)
	}
	return p.build(keys)
}

func (p *objProblem) fill(keys []string) outcome {
	if p.min > int64(len(keys)+maxFill) {
		return spent("properties")
	}
	noted, known := p.maybe, len(p.universe)
	defer func() { p.universe = p.universe[:known] }()
	skipped := outcome{}
	for _, k := range p.universe {
		if int64(len(keys)) >= p.min {
			break
		}
		if p.absent[k] || p.required[k] {
			continue
		}
		switch out := p.value(k); out.result {
		case sat:
			keys = append(keys, k)
		case unknown:
			skipped, p.maybe = out, noted
		}
	}
	for int64(len(keys)) < p.min {
		n := len(keys)
		why := p.cells(nil, nil, func(k string) bool {
			p.universe = append(p.universe, k)
			if p.value(k).result == sat {
				keys = append(keys, k)
				return true
			}
			p.universe = p.universe[:len(p.universe)-1]
			return false
		})
		if len(keys) > n {
			continue
		}
		if why.result == unknown {
			return why
		}
		if skipped.result == unknown {
			return outcome{result: unknown, why: skipped.why}
		}
		return conflict(p.deps)
	}
	sort.Strings(keys)
	return p.build(keys)
}

func (p *objProblem) build(keys []string) outcome {
	v := make(map[string]any, len(keys))
	whole := true
	for _, k := range keys {
		out := p.value(k)
		if out.result == unsat {
			return conflict(p.deps)
		}
		v[k] = out.value
		whole = whole && out.has
	}
	if p.maybe != nil {
		return outcome{result: unknown, value: v, has: whole, why: p.maybe.why}
	}
	return found(v)
}
