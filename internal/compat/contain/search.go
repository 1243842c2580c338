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

// addOneOf: exactly one branch, or, negated, none or some two.
func (x *search) addOneOf(kids []*node, l lit) bool {
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

// run decides the assertions so far together with the pending clauses.
func (x *search) run(pending []clause, level int) outcome {
	if !x.s.spend() {
		return spent("steps")
	}
	pending, ok := x.propagate(pending)
	if !ok {
		return conflict(x.core)
	}
	if values, ok := x.finite(); ok {
		return x.enumerate(values, pending)
	}
	out := x.theory()
	if out.result == unsat {
		return out
	}
	pick := -1
	for i, c := range pending {
		if out.has && c.eval(out.value) == yes {
			continue
		}
		if pick < 0 || len(c.alts) < len(pending[pick].alts) {
			pick = i
		}
	}
	if pick < 0 {
		return out
	}
	return x.branch(pending[pick], slices.Delete(slices.Clone(pending), pick, pick+1), level)
}

func (c clause) eval(v any) truth {
	out := no
	for _, alt := range c.alts {
		t := yes
		for _, l := range alt {
			if k := l.eval(v); k != yes {
				t = k
				if k == no {
					break
				}
			}
		}
		switch t {
		case yes:
			return yes
		case unsure:
			out = unsure
		}
	}
	return out
}

// branch tries the alternatives of a clause. A conflict that does not rest on
// the choice made here ends them all.
func (x *search) branch(c clause, rest []clause, level int) outcome {
	bit := uint64(1) << min(level, 63)
	core := c.deps
	maybe := outcome{}
	for _, alt := range c.alts {
		path, lits, fin := len(x.path), len(x.lits), len(x.fin)
		x.more = x.more[:0]
		out := conflict(0)
		if x.assert(alt, c.deps|bit) {
			out = x.run(rest, level+1)
		} else {
			out.core = x.core
		}
		x.undo(path, lits, fin)
		switch {
		case out.result == sat:
			return out
		case out.result == unknown:
			if maybe.result != unknown || !maybe.has && out.has {
				maybe = out
			}
		case out.core&bit == 0:
			return out
		default:
			core |= out.core
		}
	}
	if maybe.result == unknown {
		return maybe
	}
	if level < 63 {
		core &^= bit
	}
	return conflict(core)
}

func (x *search) undo(path, lits, fin int) {
	for _, id := range x.path[path:] {
		delete(x.seen, id)
	}
	x.path, x.lits, x.fin = x.path[:path], x.lits[:lits], x.fin[:fin]
	x.more = x.more[:0]
}

// finite lists the only values that can satisfy the assertions, if that is known.
func (x *search) finite() ([]any, bool) {
	switch x.t {
	case tNull:
		return []any{nil}, true
	case tBool:
		return []any{true, false}, true
	}
	if len(x.fin) == 0 {
		return nil, false
	}
	smallest := slices.MinFunc(x.fin, func(a, b lit) int { return len(a.n.values.list) - len(b.n.values.list) })
	return smallest.n.values.list, true
}

// enumerate evaluates everything on each value.
func (x *search) enumerate(values []any, pending []clause) outcome {
	var core uint64
	for _, l := range x.fin {
		core |= l.deps
	}
	maybe := outcome{}
	for i, v := range values {
		if typeOf(v) != x.t {
			continue
		}
		if i%64 == 63 && !x.s.spend() {
			return spent("steps")
		}
		t, deps, why := x.check(v, pending)
		switch {
		case t == yes:
			return found(v)
		case t == unsure && maybe.result != unknown:
			maybe = outcome{result: unknown, value: v, has: true, why: why}
		}
		core |= deps
	}
	if maybe.result == unknown {
		return maybe
	}
	return conflict(core)
}

func (x *search) check(v any, pending []clause) (truth, uint64, cause) {
	out := yes
	var why cause
	for _, list := range [][]lit{x.fin, x.lits} {
		for _, l := range list {
			switch l.eval(v) {
			case no:
				return no, l.deps, why
			case unsure:
				out, why = unsure, l.cause()
			}
		}
	}
	for _, c := range pending {
		switch c.eval(v) {
		case no:
			return no, c.deps, why
		case unsure:
			out = unsure
			if why == (cause{}) {
				why = c.alts[0][0].cause()
			}
		}
	}
	return out, 0, why
}

func (l lit) cause() cause {
	c := cause{keyword: l.n.place.keyword, place: l.n.place}
	if l.n.opaque != nil {
		c.keyword = l.n.opaque.keyword
	}
	return c
}

// theory asks for a model of the bare assertions.
func (x *search) theory() outcome {
	var out outcome
	var blind []lit
	lits := x.lits
	if x.t != tString {
		lits = nil
		for _, l := range x.lits {
			if l.n.kind == kOpaque {
				blind = append(blind, l)
			} else {
				lits = append(lits, l)
			}
		}
	}
	switch x.t {
	case tNumber:
		out = solveNumber(lits)
	case tString:
		out = x.s.solveString(lits)
	case tArray:
		out = x.s.solveArray(lits)
	default:
		out = x.s.solveObject(lits)
	}
	if out.result == sat && len(blind) > 0 {
		out.result, out.why = unknown, blind[0].cause()
	}
	return out
}
