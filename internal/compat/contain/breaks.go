package contain

import (
	"strconv"
	"strings"
)

// site is a part of the reader together with the way from its root to it.
type site struct {
	wrap func(*node) *node // asserts a node at this place of the instance
	path []string
	ctx  []*node // what the writer asserts of the same part for certain
	open []*node // references being followed
}

// breaks asks for every assertion of the reader on its own whether the writer
// can break it.
func (k *asker) breaks(first outcome) {
	root := site{wrap: func(n *node) *node { return n }, ctx: flatten([]*node{k.writer})}
	k.visit(k.reader, root)
	if len(k.found) == 0 && first.has {
		k.report(k.reader, root, first)
	}
}

// flatten unfolds conjunctions and references.
func flatten(list []*node) []*node {
	var out []*node
	for _, n := range list {
		switch n.kind {
		case kAnd:
			out = append(out, flatten(n.kids)...)
		case kRef:
			if len(n.kids) == 1 && n.kids[0].kind == kAnd {
				out = append(out, n.kids[0].kids...)
			}
		default:
			out = append(out, n)
		}
	}
	return out
}

func (k *asker) visit(n *node, at site) {
	if n.kind == kTrue {
		return
	}
	for _, w := range at.ctx {
		if w.hash == n.hash {
			return
		}
	}
	switch n.kind {
	case kAnd:
		for _, kid := range n.kids {
			k.visit(kid, at)
		}
		return
	case kRef:
		for _, o := range at.open {
			if o == n {
				return
			}
		}
		at.open = append(at.open[:len(at.open):len(at.open)], n)
		k.visit(n.kids[0], at)
		return
	}
	out := k.solver.solve(k.goal(at.wrap(n)))
	if out.result == unsat {
		return
	}
	if below, ok := k.below(n, at); ok {
		before := len(k.found) + k.more
		k.visit(n.kids[0], below)
		if len(k.found)+k.more > before {
			return
		}
	}
	if k.inside(n, at) {
		return
	}
	if out.has {
		k.report(n, at, out)
	} else {
		k.undecided = append(k.undecided, n)
	}
}

// below is the site of the subschema that an applicator applies to a part.
func (k *asker) below(n *node, at site) (site, bool) {
	step := ""
	switch n.kind {
	case kProp:
		step = n.name
	case kPat, kAdd:
		step = "{}"
	case kItem:
		step = "[" + strconv.FormatInt(n.n, 10) + "]"
	case kRest:
		step = "[]"
	default:
		return at, false
	}
	if n.kids[0].kind == kFalse {
		return at, false
	}
	outer := at.wrap
	below := site{path: append(at.path[:len(at.path):len(at.path)], step), open: at.open, ctx: childContext(n, at.ctx)}
	below.wrap = func(inner *node) *node {
		c := *n
		c.kids = []*node{inner}
		return outer(seal(&c))
	}
	return below, true
}

// childContext is what the writer asserts of the part that n looks at.
func childContext(n *node, ctx []*node) []*node {
	var out []*node
	for _, w := range ctx {
		switch {
		case n.kind == kProp && (w.kind == kProp || w.kind == kPat || w.kind == kAdd) && w.appliesTo(n.name),
			n.kind == kItem && (w.kind == kItem && w.n == n.n || w.kind == kRest && w.n <= n.n),
			n.kind == kRest && w.kind == kRest && w.n <= n.n,
			n.kind == kAdd && w.kind == kAdd && sameNames(n, w),
			n.kind == kPat && w.kind == kPat && w.pats[0].text == n.pats[0].text:
			out = append(out, w.kids...)
		}
	}
	return flatten(out)
}

func sameNames(a, b *node) bool {
	return strings.Join(a.names, "\x00") == strings.Join(b.names, "\x00") && len(a.pats) == 0 && len(b.pats) == 0
}

// report verifies a witness and records it as the break of one place.
func (k *asker) report(n *node, at site, out outcome) {
	p := n.place
	spot := refusal{p, n.name}
	if k.places[spot] || !k.verify(out.value) {
		return
	}
	k.places[spot] = true
	if len(k.found) >= k.q.MaxBreaks {
		k.more++
		return
	}
	v, _ := decode(encode(k.dress(out.value, at, p)))
	bad, _ := k.q.Reader.check(v)
	leaf := k.leaf(bad, p)
	r := k.q.Reader.refusal(leaf)
	if n.kind == kHasMin {
		r.Keyword, r.Schema = "contains", k.locate(p)
	}
	b := Break{Witness: encode(v), Instance: r.Instance, Path: extend(at.path, v, r.Instance), Keyword: r.Keyword, Reader: r.Schema, Writer: k.counterpart(n, at)}
	part, ok := digValue(v, r.Instance)
	if !ok { // the validator loses empty keys on the way
		b.Instance, part = "", v
	}
	b.detail(n, part)
	if n.kind == kPattern {
		b.Detail = k.q.Reader.written[n.pats[0].text]
	}
	k.found = append(k.found, b)
}

// counterpart is the writer's keyword of the same kind, or its schema of the part.
func (k *asker) counterpart(n *node, at site) Location {
	var fallback place
	for _, w := range at.ctx {
		if w.place.schema == "" {
			continue
		}
		if w.kind == n.kind && w.name == n.name {
			return k.q.Writer.locate(w.place.schema + "/" + w.place.keyword)
		}
		if fallback.schema == "" {
			fallback = w.place
		}
	}
	if fallback.schema == "" {
		return k.q.Writer.locate(k.q.Writer.compiled.Location)
	}
	return k.q.Writer.locate(fallback.schema)
}

// digValue follows a JSON pointer in an instance.
func digValue(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	return dig(v, pointer)
}

// detail says what is refused, and moves the pointer to the offending member.
func (b *Break) detail(n *node, part any) {
	m, _ := part.(map[string]any)
	switch n.kind {
	case kReq:
		b.Detail = n.name
	case kAdd, kPat, kNames:
		for _, key := range sortedKeys(m) {
			if n.kind == kNames && eval(n.kids[0], key) == no || n.appliesTo(key) && eval(n.kids[0], m[key]) == no {
				b.Detail = key
				b.Instance += "/" + escapeToken(key)
				b.Path = append(b.Path[:len(b.Path):len(b.Path)], key)
				return
			}
		}
	case kLower, kUpper, kMultiple:
		b.Detail = string(numberOf(n.rat))
	case kMinLen, kMaxLen, kMinItems, kMaxItems, kMinProps, kMaxProps, kHasMin, kHasMax:
		b.Detail = strconv.FormatInt(n.n, 10)
	default:
		b.Detail = string(encode(part))
	}
}
