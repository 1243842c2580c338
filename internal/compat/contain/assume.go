package contain

import (
	"encoding/json"
	"math/big"
)

// relaxReader enlarges the reader by the assumptions.
func relaxReader(n *node, a Assumptions) *node {
	if a.Fields != nil {
		n = projection{}.node(n, fieldTree(a.Fields))
	}
	if !a.IgnoreUnknown && !a.IgnoreEnums {
		return n
	}
	r := relaxation{Assumptions: a, done: map[*node]*node{}}
	return r.node(n)
}

// relaxation rewrites positive positions only. What evaluates a key or an item
// for unevaluated… is what the reader takes, on both sides of a case. Marked with
// excl are a const, additionalProperties, and what is made by unevaluated…: the value of a key that it
// refuses, the other side of a case, and a list of what an item may be.
type relaxation struct {
	Assumptions
	done map[*node]*node
}

func (r *relaxation) node(n *node) *node {
	if d, ok := r.done[n]; ok {
		return d
	}
	if n.kind == kRef {
		ref := &node{kind: kRef, name: "relaxed", names: []string{string(n.content(nil)), hashText(n)}, place: n.place}
		seal(ref)
		ref.names, ref.name = nil, ""
		r.done[n] = ref
		ref.kids = []*node{r.node(n.kids[0])}
		return ref
	}
	out := r.rewrite(n)
	r.done[n] = out
	return out
}

func hashText(n *node) string {
	return string(appendHash(nil, n))
}

func appendHash(b []byte, n *node) []byte {
	for _, h := range n.hash {
		for i := range 8 {
			b = append(b, byte(h>>(8*i)))
		}
	}
	return b
}

func (r *relaxation) nodes(list []*node) []*node {
	out := make([]*node, len(list))
	for i, n := range list {
		out[i] = r.node(n)
	}
	return out
}

func (r *relaxation) rewrite(n *node) *node {
	switch n.kind {
	case kAnd:
		return placed(and(r.nodes(n.kids)...), n)
	case kOr, kOneOf:
		if n.excl {
			return placed(or(r.nodes(n.kids)...), n)
		}
		return placed(or(r.union(n.kids)...), n)
	case kIf:
		return r.with(n, n.kids[0], r.node(n.kids[1]), r.node(n.kids[2]))
	case kEnum:
		if r.IgnoreEnums && !n.excl {
			return placed(typesOf(n.values), n)
		}
	case kNot:
		if n.excl {
			return r.with(n, r.node(n.kids[0]))
		}
	case kAdd:
		if r.IgnoreUnknown && n.kids[0].kind == kFalse {
			return nodeTrue
		}
		return r.with(n, r.node(n.kids[0]))
	case kProp:
		if r.IgnoreUnknown && n.excl {
			return nodeTrue
		}
		return r.with(n, r.node(n.kids[0]))
	case kPat, kItem, kRest, kHasMin:
		return r.with(n, r.node(n.kids[0]))
	}
	return n
}

// typesOf takes whatever has the type of one of some values; a number only if it
// is an integer as all of theirs are.
func typesOf(values *valueSet) *node {
	whole := true
	for _, v := range values.list {
		if x, ok := v.(json.Number); ok {
			whole = whole && ratOf(x).IsInt()
		}
	}
	n := seal(&node{kind: kTypes, types: values.types})
	if values.types&tNumber != 0 && whole {
		return and(n, seal(&node{kind: kMultiple, rat: big.NewRat(1, 1)}))
	}
	return n
}

// union relaxes the branches; a union of constants is an enum in other words.
func (r *relaxation) union(kids []*node) []*node {
	if !r.IgnoreEnums || !constants(kids) {
		return r.nodes(kids)
	}
	var t typ
	for _, k := range kids {
		t |= k.may
	}
	return []*node{seal(&node{kind: kTypes, types: t})}
}

// constants reports whether two or more branches are strings, and all others null.
func constants(kids []*node) bool {
	texts := 0
	for _, k := range kids {
		found := false
		for _, p := range flatten([]*node{k}) {
			switch p.kind {
			case kEnum:
				if p.values.types != tString && k.may != tNull {
					return false
				}
				found = true
			case kTypes:
			default:
				return false
			}
		}
		switch {
		case k.may == tNull:
		case !found:
			return false
		default:
			texts++
		}
	}
	return texts > 1
}

func (r *relaxation) with(n *node, kids ...*node) *node {
	same := true
	for i := range kids {
		same = same && kids[i] == n.kids[i]
	}
	if same {
		return n
	}
	c := *n
	c.kids = kids
	return seal(&c)
}

// placed gives a rewritten node the place of the original.
func placed(n, original *node) *node {
	if n == original || n.kind == kTrue || n.place.schema != "" {
		return n
	}
	c := *n
	c.place = original.place
	return &c
}

// tree is a set of field paths; a leaf means everything below.
type tree map[string]tree

func fieldTree(fields [][]string) tree {
	root := tree{}
	for _, f := range fields {
		at := root
		for i, step := range f {
			next, ok := at[step]
			switch {
			case i == len(f)-1:
				at[step] = nil
			case ok && next == nil:
			case !ok:
				next = tree{}
				at[step] = next
			}
			if next == nil {
				break
			}
			at = next
		}
	}
	return root
}

// projection drops what a reader does not look at. Of a value that he reads in
// part he does not say what it must not be: not, if and unevaluated… are left
// out, and no value is compared as a whole. A not of a not is none.
type projection struct{}

func (p projection) node(n *node, t tree) *node {
	if t == nil {
		return n
	}
	if n.place.keyword == "unevaluatedProperties" || n.place.keyword == "unevaluatedItems" {
		return nodeTrue
	}
	sub := func(step string) *node {
		below, ok := t[step]
		if !ok {
			return nodeTrue
		}
		return p.node(n.kids[0], below)
	}
	switch n.kind {
	case kAnd:
		return placed(and(p.nodes(n.kids, t)...), n)
	case kOr, kOneOf:
		if name := dependency(n); name != "" {
			if _, reads := t[name]; !reads {
				return nodeTrue
			}
			return placed(or(n.kids[0], p.node(n.kids[1], t)), n)
		}
		return placed(or(p.nodes(n.kids, t)...), n)
	case kNot:
		if twice := n.kids[0].negated(0); twice != nil {
			return p.node(twice, t)
		}
		return nodeTrue
	case kIf:
		return nodeTrue
	case kEnum:
		return placed(typesOf(n.values), n)
	case kRef:
		return p.node(n.kids[0], t)
	case kReq:
		if _, ok := t[n.name]; !ok {
			return nodeTrue
		}
	case kProp:
		return rewrap(n, sub(n.name))
	case kAdd, kPat:
		if n.kids[0].kind == kFalse && n.excl && len(n.pats) == 0 {
			return n // what nobody named is unknown to who reads a part too
		}
		return p.others(n, t)
	case kRest:
		return rewrap(n, sub("[]"))
	case kItem:
		if _, ok := t["[]"]; ok {
			return rewrap(n, sub("[]"))
		}
		return rewrap(n, sub("["+itoa(n.n)+"]"))
	case kHasMin, kHasMax, kUnique, kMinItems, kMaxItems, kNames, kMinProps, kMaxProps:
		return nodeTrue
	}
	return n
}

// negated is what a node excludes, if it does nothing else: behind a reference,
// or beside what says nothing, not may stand below not.
func (n *node) negated(depth int) *node {
	switch {
	case depth > 64:
	case n.kind == kRef:
		return n.kids[0].negated(depth + 1)
	case n.kind == kNot:
		if twice := n.kids[0].negated(depth + 1); twice != nil {
			return twice.negated(depth + 1)
		}
		return n.kids[0]
	case n.kind == kAnd:
		var only *node
		for _, k := range n.kids {
			if k.touch == 0 {
				continue
			}
			if only != nil {
				return nil
			}
			only = k
		}
		if only != nil {
			return only.negated(depth + 1)
		}
	}
	return nil
}

// dependency is the key beside which dependentSchemas and its kind want something.
func dependency(n *node) string {
	if n.kind != kOr || len(n.kids) != 2 || n.kids[0].kind != kNot {
		return ""
	}
	for _, k := range flatten(n.kids[0].kids) {
		if k.kind == kReq && n.kids[0].same(not(hasKey(k.name))) {
			return k.name
		}
	}
	return ""
}

func (p projection) nodes(list []*node, t tree) []*node {
	out := make([]*node, len(list))
	for i, n := range list {
		out[i] = p.node(n, t)
	}
	return out
}

// others keeps a kAdd or kPat for the named fields that it constrains.
func (p projection) others(n *node, t tree) *node {
	if below, ok := t["{}"]; ok {
		return rewrap(n, p.node(n.kids[0], below))
	}
	var parts []*node
	for _, name := range sortedKeys(t) {
		if name != "" && name[0] != '[' && n.appliesTo(name) {
			parts = append(parts, placed(seal(&node{kind: kProp, name: name, kids: []*node{p.node(n.kids[0], t[name])}}), n))
		}
	}
	return and(parts...)
}

func rewrap(n, kid *node) *node {
	if kid.kind == kTrue {
		return nodeTrue
	}
	c := *n
	c.kids = []*node{kid}
	return seal(&c)
}
