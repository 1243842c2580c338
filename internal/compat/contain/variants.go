package contain

// maxVariants bounds the pairs of branches of two unions that are compared.
const maxVariants = 400

// inside asks for the assertions inside of a union or a condition of the
// reader, each under the condition that makes it the one that refuses. It
// reports whether it found any.
func (k *asker) inside(n *node, at site) bool {
	before := len(k.found) + k.more
	switch {
	case n.kind == kIf:
		k.visit(n.kids[1], at.unless(not(n.kids[0])))
		k.visit(n.kids[2], at.unless(n.kids[0]))
	case n.kind == kOr && len(n.kids) == 2 && n.kids[0].kind == kNot: // dependentSchemas and its kind
		k.visit(n.kids[1], at.unless(n.kids[0]))
	case n.kind == kOr || n.kind == kOneOf:
		k.variants(n, at)
	}
	return len(k.found)+k.more > before
}

// unless is the same part of the instance, where what is excused holds for
// certain not: an assertion there refuses only what is not excused.
func (at site) unless(excuses ...*node) site {
	outer := at.wrap
	at.wrap = func(n *node) *node { return outer(placed(or(append([]*node{n}, excuses...)...), n)) }
	return at
}

// variants goes through the branches of the writer's union, if it has one here.
// Where a single branch of the reader's fits one of them, that is the branch
// that was meant, and the places inside of it are asked for; otherwise the
// reader's union is what refuses, once for each branch of the writer's.
func (k *asker) variants(n *node, at site) {
	branches := []*node{nodeTrue}
	for _, w := range at.ctx {
		if (w.kind == kOr || w.kind == kOneOf) && len(w.kids) > len(branches) {
			branches = w.kids
		}
	}
	if len(branches) == 1 {
		branches = byType(n.kids)
	}
	if len(branches)*len(n.kids) > maxVariants {
		return
	}
	for _, w := range branches {
		here := at
		if w.kind != kTrue {
			here = at.unless(not(w))
			here.ctx = append(flatten([]*node{w}), at.ctx...)
		}
		meant, fitting := k.meant(n, here.ctx)
		switch {
		case fitting == 1:
			k.visit(meant, here.unless(others(n, meant)...))
		case len(branches) > 1:
			k.union(n, here, w)
		}
	}
}

// byType are the types of branches that differ in type, else everything.
func byType(kids []*node) []*node {
	var seen typ
	var types []*node
	for _, r := range kids {
		if seen&r.may != 0 {
			return []*node{nodeTrue}
		}
		seen |= r.may
		types = append(types, seal(&node{kind: kTypes, types: r.may}))
	}
	return types
}

// meant is the first branch of a union that values of the writer can satisfy,
// and how many there are.
func (k *asker) meant(n *node, ctx []*node) (meant *node, fitting int) {
	var goal []lit
	for _, w := range ctx {
		goal = append(goal, lit{n: w})
	}
	for _, r := range n.kids {
		if k.solver.solve(append(goal[:len(goal):len(goal)], lit{n: r})).result == unsat {
			continue
		}
		if meant == nil {
			meant = r
		}
		fitting++
	}
	return meant, fitting
}

func others(n, meant *node) []*node {
	var list []*node
	for _, r := range n.kids {
		if r != meant {
			list = append(list, r)
		}
	}
	return list
}

// union reports that a union refuses values of one branch of the writer's.
func (k *asker) union(n *node, at site, branch *node) {
	out := k.solver.solve(k.goal(at.wrap(n)))
	if !out.has || out.result == unsat {
		return
	}
	tell := *n
	tell.name = hashText(branch)
	k.report(&tell, at, out)
}
