package contain

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

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
			b.add("additionalProperties", beside(names, pats, nodeFalse))
		}
	case *jsonschema.Schema:
		b.add("additionalProperties", beside(names, pats, l.schema(more)))
	}
	if s.PropertyNames != nil {
		b.leaf("propertyNames", node{kind: kNames, kids: []*node{l.schema(s.PropertyNames)}})
	}
	if s.RegexProperties {
		b.add("regexProperties", taint("regexProperties", "regexProperties"))
	}
	b.dependencies()
}

// beside is what additionalProperties says.
func beside(names []string, pats []patternSchema, s *node) *node {
	n := additional(names, texts(pats), s)
	n.excl = true
	return n
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
			b.add("dependencies/"+escapeToken(k), or(not(hasKey(k)), l.inPlace(d)))
		}
	}
	for _, k := range sortedKeys(s.DependentRequired) {
		b.requires("dependentRequired/"+escapeToken(k), k, s.DependentRequired[k])
	}
	for _, k := range sortedKeys(s.DependentSchemas) {
		b.add("dependentSchemas/"+escapeToken(k), or(not(hasKey(k)), l.inPlace(s.DependentSchemas[k])))
	}
}

func (b *builder) requires(keyword, k string, needs []string) {
	var parts []*node
	for _, n := range needs {
		parts = append(parts, seal(&node{kind: kReq, name: n}))
	}
	b.add(keyword, or(not(hasKey(k)), and(parts...)))
}
