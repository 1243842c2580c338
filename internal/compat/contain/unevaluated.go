package contain

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxShares bounds the conditional patterns that are enumerated by success.
const maxShares = 5

// maxListed bounds the subschemas that are asked what they evaluate, counted as
// often as they are referred to.
const maxListed = 10000

// share is what one subschema evaluates of an instance if its condition holds.
type share struct {
	when  *node // nil: always
	names []string
	pats  []*pattern
	all   bool
	items int
	has   *node // items that satisfy it count as evaluated
}

func (b *builder) unevaluated() {
	if u := b.s.UnevaluatedProperties; u != nil {
		b.rests("unevaluatedProperties", b.l.shares, restOfObject, u)
	}
	if u := b.s.UnevaluatedItems; u != nil {
		b.rests("unevaluatedItems", b.l.itemShares, restOfArray, u)
	}
}

// rests adds what u says of the rest, if it can be listed what is evaluated.
func (b *builder) rests(keyword string, list func(*jsonschema.Schema, *node, bool) []share, rest func([]share, *node) *node, u *jsonschema.Schema) {
	l := b.l
	outer := l.blurred
	l.blurred, l.listed = false, 0
	shares := list(b.s, nil, true)
	var n *node
	if !l.blurred {
		n = rest(shares, l.schema(u))
	}
	l.blurred = outer
	if n == nil {
		n = taint(keyword, keyword+b.s.Location+l.scope.key+l.documents())
	}
	b.add(keyword, n)
}

// eachInPlace calls f for the subschemas that apply to the same instance, with
// the condition under which what they evaluate counts.
func (l *lowering) eachInPlace(s *jsonschema.Schema, when *node, f func(*jsonschema.Schema, *node)) {
	also := func(n *node) *node {
		if when == nil {
			return n
		}
		return and(when, n)
	}
	outside := f
	f = func(sub *jsonschema.Schema, c *node) {
		if l.listed++; l.listed > maxListed || slices.Contains(l.chain, sub) {
			l.blurred = true
			return
		}
		l.at(visit{sub, l.enter(l.scope, sub)}, l.chain, func() { outside(sub, c) })
	}
	for _, r := range l.references(s) {
		if r.to == nil {
			l.blurred = true
			continue
		}
		f(r.to, when)
	}
	for _, r := range s.AllOf {
		f(r, when)
	}
	for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		for _, r := range list {
			f(r, also(l.inPlace(r)))
		}
	}
	if s.If != nil {
		c := asItIs(l.inPlace(s.If))
		f(s.If, also(c))
		l.inBranch(func() {
			if s.Then != nil {
				f(s.Then, also(c))
			}
			if s.Else != nil {
				f(s.Else, also(asItIs(not(c))))
			}
		})
	}
	for _, k := range sortedKeys(s.DependentSchemas) {
		f(s.DependentSchemas[k], also(hasKey(k)))
	}
	for _, k := range sortedKeys(s.Dependencies) {
		if d, ok := s.Dependencies[k].(*jsonschema.Schema); ok {
			f(d, also(hasKey(k)))
		}
	}
}

// shares lists what s evaluates of an object. The root's own unevaluatedProperties does not count.
func (l *lowering) shares(s *jsonschema.Schema, when *node, root bool) []share {
	own := share{when: when, names: sortedKeys(s.Properties), pats: texts(l.patternsOf(s))}
	own.all = s.AdditionalProperties != nil || !root && s.UnevaluatedProperties != nil
	out := []share{own}
	l.eachInPlace(s, when, func(sub *jsonschema.Schema, c *node) {
		out = append(out, l.shares(sub, c, false)...)
	})
	return out
}

func (l *lowering) itemShares(s *jsonschema.Schema, when *node, root bool) []share {
	own := share{when: when, items: len(s.PrefixItems)}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		own.all = true
	case []*jsonschema.Schema:
		own.items = len(items)
		_, schema := s.AdditionalItems.(*jsonschema.Schema)
		own.all = schema || s.AdditionalItems == true
	}
	own.all = own.all || s.Items2020 != nil || !root && s.UnevaluatedItems != nil
	if s.Contains != nil && s.ContainsEval {
		own.has = l.schema(s.Contains)
	}
	out := []share{own}
	l.eachInPlace(s, when, func(sub *jsonschema.Schema, c *node) {
		out = append(out, l.itemShares(sub, c, false)...)
	})
	return out
}

// restOfObject says that every key which no successful share evaluates has a
// value in u; nil if there are too many conditional patterns.
func restOfObject(shares []share, u *node) *node {
	var names []string
	var fixed []*pattern
	var moving []share
	var always []*node // conditions under which everything is evaluated
	for _, s := range shares {
		names = append(names, s.names...)
		switch {
		case s.all && s.when == nil:
			return nodeTrue
		case s.all:
			always = append(always, s.when)
		case s.when == nil:
			fixed = append(fixed, s.pats...)
		case len(s.pats) > 0:
			moving = append(moving, s)
		}
	}
	if len(moving) > maxShares {
		return nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var parts []*node
	for _, k := range names {
		if n := restOfKey(shares, k, u); n != nil {
			parts = append(parts, n)
		}
	}
	for set := 0; set < 1<<len(moving); set++ {
		pats, alts := slices.Clone(fixed), slices.Clone(always)
		for i, m := range moving {
			if set>>i&1 == 1 {
				pats, alts = append(pats, m.pats...), append(alts, unless(m.when))
			} else {
				alts = append(alts, m.when)
			}
		}
		parts = append(parts, or(append(alts, additional(names, pats, u))...))
	}
	return and(parts...)
}

// unless is the other side of a case. A reader that takes more counts more as
// evaluated there too.
func unless(when *node) *node { return seal(&node{kind: kNot, excl: true, kids: []*node{when}}) }

// eitherOf is what an item may be to be evaluated, which is no enum in other words.
func eitherOf(list []*node) *node {
	n := or(list...)
	if n.kind != kOr || len(list) == 1 {
		return n
	}
	c := *n
	c.excl = true
	return seal(&c)
}

// asItIs keeps a condition from being relaxed.
func asItIs(n *node) *node {
	return seal(&node{kind: kNot, kids: []*node{seal(&node{kind: kNot, kids: []*node{n}})}})
}

// restOfKey marks what comes from a bare false, so that a reader that ignores
// unknown fields can be told from one that refuses a named one.
func restOfKey(shares []share, k string, u *node) *node {
	var alts []*node
	for _, s := range shares {
		if !s.all && !slices.Contains(s.names, k) && !matchesAny(s.pats, k) {
			continue
		}
		if s.when == nil {
			return nil
		}
		alts = append(alts, s.when)
	}
	return or(append(alts, seal(&node{kind: kProp, name: k, excl: u.kind == kFalse, kids: []*node{u}}))...)
}

func matchesAny(pats []*pattern, k string) bool {
	for _, p := range pats {
		if p.re.MatchString(k) {
			return true
		}
	}
	return false
}

func restOfArray(shares []share, u *node) *node {
	first, last := 0, 0
	var always, fixed []*node
	var moving []share
	for _, s := range shares {
		last = max(last, s.items)
		switch {
		case s.all && s.when == nil:
			return nodeTrue
		case s.all:
			always = append(always, s.when)
		case s.when == nil:
			first = max(first, s.items)
		}
		if s.has != nil && s.when == nil {
			fixed = append(fixed, s.has)
		} else if s.has != nil {
			moving = append(moving, s)
		}
	}
	if len(moving) > maxShares {
		return nil
	}
	var parts []*node
	for set := 0; set < 1<<len(moving); set++ {
		has, alts := append(slices.Clone(fixed), u), slices.Clone(always)
		for i, m := range moving {
			if set>>i&1 == 1 {
				has, alts = append(has, m.has), append(alts, unless(m.when))
			} else {
				alts = append(alts, m.when)
			}
		}
		parts = append(parts, restOfItems(shares, alts, eitherOf(has), first, last)...)
	}
	return and(parts...)
}

func restOfItems(shares []share, alts []*node, u *node, first, last int) []*node {
	var parts []*node
	for i := first; i < last; i++ {
		here := slices.Clone(alts)
		for _, s := range shares {
			if s.when != nil && s.items > i {
				here = append(here, s.when)
			}
		}
		parts = append(parts, or(append(here, seal(&node{kind: kItem, n: int64(i), kids: []*node{u}}))...))
	}
	return append(parts, or(append(slices.Clone(alts), seal(&node{kind: kRest, n: int64(last), kids: []*node{u}}))...))
}
