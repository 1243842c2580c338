package contain

import "slices"

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

// stands gives a budget that was used up the place of what used it up: of the
// assertions at hand a pattern, else the first that says more than a type.
func (o *outcome) stands(lits []lit) {
	if o.result != unknown || o.why.budget == "" || o.why.place.schema != "" {
		return
	}
	for _, l := range lits {
		if p := l.n.place; p.schema != "" && l.n.kind != kTypes && (o.why.place.schema == "" || l.n.kind == kPattern) {
			o.why.place = p
		}
	}
}

// theory asks for a model of the bare assertions. What no theory knows is
// evaluated on the model afterwards.
func (x *search) theory() outcome {
	var lits, blind []lit
	for _, l := range x.lits {
		if l.n.kind == kOneOf || l.n.kind == kOpaque && (x.t != tString || l.n.opaque.holds == nil) {
			blind = append(blind, l)
		} else {
			lits = append(lits, l)
		}
	}
	x.s.charge(len(lits))
	var out outcome
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
	out.stands(lits)
	for _, l := range blind {
		if out.result == sat && l.eval(out.value) != yes {
			out.result, out.why = unknown, l.cause()
		}
	}
	return out
}
