package contain

import (
	"math/big"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// lowering turns the validator's resolved graph into nodes.
type lowering struct {
	prep     *preparer
	assert   bool
	done     map[*jsonschema.Schema]*node
	open     map[*jsonschema.Schema]bool
	refs     map[*jsonschema.Schema]*node
	patterns map[string]*pattern
	identity string // tells documents apart where a recursive reference has no content of its own
}

func newLowering(p *preparer, assert bool) *lowering {
	l := &lowering{prep: p, assert: assert, done: map[*jsonschema.Schema]*node{}, open: map[*jsonschema.Schema]bool{},
		refs: map[*jsonschema.Schema]*node{}, patterns: map[string]*pattern{}}
	return l
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

func (l *lowering) schema(s *jsonschema.Schema) *node {
	if n := l.done[s]; n != nil {
		return n
	}
	if l.open[s] {
		r := l.refs[s]
		if r == nil {
			r = &node{kind: kRef, name: l.documents() + s.Location, place: place{schema: s.Location}}
			seal(r)
			r.name = ""
			l.refs[s] = r
		}
		return r
	}
	l.open[s] = true
	n := l.object(s)
	delete(l.open, s)
	l.done[s] = n
	if r := l.refs[s]; r != nil {
		r.kids = []*node{n}
	}
	return n
}

// parts is what was lowered, by location.
func (l *lowering) parts() map[string]*node {
	parts := make(map[string]*node, len(l.done))
	for s, n := range l.done {
		parts[s.Location] = n
	}
	return parts
}

func (l *lowering) schemas(list []*jsonschema.Schema) []*node {
	out := make([]*node, len(list))
	for i, s := range list {
		out[i] = l.schema(s)
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
		b.add("const", b.l.enum([]any{s.Constant[0]}))
	}
	if len(s.Enum) > 0 {
		b.add("enum", b.l.enum(s.Enum))
	}
	if m := b.marked(); m != nil {
		if m.emptyEnum {
			b.add("enum", taint("enum", "enum:[]"))
		}
		if m.ecma != nil {
			b.add("pattern", seal(&node{kind: kOpaque, types: tString, opaque: &opaque{key: "ecma:" + m.ecma.text, keyword: "pattern", holds: m.ecma.match}}))
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
	s, l := b.s, b.l
	if s.Ref != nil {
		b.parts = append(b.parts, l.schema(s.Ref))
	}
	if s.RecursiveRef != nil {
		b.dynamic("$recursiveRef", "", s.RecursiveRef, s.RecursiveRef.RecursiveAnchor)
	}
	if s.DynamicRef != nil {
		name := ""
		if m := b.marked(); m != nil {
			if u, err := url.Parse(m.dynamic); err == nil {
				name = u.Fragment
			}
		}
		b.dynamic("$dynamicRef", name, s.DynamicRef, name != "" && s.DynamicRef.DynamicAnchor == name)
	}
}

// dynamic resolves a dynamic reference where only one anchor can be meant.
func (b *builder) dynamic(keyword, anchor string, target *jsonschema.Schema, moves bool) {
	n := 0
	for _, d := range b.l.prep.docs {
		n += d.dynamic[anchor]
	}
	if moves && n > 1 {
		b.add(keyword, taint(keyword, keyword+b.s.Location+b.l.documents()))
		return
	}
	b.parts = append(b.parts, b.l.schema(target))
}

func (b *builder) logic() {
	s, l := b.s, b.l
	if s.Not != nil {
		b.add("not", not(l.schema(s.Not)))
	}
	b.parts = append(b.parts, l.schemas(s.AllOf)...)
	if len(s.AnyOf) > 0 {
		b.add("anyOf", or(l.schemas(s.AnyOf)...))
	}
	if len(s.OneOf) > 0 {
		b.add("oneOf", oneOf(l.schemas(s.OneOf)))
	}
	if s.If == nil || s.Then == nil && s.Else == nil {
		return
	}
	kids := []*node{l.schema(s.If), nodeTrue, nodeTrue}
	if s.Then != nil {
		kids[1] = l.schema(s.Then)
	}
	if s.Else != nil {
		kids[2] = l.schema(s.Else)
	}
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
