package contain

import (
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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

func taint(keyword, key string) *node {
	return seal(&node{kind: kOpaque, types: tAll, opaque: &opaque{key: key, keyword: keyword}})
}

func (b *builder) asserted() {
	s := b.s
	if f := jsonschema.Formats[s.Format]; f != nil {
		b.add("format", seal(&node{kind: kOpaque, types: tString, opaque: &opaque{key: "format:" + s.Format, keyword: "format",
			holds: func(v string) bool { return f(v) }, samples: formatSamples[s.Format]}}))
	}
	if s.ContentEncoding != "" || s.ContentMediaType != "" {
		b.add("contentEncoding", taint("contentEncoding", "content:"+s.ContentEncoding+" "+s.ContentMediaType+" "+s.Location))
	}
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

func (b *builder) numbers() {
	s := b.s
	for _, k := range []struct {
		keyword string
		kind    kind
		excl    bool
		rat     *big.Rat
	}{
		{"minimum", kLower, false, s.Minimum}, {"exclusiveMinimum", kLower, true, s.ExclusiveMinimum},
		{"maximum", kUpper, false, s.Maximum}, {"exclusiveMaximum", kUpper, true, s.ExclusiveMaximum},
		{"multipleOf", kMultiple, false, s.MultipleOf},
	} {
		if k.rat != nil {
			b.leaf(k.keyword, node{kind: k.kind, excl: k.excl, rat: k.rat})
		}
	}
}

func (b *builder) count(keyword string, k kind, n int) {
	if n > 0 || n == 0 && (k == kMaxLen || k == kMaxItems || k == kMaxProps) {
		b.leaf(keyword, node{kind: k, n: int64(n)})
	}
}

func (b *builder) strings() {
	b.count("minLength", kMinLen, b.s.MinLength)
	b.count("maxLength", kMaxLen, b.s.MaxLength)
	if b.s.Pattern != nil {
		b.leaf("pattern", node{kind: kPattern, pats: []*pattern{b.l.pattern(b.s.Pattern)}})
	}
}

func (l *lowering) pattern(re *regexp.Regexp) *pattern {
	text := re.String()
	p := l.patterns[text]
	if p == nil {
		p = &pattern{text, re}
		l.patterns[text] = p
	}
	return p
}

func (b *builder) arrays() {
	s, l := b.s, b.l
	b.count("minItems", kMinItems, s.MinItems)
	b.count("maxItems", kMaxItems, s.MaxItems)
	if s.UniqueItems {
		b.leaf("uniqueItems", node{kind: kUnique})
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		b.rest("items", 0, l.schema(items))
	case []*jsonschema.Schema:
		b.tuple("items", items)
		switch more := s.AdditionalItems.(type) {
		case *jsonschema.Schema:
			b.rest("additionalItems", len(items), l.schema(more))
		case bool:
			if !more {
				b.rest("additionalItems", len(items), nodeFalse)
			}
		}
	}
	b.tuple("prefixItems", s.PrefixItems)
	if s.Items2020 != nil {
		b.rest("items", len(s.PrefixItems), l.schema(s.Items2020))
	}
	if s.Contains != nil {
		b.contains()
	}
}

func (b *builder) tuple(keyword string, items []*jsonschema.Schema) {
	for i, s := range items {
		b.leaf(keyword+"/"+strconv.Itoa(i), node{kind: kItem, n: int64(i), kids: []*node{b.l.schema(s)}})
	}
}

func (b *builder) rest(keyword string, from int, n *node) {
	b.leaf(keyword, node{kind: kRest, n: int64(from), kids: []*node{n}})
}

func (b *builder) contains() {
	kid := b.l.schema(b.s.Contains)
	low := b.s.MinContains
	if b.s.Draft == nil || !counts(b.s.Draft) {
		low = 1
	}
	if low > 0 {
		b.leaf("contains", node{kind: kHasMin, n: int64(low), kids: []*node{kid}})
	}
	if b.s.MaxContains >= 0 {
		b.leaf("maxContains", node{kind: kHasMax, n: int64(b.s.MaxContains), kids: []*node{kid}})
	}
}

func counts(d *jsonschema.Draft) bool { return d == jsonschema.Draft2019 || d == jsonschema.Draft2020 }

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

func (b *builder) objects() {
	s, l := b.s, b.l
	b.count("minProperties", kMinProps, s.MinProperties)
	b.count("maxProperties", kMaxProps, s.MaxProperties)
	for _, k := range s.Required {
		b.leaf("required", node{kind: kReq, name: k})
	}
	names := sortedKeys(s.Properties)
	for _, k := range names {
		b.leaf("properties/"+escapeToken(k), node{kind: kProp, name: k, kids: []*node{l.schema(s.Properties[k])}})
	}
	pats := l.patternsOf(s)
	for _, p := range pats {
		b.leaf("patternProperties/"+escapeToken(p.text), node{kind: kPat, pats: []*pattern{p.pattern}, kids: []*node{l.schema(p.schema)}})
	}
	switch more := s.AdditionalProperties.(type) {
	case bool:
		if !more {
			b.add("additionalProperties", additional(names, texts(pats), nodeFalse))
		}
	case *jsonschema.Schema:
		b.add("additionalProperties", additional(names, texts(pats), l.schema(more)))
	}
	if s.PropertyNames != nil {
		b.leaf("propertyNames", node{kind: kNames, kids: []*node{l.schema(s.PropertyNames)}})
	}
	if s.RegexProperties {
		b.add("regexProperties", taint("regexProperties", "regexProperties"))
	}
	b.dependencies()
}

type patternSchema struct {
	*pattern
	schema *jsonschema.Schema
}

func (l *lowering) patternsOf(s *jsonschema.Schema) []patternSchema {
	var out []patternSchema
	for re, sub := range s.PatternProperties {
		out = append(out, patternSchema{l.pattern(re), sub})
	}
	slices.SortFunc(out, func(a, b patternSchema) int { return cmpString(a.text, b.text) })
	return out
}

func texts(list []patternSchema) []*pattern {
	var out []*pattern
	for _, p := range list {
		out = append(out, p.pattern)
	}
	return out
}

func (b *builder) dependencies() {
	s, l := b.s, b.l
	for _, k := range sortedKeys(s.Dependencies) {
		switch d := s.Dependencies[k].(type) {
		case []string:
			b.requires("dependencies/"+escapeToken(k), k, d)
		case *jsonschema.Schema:
			b.add("dependencies/"+escapeToken(k), or(not(hasKey(k)), l.schema(d)))
		}
	}
	for _, k := range sortedKeys(s.DependentRequired) {
		b.requires("dependentRequired/"+escapeToken(k), k, s.DependentRequired[k])
	}
	for _, k := range sortedKeys(s.DependentSchemas) {
		b.add("dependentSchemas/"+escapeToken(k), or(not(hasKey(k)), l.schema(s.DependentSchemas[k])))
	}
}

func (b *builder) requires(keyword, k string, needs []string) {
	var parts []*node
	for _, n := range needs {
		parts = append(parts, seal(&node{kind: kReq, name: n}))
	}
	b.add(keyword, or(not(hasKey(k)), and(parts...)))
}

var formatSamples = map[string][]string{
	"date":      {"2024-02-29", "2023-01-31"},
	"time":      {"10:20:30Z", "10:20:30.5+02:00"},
	"date-time": {"2024-02-29T10:20:30Z", "2024-02-29T10:20:30.123+02:00"},
	"duration":  {"P1D", "PT5M"},
	"email":     {"a@example.com"}, "idn-email": {"a@example.com", "ä@example.com"},
	"hostname": {"example.com", "a"}, "idn-hostname": {"example.com"},
	"ipv4": {"192.0.2.1"}, "ipv6": {"2001:db8::1", "::"},
	"uri": {"https://example.com/a", "urn:a"}, "uri-reference": {"/a", "", "https://example.com/a"}, "uriref": {"/a"},
	"iri": {"https://example.com/ä"}, "iri-reference": {"/ä"}, "uri-template": {"/{a}"},
	"uuid":         {"123e4567-e89b-12d3-a456-426614174000"},
	"json-pointer": {"", "/a"}, "relative-json-pointer": {"0", "1/a"}, "regex": {"a", ""},
}
