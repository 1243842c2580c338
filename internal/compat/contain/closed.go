package contain

import (
	"slices"
	"strings"
)

// closeWriter keeps the instances whose objects have only declared keys: every
// object must satisfy, on top of its schema, what unevaluatedProperties: false
// would say about all subschemas that apply to it together. Where nothing
// declares a key the object is a free-form map and stays open.
//
// The closing is a second conjunct beside the schema itself, so that it can
// only shrink the writer, whatever oneOf and not are about.
func closeWriter(n *node) *node {
	c := closing{done: map[string]*node{}}
	return placed(and(n, c.part([]*node{n})), n)
}

type closing struct{ done map[string]*node }

// part closes a part of the instance to which all of the schemas apply.
func (c *closing) part(list []*node) *node {
	key := hashesOf(list)
	if n, ok := c.done[key]; ok {
		return n
	}
	ref := &node{kind: kRef, name: "closed " + key}
	seal(ref)
	ref.name = ""
	c.done[key] = ref
	u := uses{open: map[*node]bool{}}
	for _, n := range list {
		u.collect(n, nil)
	}
	body := and(u.closure(), c.members(&u), c.elements(&u))
	ref.kids = []*node{body}
	if body.kind == kTrue {
		c.done[key] = nodeTrue
		return nodeTrue
	}
	return ref
}

func hashesOf(list []*node) string {
	var keys []string
	for _, n := range list {
		keys = append(keys, hashText(n))
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "")
}

// said is what a subschema says of members or elements, if its condition holds.
type said struct {
	when *node // nil: always
	n    *node
}

// uses is what the schemas of one part say about its members and elements, in
// whatever branch they say it.
type uses struct {
	open   map[*node]bool // references being followed
	shares []share
	object []said // kProp, kPat, kAdd
	array  []said // kItem, kRest, kHasMin, kHasMax
	names  []share
}

// maxEnumerated bounds the objects and arrays of an enum that are looked into.
const maxEnumerated = 10

func (u *uses) collect(n *node, when *node) {
	also := func(c *node) *node {
		if when == nil {
			return c
		}
		return and(when, c)
	}
	switch n.kind {
	case kAnd:
		for _, k := range n.kids {
			u.collect(k, when)
		}
	case kRef:
		if !u.open[n] {
			u.open[n] = true
			u.collect(n.kids[0], when)
			delete(u.open, n)
		}
	case kOr, kOneOf:
		for _, k := range n.kids {
			u.collect(k, also(k))
		}
	case kIf:
		u.collect(n.kids[0], also(n.kids[0]))
		u.collect(n.kids[1], also(n.kids[0]))
		u.collect(n.kids[2], also(not(n.kids[0])))
	case kEnum:
		if len(n.kids) > maxEnumerated {
			u.name(share{when: when, all: true})
			return
		}
		for _, k := range n.kids {
			u.collect(k, also(k))
		}
	case kReq:
		u.name(share{when: when, names: []string{n.name}})
	case kProp:
		u.name(share{when: when, names: []string{n.name}})
		u.object = append(u.object, said{when, n})
	case kPat:
		u.name(share{when: when, pats: n.pats})
		u.object = append(u.object, said{when, n})
	case kAdd:
		u.shares = append(u.shares, share{when: when, all: true})
		u.object = append(u.object, said{when, n})
	case kItem, kRest, kHasMin, kHasMax:
		u.array = append(u.array, said{when, n})
	}
}

func (u *uses) name(s share) {
	u.shares = append(u.shares, s)
	u.names = append(u.names, s)
}

// closure forbids the keys that nothing declares, where something declares one.
func (u *uses) closure() *node {
	if len(u.names) == 0 {
		return nodeTrue
	}
	n := restOfObject(u.shares, nodeFalse)
	if n == nil {
		return nodeTrue
	}
	var none []*node // that declares a key applies
	for _, s := range u.names {
		if s.when == nil {
			return n
		}
		none = append(none, not(s.when))
	}
	return or(and(distinctNodes(none)...), n)
}

// members closes the values of the keys.
func (c *closing) members(u *uses) *node {
	var names []string
	var pats []*pattern
	for _, s := range u.object {
		switch s.n.kind {
		case kProp:
			names = append(names, s.n.name)
		case kPat:
			pats = append(pats, s.n.pats[0])
		default:
			names = append(names, s.n.names...)
			pats = append(pats, s.n.pats...)
		}
	}
	slices.Sort(names)
	var parts []*node
	for _, k := range slices.Compact(names) {
		parts = append(parts, c.value(u.object, func(n *node) bool { return n.appliesTo(k) }, node{kind: kProp, name: k}))
	}
	for _, s := range u.object {
		if n := s.n; n.kind == kPat && len(pats) == 1 && !slices.ContainsFunc(names, n.appliesTo) {
			here := func(m *node) bool { return m == n || m.kind == kAdd && len(m.pats) == 0 }
			parts = append(parts, c.value(u.object, here, node{kind: kPat, pats: n.pats}))
		}
	}
	others := *additional(names, pats, nodeTrue)
	parts = append(parts, c.value(u.object, func(n *node) bool { return n.kind == kAdd }, others))
	return and(parts...)
}

// elements closes the items of an array, place by place. What contains says
// applies to every item that satisfies it.
func (c *closing) elements(u *uses) *node {
	last := int64(0)
	list := slices.Clone(u.array)
	for i, s := range list {
		switch s.n.kind {
		case kItem:
			last = max(last, s.n.n+1)
		case kRest:
			last = max(last, s.n.n)
		default:
			kid := seal(&node{kind: kOr, kids: []*node{s.n.kids[0], nodeTrue}})
			list[i].n = seal(&node{kind: kRest, kids: []*node{kid}})
		}
	}
	var parts []*node
	for i := int64(0); i <= last && last <= maxItemsBuilt; i++ {
		here := func(n *node) bool { return n.kind == kItem && n.n == i && i < last || n.kind == kRest && n.n <= i }
		k := kItem
		if i == last {
			k = kRest
		}
		parts = append(parts, c.value(list, here, node{kind: k, n: i}))
	}
	return and(parts...)
}

// maxMoving bounds the conditional schemas of one value whose combinations are
// all told apart. Where there are more, values to which several of them apply
// stay open.
const maxMoving = 3

// value closes one value below, by the schemas that apply to it, under each
// combination of the conditions under which they do.
func (c *closing) value(list []said, applies func(*node) bool, at node) *node {
	fixed, moving := sortOut(list, applies)
	var parts []*node
	if len(moving) > maxMoving {
		for set := -1; set < len(moving); set++ {
			parts = append(parts, c.under(fixed, moving, func(i int) bool { return i == set }, at))
		}
		return and(parts...)
	}
	for set := range 1 << len(moving) {
		parts = append(parts, c.under(fixed, moving, func(i int) bool { return set>>i&1 == 1 }, at))
	}
	return and(parts...)
}

// group is what applies to a value under one condition.
type group struct {
	when *node
	kids []*node
}

// under closes a value where exactly the chosen conditions hold.
func (c *closing) under(fixed []*node, moving []group, chosen func(int) bool, at node) *node {
	kids := slices.Clone(fixed)
	var alts []*node
	for i, m := range moving {
		if chosen(i) {
			kids = append(kids, m.kids...)
			alts = append(alts, not(m.when))
		} else {
			alts = append(alts, m.when)
		}
	}
	if len(kids) == 0 {
		return nodeTrue
	}
	return or(append(alts, wrapped(at, c.part(kids)))...)
}

// sortOut splits the schemas of one value into those that always apply and the
// others, by their conditions. What applies anyway is left out, and a schema
// under two conditions is one under either.
func sortOut(list []said, applies func(*node) bool) (fixed []*node, moving []group) {
	for _, s := range list {
		if s.when == nil && applies(s.n) {
			fixed = append(fixed, s.n.kids[0])
		}
	}
	fixed = distinctNodes(fixed)
	var once []said
	for _, s := range list {
		if s.when == nil || !applies(s.n) {
			continue
		}
		kid := s.n.kids[0]
		if slices.ContainsFunc(fixed, kid.same) {
			continue
		}
		if i := slices.IndexFunc(once, func(o said) bool { return kid.same(o.n) }); i >= 0 {
			once[i].when = or(once[i].when, s.when)
			continue
		}
		once = append(once, said{s.when, kid})
	}
	for _, s := range once {
		if i := slices.IndexFunc(moving, func(m group) bool { return s.when.same(m.when) }); i >= 0 {
			moving[i].kids = append(moving[i].kids, s.n)
			continue
		}
		moving = append(moving, group{s.when, []*node{s.n}})
	}
	return fixed, moving
}

func wrapped(at node, kid *node) *node {
	if kid.kind == kTrue {
		return nodeTrue
	}
	at.kids = []*node{kid}
	return seal(&at)
}
