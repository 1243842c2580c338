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
	uses := uses{seen: map[*node]bool{}}
	for _, n := range list {
		uses.collect(n, nil)
	}
	body := and(uses.closure(), c.members(&uses), c.elements(&uses))
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

// uses is what the schemas of one part say about its members and elements, in
// whatever branch they say it.
type uses struct {
	seen   map[*node]bool
	shares []share
	object []*node // kProp, kPat, kAdd
	array  []*node // kItem, kRest
	named  bool
}

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
		if !u.seen[n] {
			u.seen[n] = true
			u.collect(n.kids[0], when)
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
		if n.values.types&tObject != 0 {
			u.named = true
			u.shares = append(u.shares, share{when: when, all: true})
		}
	case kProp, kReq:
		u.named = true
		u.shares = append(u.shares, share{when: when, names: []string{n.name}})
		if n.kind == kProp {
			u.object = append(u.object, n)
		}
	case kPat:
		u.named = true
		u.shares = append(u.shares, share{when: when, pats: n.pats})
		u.object = append(u.object, n)
	case kAdd:
		u.shares = append(u.shares, share{when: when, all: true})
		u.object = append(u.object, n)
	case kItem, kRest:
		u.array = append(u.array, n)
	}
}

// closure forbids the keys that nothing declares.
func (u *uses) closure() *node {
	if !u.named {
		return nodeTrue
	}
	if n := restOfObject(u.shares, nodeFalse); n != nil {
		return n
	}
	return nodeTrue
}

// members closes the values of the keys.
func (c *closing) members(u *uses) *node {
	var names []string
	var pats []*pattern
	var others []*node
	for _, n := range u.object {
		switch n.kind {
		case kProp:
			names = append(names, n.name)
		case kPat:
			pats = append(pats, n.pats[0])
		default:
			others = append(others, n.kids[0])
			names = append(names, n.names...)
			pats = append(pats, n.pats...)
		}
	}
	slices.Sort(names)
	var parts []*node
	for _, k := range slices.Compact(names) {
		var kids []*node
		for _, n := range u.object {
			if n.appliesTo(k) {
				kids = append(kids, n.kids[0])
			}
		}
		parts = append(parts, wrapped(&node{kind: kProp, name: k}, c.part(kids)))
	}
	for _, n := range u.object {
		if n.kind == kPat && len(pats) == 1 && !slices.ContainsFunc(names, n.appliesTo) {
			parts = append(parts, wrapped(&node{kind: kPat, pats: n.pats}, c.part(append([]*node{n.kids[0]}, others...))))
		}
	}
	if len(others) > 0 {
		if kid := c.part(others); kid.kind != kTrue {
			parts = append(parts, additional(names, pats, kid))
		}
	}
	return and(parts...)
}

// elements closes the items of an array, place by place.
func (c *closing) elements(u *uses) *node {
	last := int64(0)
	for _, n := range u.array {
		if n.kind == kItem {
			last = max(last, n.n+1)
		} else {
			last = max(last, n.n)
		}
	}
	var parts []*node
	for i := int64(0); i <= last && last <= maxItemsBuilt; i++ {
		var kids []*node
		for _, n := range u.array {
			if n.kind == kItem && n.n == i && i < last || n.kind == kRest && n.n <= i {
				kids = append(kids, n.kids[0])
			}
		}
		if len(kids) == 0 {
			continue
		}
		k := kItem
		if i == last {
			k = kRest
		}
		parts = append(parts, wrapped(&node{kind: k, n: i}, c.part(kids)))
	}
	return and(parts...)
}

func wrapped(n, kid *node) *node {
	if kid.kind == kTrue {
		return nodeTrue
	}
	n.kids = []*node{kid}
	return seal(n)
}
