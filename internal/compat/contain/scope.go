package contain

import (
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxScopes bounds the dynamic scopes that are told apart in one schema. In
// what comes after them a reference that depends on the scope is not decided.
const maxScopes = 200

// scope is what a dynamic reference can see of the way from the root: for each
// name of an anchor, what the validator finds, and what the specification names.
// "" stands for $recursiveAnchor. It is immutable.
type scope struct {
	key   string
	lost  bool
	names map[string]seen
}

// seen is what bears one anchor's name in a scope. The validator knows an anchor
// from every schema around it and passes over the reference's first target; the
// specification knows it from its own resource only.
type seen struct {
	first, second []*jsonschema.Schema // by the validator: the outermost, and what is there beside a single first one
	named         string               // by the specification: the place of the outermost
}

// anchored is a dynamic anchor: its name, its place in the document, and the
// resource that it belongs to.
type anchored struct{ name, pointer, resource string }

// note keeps the dynamic anchors of one schema object.
func (d *document) note(m map[string]any, pointer string, resource bool) {
	if resource {
		d.resources = append(d.resources, pointer)
	}
	if a, ok := m["$dynamicAnchor"].(string); ok && d.draft == Draft2020 {
		d.anchors = append(d.anchors, anchored{a, pointer, d.resourceOf(pointer)})
	}
	if m["$recursiveAnchor"] == true && d.draft == Draft2019 && (resource || pointer == "") {
		d.anchors = append(d.anchors, anchored{"", pointer, pointer})
	}
}

// resourceOf is the pointer of the resource around a schema; the innermost is the longest.
func (d *document) resourceOf(pointer string) string {
	longest := ""
	for _, r := range d.resources {
		if within(pointer, r) && len(r) > len(longest) {
			longest = r
		}
	}
	return longest
}

// within says that a pointer leads to what another leads to, or below it.
func within(pointer, root string) bool {
	rest, ok := strings.CutPrefix(pointer, root)
	return ok && (rest == "" || rest[0] == '/')
}

// address is the absolute location of an anchor, as the validator spells it.
func (d *document) address(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		tokens[i] = url.PathEscape(t)
	}
	return d.url + "#" + strings.Join(tokens, "/")
}

// origin is the document and the pointer of a schema; nil for a meta-schema.
func (p *preparer) origin(s *jsonschema.Schema) (*document, string) {
	u, fragment, _ := strings.Cut(s.Location, "#")
	t := p.targets[u]
	if t == nil {
		return nil, ""
	}
	return t.doc, t.pointer + unescapePath(fragment)
}

// spot names a schema in the same way as seen.named does.
func (p *preparer) spot(s *jsonschema.Schema) string {
	if d, pointer := p.origin(s); d != nil {
		return d.url + "#" + pointer
	}
	return s.Location
}

// inside lists the dynamic anchors that the validator knows when it enters s.
func (p *preparer) inside(s *jsonschema.Schema) map[string][]*jsonschema.Schema {
	d, pointer := p.origin(s)
	if d == nil && s.DynamicAnchor != "" {
		return map[string][]*jsonschema.Schema{s.DynamicAnchor: {s}}
	}
	var out map[string][]*jsonschema.Schema
	if s.RecursiveAnchor {
		out = map[string][]*jsonschema.Schema{"": {s}}
	}
	if d == nil {
		return out
	}
	for _, a := range d.anchors {
		if target := p.bearers[d.url+"#"+a.pointer]; a.name != "" && target != nil && within(a.pointer, pointer) {
			if out == nil {
				out = map[string][]*jsonschema.Schema{}
			}
			out[a.name] = append(out[a.name], target)
		}
	}
	return out
}

// named lists the dynamic anchors of the resource that s is in.
func (p *preparer) named(s *jsonschema.Schema) map[string]string {
	out := map[string]string{}
	d, pointer := p.origin(s)
	if d == nil {
		for name, list := range p.inside(s) {
			out[name] = list[0].Location
		}
		return out
	}
	if len(d.anchors) == 0 {
		return nil
	}
	resource := d.resourceOf(pointer)
	for _, a := range d.anchors {
		if a.resource == resource {
			out[a.name] = d.url + "#" + a.pointer
		}
	}
	return out
}

// enter is the scope after a step into s.
func (l *lowering) enter(c *scope, s *jsonschema.Schema) *scope {
	inside, named := l.prep.inside(s), l.prep.named(s)
	if c.lost || len(inside) == 0 && len(named) == 0 {
		return c
	}
	names := make(map[string]seen, len(c.names)+1)
	for name, e := range c.names {
		names[name] = e
	}
	for name, list := range inside {
		e := names[name]
		switch {
		case e.first == nil:
			e.first = list
		case len(e.first) == 1 && e.second == nil && name != "":
			e.second = slices.DeleteFunc(slices.Clone(list), func(o *jsonschema.Schema) bool { return o == e.first[0] })
			if len(e.second) == 0 {
				e.second = nil
			}
		}
		names[name] = e
	}
	for name, place := range named {
		if e := names[name]; e.named == "" {
			e.named = place
			names[name] = e
		}
	}
	return l.intern(names)
}

// branch is the scope in then and else, where the validator forgets the anchors
// that were seen on the way to them.
func (l *lowering) branch(c *scope) *scope {
	if c.lost || len(c.names) == 0 {
		return c
	}
	names := map[string]seen{}
	for name, e := range c.names {
		if name != "" {
			e.first, e.second = nil, nil
		}
		names[name] = e
	}
	return l.intern(names)
}

// intern gives equal scopes one identity.
func (l *lowering) intern(names map[string]seen) *scope {
	var b strings.Builder
	for _, name := range sortedKeys(names) {
		e := names[name]
		b.WriteString("\x00" + name)
		for _, list := range [][]*jsonschema.Schema{e.first, e.second} {
			b.WriteByte('\x01')
			for _, s := range list {
				b.WriteString(s.Location + "\x02")
			}
		}
		b.WriteString(e.named)
	}
	key := b.String()
	if c := l.scopes[key]; c != nil {
		return c
	}
	c := &scope{key: key, names: names}
	if len(l.scopes) >= maxScopes {
		c = &scope{key: "lost", lost: true}
		key = c.key
		if old := l.scopes[key]; old != nil {
			return old
		}
	}
	l.scopes[key] = c
	return c
}

// resolve gives what a dynamic reference with this first target means in a
// scope; nil where the validator has a choice, or the specification another opinion.
func (l *lowering) resolve(c *scope, name string, target *jsonschema.Schema) *jsonschema.Schema {
	if c.lost {
		return nil
	}
	e := c.names[name]
	to := target
	if name == "" {
		if len(e.first) > 0 {
			to = e.first[0]
		}
	} else {
		others := func(list []*jsonschema.Schema) []*jsonschema.Schema {
			return slices.DeleteFunc(slices.Clone(list), func(o *jsonschema.Schema) bool { return o == target })
		}
		list := others(e.first)
		if len(list) == 0 {
			list = others(e.second)
		}
		switch len(list) {
		case 0:
		case 1:
			to = list[0]
		default:
			return nil
		}
	}
	if e.named != "" && l.prep.spot(to) != e.named {
		return nil
	}
	return to
}

// cutLoops makes an unknown of each reference that comes back to itself at one
// value. Without a dynamic reference the validator has refused it already.
func (l *lowering) cutLoops() {
	if len(l.scopes) == 0 {
		return
	}
	for _, k := range l.order {
		if r := l.refs[k]; r != nil && sameValue(r.kids[0], r, map[*node]bool{}) {
			r.kind, r.kids, r.types = kOpaque, nil, tAll
			r.opaque = &opaque{key: "loop" + k.schema.Location + k.scope.key + l.documents(), keyword: "$dynamicRef"}
		}
	}
}

// sameValue says that a node asks another about the value that it judges itself.
func sameValue(n, other *node, been map[*node]bool) bool {
	if n == other {
		return true
	}
	if been[n] {
		return false
	}
	been[n] = true
	switch n.kind {
	case kAnd, kOr, kNot, kOneOf, kIf, kRef:
		return slices.ContainsFunc(n.kids, func(k *node) bool { return sameValue(k, other, been) })
	}
	return false
}
