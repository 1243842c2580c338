package contain

import (
	"math"
	"slices"
	"strings"
)

// fresh breaks e with a key that nothing names, from every cell in turn.
func (p *objProblem) fresh(e lit, i int) outcome {
	var extra []lit
	switch e.n.kind {
	case kNames:
		extra = append(extra, lit{n: e.n.kids[0], neg: true})
	case kPat:
		extra = append(extra, lit{n: patternNode(e.n.pats[0])})
	default:
		for _, q := range e.n.pats {
			extra = append(extra, lit{n: patternNode(q), neg: true})
		}
	}
	maybe, done := outcome{}, outcome{}
	why := p.cells(p.otherDemands(i), extra, func(k string) bool {
		out := p.with(k, e, i)
		switch out.result {
		case sat:
			done = out
			return true
		case unknown:
			maybe = better(maybe, out)
		}
		return false
	})
	switch {
	case done.result == sat:
		return done
	case maybe.result == unknown:
		return maybe
	case why.result == unknown:
		return why
	}
	return conflict(p.deps)
}

// otherDemands tell keys apart that can serve several existentials at once,
// which matters only where the number of keys is limited.
func (p *objProblem) otherDemands(i int) []*node {
	if p.max == math.MaxInt64 {
		return nil
	}
	var splits []*node
	for _, e := range p.some[i+1:] {
		if e.n.kind == kNames {
			splits = append(splits, e.n.kids[0])
		}
		for _, q := range e.n.pats {
			splits = append(splits, patternNode(q))
		}
	}
	return splits
}

func patternNode(q *pattern) *node {
	return seal(&node{kind: kPattern, pats: []*pattern{q}})
}

// cells calls f with a key from every non-empty combination of the patterns at
// hand and the splits, outside the named keys, until f is content. Its outcome
// is unknown if a cell could not be decided.
func (p *objProblem) cells(splits []*node, extra []lit, f func(string) bool) outcome {
	for _, r := range p.rules {
		for _, q := range r.n.pats {
			splits = append(splits, patternNode(q))
		}
	}
	splits = distinctNodes(splits)
	if len(splits) > maxPatterns {
		return spent("patterns")
	}
	goal := append([]lit{{n: seal(&node{kind: kTypes, types: tString})}}, extra...)
	for _, l := range p.names {
		goal = append(goal, lit{n: l.n.kids[0]})
	}
	if len(p.universe) > 0 {
		goal = append(goal, lit{n: seal(&node{kind: kEnum, values: stringSet(p.universe)}), neg: true})
	}
	out := outcome{}
	p.cell(goal, splits, f, &out)
	return out
}

func distinctNodes(list []*node) []*node {
	var out []*node
	for _, n := range list {
		if !slices.ContainsFunc(out, func(o *node) bool { return o.hash == n.hash }) {
			out = append(out, n)
		}
	}
	return out
}

func stringSet(list []string) *valueSet {
	vs := make([]any, len(list))
	for i, k := range list {
		vs[i] = k
	}
	return newValueSet(vs)
}

func (p *objProblem) cell(goal []lit, splits []*node, f func(string) bool, undecided *outcome) bool {
	out := p.s.solve(goal)
	switch out.result {
	case unsat:
		return false
	case unknown:
		if undecided.result != unknown {
			*undecided = outcome{result: unknown, why: out.why}
		}
		if !out.has || len(splits) > 0 {
			return false
		}
	}
	if len(splits) == 0 {
		k, ok := out.value.(string)
		return ok && f(freshName(goal, k))
	}
	for _, neg := range []bool{true, false} {
		if p.cell(append(slices.Clone(goal), lit{n: splits[0], neg: neg}), splits[1:], f, undecided) {
			return true
		}
	}
	return false
}

// freshName prefers a name that a person reads as made up.
func freshName(goal []lit, k string) string {
next:
	for _, name := range []string{"extra", "other", "x", strings.Repeat("x", len(k))} {
		for _, l := range goal {
			if l.eval(name) != yes {
				continue next
			}
		}
		return name
	}
	return k
}
