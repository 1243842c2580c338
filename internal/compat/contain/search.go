package contain

import "slices"

// clause is a disjunction of conjunctions.
type clause struct {
	alts [][]lit
	deps uint64
}

// search decides a goal for instances of one type.
type search struct {
	s    *solver
	t    typ
	seen map[uint32]lit // by content: what is asserted, with its sign
	path []uint32       // in the order of assertion, to undo
	lits []lit          // assertions for the theory
	fin  []lit          // positive enums
	more []clause       // disjunctions met since the last propagation
	core uint64         // of the last contradiction
}

func (x *search) start(goal []lit) outcome {
	for _, negative := range []bool{false, true} {
		for _, l := range goal {
			l.deps = 0
			if l.neg == negative && !x.add(l) {
				return conflict(0)
			}
		}
	}
	return x.run(nil, 0)
}

// judge says what is already known of a literal, and on which levels that rests.
func (x *search) judge(l lit) (truth, uint64) {
	if l.n.touch&x.t == 0 {
		return truthOf(!l.neg), 0
	}
	if l.n.may&x.t == 0 {
		return truthOf(l.neg), 0
	}
	if known, ok := x.seen[x.s.id(l.n)]; ok {
		return truthOf(known.neg == l.neg), known.deps
	}
	return unsure, 0
}

// add asserts a literal and what it unfolds to; false means a contradiction.
func (x *search) add(l lit) bool {
	switch t, deps := x.judge(l); t {
	case yes:
		return true
	case no:
		x.core = deps | l.deps
		return false
	}
	id := x.s.id(l.n)
	x.seen[id] = l
	x.path = append(x.path, id)
	kids := l.n.kids
	switch l.n.kind {
	case kNot:
		return x.add(lit{kids[0], !l.neg, l.deps})
	case kRef:
		return x.add(lit{kids[0], l.neg, l.deps})
	case kAnd, kOr:
		if (l.n.kind == kAnd) != l.neg {
			return x.addAll(kids, l.neg, l.deps)
		}
		return x.addClause(singles(kids, l.neg), l.deps)
	case kIf:
		return x.addIf(kids, l)
	case kOneOf:
		return x.addOneOf(kids, l)
	case kEnum:
		return x.addEnum(l)
	}
	x.lits = append(x.lits, l)
	return true
}

func (x *search) addAll(kids []*node, neg bool, deps uint64) bool {
	for _, k := range kids {
		if !x.add(lit{k, neg, deps}) {
			return false
		}
	}
	return true
}

func singles(kids []*node, neg bool) [][]lit {
	alts := make([][]lit, len(kids))
	all := make([]lit, len(kids))
	for i, k := range kids {
		all[i] = lit{n: k, neg: neg}
		alts[i] = all[i : i+1 : i+1]
	}
	return alts
}

func (x *search) addIf(kids []*node, l lit) bool {
	return x.addClause([][]lit{
		{{n: kids[0]}, {n: kids[1], neg: l.neg}},
		{{n: kids[0], neg: true}, {n: kids[2], neg: l.neg}},
	}, l.deps)
}

// maxBranches bounds a oneOf whose exclusions are spelled out; they are as many
// as the square of its branches.
const maxBranches = 300

// addOneOf: exactly one branch, or, negated, none or some two.
func (x *search) addOneOf(kids []*node, l lit) bool {
	if len(kids) > maxBranches {
		x.lits = append(x.lits, l)
		return l.neg || x.addClause(singles(kids, false), l.deps)
	}
	x.s.charge(len(kids) * len(kids))
	var alts [][]lit
	if !l.neg {
		for i := range kids {
			alt := []lit{{n: kids[i]}}
			for j, k := range kids {
				if j != i {
					alt = append(alt, lit{n: k, neg: true})
				}
			}
			alts = append(alts, alt)
		}
		return x.addClause(alts, l.deps)
	}
	var none []lit
	for _, k := range kids {
		none = append(none, lit{n: k, neg: true})
	}
	alts = append(alts, none)
	for i, a := range kids {
		for _, b := range kids[i+1:] {
			if a.may&b.may&x.t != 0 {
				alts = append(alts, []lit{{n: a}, {n: b}})
			}
		}
	}
	return x.addClause(alts, l.deps)
}

// addEnum keeps a positive enum for enumeration; a negated one is spelled out
// for arrays and objects.
func (x *search) addEnum(l lit) bool {
	if !l.neg {
		x.fin = append(x.fin, l)
		return true
	}
	if x.t&(tArray|tObject) != 0 {
		return x.addAll(l.n.kids, true, l.deps)
	}
	x.lits = append(x.lits, l)
	return true
}

// addClause drops what is known to fail, and asserts the last alternative left.
func (x *search) addClause(alts [][]lit, deps uint64) bool {
	c, settled := x.filter(clause{alts, deps})
	switch {
	case settled:
		return true
	case len(c.alts) == 0:
		x.core = c.deps
		return false
	case len(c.alts) == 1:
		return x.assert(c.alts[0], c.deps)
	}
	x.more = append(x.more, c)
	return true
}

func (x *search) assert(alt []lit, deps uint64) bool {
	for _, l := range alt {
		l.deps |= deps
		if !x.add(l) {
			return false
		}
	}
	return true
}

func (x *search) filter(c clause) (clause, bool) {
	out := clause{deps: c.deps}
	x.s.charge(len(c.alts))
	for i, alt := range c.alts {
		t := yes
		var deps uint64
		for _, l := range alt {
			known, d := x.judge(l)
			if known == no {
				t, deps = no, d
				break
			}
			if known == unsure {
				t = unsure
			}
		}
		switch t {
		case yes:
			return out, true
		case unsure:
			out.alts = append(out.alts, c.alts[i])
		default:
			out.deps |= deps
		}
	}
	return out, false
}

// propagate filters the clauses until nothing changes.
func (x *search) propagate(pending []clause) ([]clause, bool) {
	queue := append(slices.Clone(pending), x.more...)
	x.more = x.more[:0]
	for changed := true; changed; {
		changed = false
		var kept []clause
		for _, c := range queue {
			c, settled := x.filter(c)
			switch {
			case settled:
			case len(c.alts) == 0:
				x.core = c.deps
				return nil, false
			case len(c.alts) == 1:
				changed = true
				if !x.assert(c.alts[0], c.deps) {
					return nil, false
				}
			default:
				kept = append(kept, c)
			}
		}
		queue = append(kept, x.more...)
		x.more = x.more[:0]
	}
	return queue, true
}
