package contain

import (
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// lowering turns the validator's resolved graph into nodes.
type lowering struct {
	prep     *preparer
	assert   bool
	done     map[visit]*node
	order    []visit // of done
	open     map[visit]bool
	refs     map[visit]*node
	patterns map[string]*pattern
	identity string // tells documents apart where a recursive reference has no content of its own
	scope    *scope // of the schema that is being lowered
	scopes   map[string]*scope
	chain    []*jsonschema.Schema // the schemas that judge the same value, from the outermost on
	blurred  bool                 // it could not be listed what is evaluated: a dynamic reference was not resolved, or it is too much
	listed   int                  // subschemas that were asked what they evaluate, for one keyword
}

// visit is a schema as it is seen from one dynamic scope.
type visit struct {
	schema *jsonschema.Schema
	scope  *scope
}

func newLowering(p *preparer, assert bool) *lowering {
	return &lowering{prep: p, assert: assert, done: map[visit]*node{}, open: map[visit]bool{}, refs: map[visit]*node{},
		patterns: map[string]*pattern{}, scope: &scope{}, scopes: map[string]*scope{}}
}

// documents is the text of everything loaded, made only when recursion needs it.
func (l *lowering) documents() string {
	if l.identity == "" {
		var b strings.Builder
		for _, u := range sortedKeys(l.prep.docs) {
			b.WriteString(canonical(l.prep.docs[u].root))
			b.WriteByte('\n')
		}
		l.identity = b.String()
	}
	return l.identity
}

// schema lowers what judges another value, inPlace what judges the same one.
func (l *lowering) schema(s *jsonschema.Schema) *node { return l.reach(s, nil) }

func (l *lowering) inPlace(s *jsonschema.Schema) *node { return l.reach(s, l.chain) }

// reach lowers s in the present scope. The chain is the way to it that stays at
// one value: to come back to s on it would never end.
func (l *lowering) reach(s *jsonschema.Schema, chain []*jsonschema.Schema) *node {
	if slices.Contains(chain, s) {
		return at(taint("$dynamicRef", "loop"+s.Location+l.scope.key+l.documents()), s, "$dynamicRef")
	}
	k := visit{s, l.enter(l.scope, s)}
	if n := l.done[k]; n != nil {
		return n
	}
	if l.open[k] {
		r := l.refs[k]
		if r == nil {
			r = &node{kind: kRef, name: l.documents() + s.Location + k.scope.key, place: place{schema: s.Location}}
			seal(r)
			r.name = ""
			l.refs[k] = r
		}
		return r
	}
	l.open[k] = true
	var n *node
	l.at(k, chain, func() { n = l.object(s) })
	delete(l.open, k)
	l.done[k] = n
	l.order = append(l.order, k)
	if r := l.refs[k]; r != nil {
		r.kids = []*node{n}
	}
	return n
}

// at calls f with the lowering as it is inside of a schema.
func (l *lowering) at(k visit, chain []*jsonschema.Schema, f func()) {
	outer, way := l.scope, l.chain
	l.scope, l.chain = k.scope, append(slices.Clip(chain), k.schema)
	f()
	l.scope, l.chain = outer, way
}

// inBranch calls f in the scope of then and else.
func (l *lowering) inBranch(f func()) {
	outer := l.scope
	l.scope = l.branch(outer)
	f()
	l.scope = outer
}

// parts is what was lowered, by location; in several scopes, any of them.
func (l *lowering) parts() map[string]*node {
	parts := make(map[string]*node, len(l.done))
	for _, k := range l.order {
		n := l.done[k]
		if other := parts[k.schema.Location]; other != nil {
			n = or(other, n)
		}
		parts[k.schema.Location] = n
	}
	return parts
}

func (l *lowering) inPlaces(list []*jsonschema.Schema) []*node {
	out := make([]*node, len(list))
	for i, s := range list {
		out[i] = l.inPlace(s)
	}
	return out
}

// object lowers one schema object to the conjunction of its keywords.
func (l *lowering) object(s *jsonschema.Schema) *node {
	if s.Always != nil {
		if *s.Always {
			return nodeTrue
		}
		return at(seal(&node{kind: kFalse}), s, "false")
	}
	b := &builder{l: l, s: s}
	b.general()
	b.numbers()
	b.strings()
	b.arrays()
	b.objects()
	b.references()
	b.logic()
	b.unevaluated()
	return and(b.parts...)
}

// at gives a node its place, on a copy if it is shared.
func at(n *node, s *jsonschema.Schema, keyword string) *node {
	if n.place.schema == "" || n.kind == kFalse {
		c := *n
		c.place = place{schema: s.Location, keyword: keyword}
		return &c
	}
	return n
}

// builder collects the assertions of one schema object.
type builder struct {
	l     *lowering
	s     *jsonschema.Schema
	parts []*node
}

func (b *builder) add(keyword string, n *node) {
	if n.kind == kTrue {
		return
	}
	if n.kind == kRef { // it is one node: its target comes later
		b.parts = append(b.parts, n)
		return
	}
	c := *n
	c.place = place{schema: b.s.Location, keyword: keyword}
	b.parts = append(b.parts, &c)
}

func (b *builder) leaf(keyword string, n node) { b.add(keyword, seal(&n)) }

func (b *builder) general() {
	s := b.s
	if len(s.Types) > 0 {
		b.add("type", typesNode(s.Types))
	}
	if len(s.Constant) > 0 {
		only := b.l.enum([]any{s.Constant[0]})
		only.excl = true
		b.add("const", only)
	}
	if len(s.Enum) > 0 {
		b.add("enum", b.l.enum(s.Enum))
	}
	if m := b.marked(); m != nil {
		if m.emptyEnum {
			b.add("enum", taint("enum", "enum:[]"))
		}
		if m.ecma != nil {
			b.add("pattern", m.ecma.node())
		}
	}
	if b.l.assert {
		b.asserted()
	}
}

func (b *builder) marked() *marked {
	m, _ := b.s.Extensions["evcontract"].(*marked)
	return m
}

func typesNode(names []string) *node {
	var set typ
	integer, number := false, false
	for _, n := range names {
		set |= typeNames[n]
		integer, number = integer || n == "integer", number || n == "number"
	}
	n := seal(&node{kind: kTypes, types: set})
	if integer && !number {
		return and(n, seal(&node{kind: kMultiple, rat: big.NewRat(1, 1)}))
	}
	return n
}

// enum keeps the values, and beside them a structural form of the compound ones.
func (l *lowering) enum(list []any) *node {
	n := &node{kind: kEnum, values: newValueSet(list)}
	for _, v := range n.values.list {
		if typeOf(v)&(tArray|tObject) != 0 {
			n.kids = append(n.kids, equalTo(v))
		}
	}
	return seal(n)
}

// equalTo spells "is equal to this array or object" in assertions.
func equalTo(v any) *node {
	switch v := v.(type) {
	case []any:
		size := int64(len(v))
		parts := []*node{seal(&node{kind: kTypes, types: tArray}), seal(&node{kind: kMinItems, n: size}), seal(&node{kind: kMaxItems, n: size})}
		for i, e := range v {
			parts = append(parts, seal(&node{kind: kItem, n: int64(i), kids: []*node{equalTo(e)}}))
		}
		return and(parts...)
	case map[string]any:
		keys := sortedKeys(v)
		parts := []*node{seal(&node{kind: kTypes, types: tObject}), additional(keys, nil, nodeFalse)}
		for _, k := range keys {
			parts = append(parts, seal(&node{kind: kReq, name: k}), seal(&node{kind: kProp, name: k, kids: []*node{equalTo(v[k])}}))
		}
		return and(parts...)
	}
	return seal(&node{kind: kEnum, values: newValueSet([]any{v})})
}

func (b *builder) references() {
	for _, r := range b.l.references(b.s) {
		if r.to == nil {
			b.add(r.keyword, taint(r.keyword, r.keyword+b.s.Location+b.l.scope.key+b.l.documents()))
			continue
		}
		b.parts = append(b.parts, b.l.inPlace(r.to))
	}
}

// reference is a keyword and the schema that it leads to; nil where that is not decided.
type reference struct {
	keyword string
	to      *jsonschema.Schema
}

// references follows what s refers to, in the present scope.
func (l *lowering) references(s *jsonschema.Schema) (out []reference) {
	if s.Ref != nil {
		out = append(out, reference{"$ref", s.Ref})
	}
	if to := s.RecursiveRef; to != nil {
		if to.RecursiveAnchor {
			to = l.resolve(l.scope, "", to)
		}
		out = append(out, reference{"$recursiveRef", to})
	}
	if to := s.DynamicRef; to != nil {
		name := to.DynamicAnchor // of a meta-schema
		if m, _ := s.Extensions["evcontract"].(*marked); m != nil {
			name = m.anchor()
		}
		if name != "" && to.DynamicAnchor == name {
			to = l.resolve(l.scope, name, to)
		}
		out = append(out, reference{"$dynamicRef", to})
	}
	return out
}

func (b *builder) logic() {
	s, l := b.s, b.l
	if s.Not != nil {
		b.add("not", not(l.inPlace(s.Not)))
	}
	b.parts = append(b.parts, l.inPlaces(s.AllOf)...)
	if len(s.AnyOf) > 0 {
		b.add("anyOf", or(l.inPlaces(s.AnyOf)...))
	}
	if len(s.OneOf) > 0 {
		b.add("oneOf", oneOf(l.inPlaces(s.OneOf)))
	}
	if s.If == nil { // alone it asks for nothing, but a closed writer declares what it names
		return
	}
	kids := []*node{l.inPlace(s.If), nodeTrue, nodeTrue}
	l.inBranch(func() {
		if s.Then != nil {
			kids[1] = l.inPlace(s.Then)
		}
		if s.Else != nil {
			kids[2] = l.inPlace(s.Else)
		}
	})
	b.leaf("if", node{kind: kIf, kids: kids})
}

// oneOf reads as anyOf where the branches differ in type, so that nothing overlaps.
func oneOf(kids []*node) *node {
	var seen typ
	apart := true
	for _, k := range kids {
		apart = apart && seen&k.may == 0
		seen |= k.may
	}
	if apart {
		return or(kids...)
	}
	return seal(&node{kind: kOneOf, kids: kids})
}
