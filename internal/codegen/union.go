package codegen

import (
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// variant is one kind that a value of several kinds may have.
type variant struct {
	kind kinds
	name string // of its arm in Go
	json string // of its Kind in package event
	want string
}

var variants = []variant{
	{boolKind, "Bool", "BoolKind", "a boolean"},
	{numberKind, "Number", "NumberKind", "a number"},
	{integerKind, "Integer", "NumberKind", "an integer"},
	{stringKind, "String", "StringKind", "a string"},
	{listKind, "List", "ListKind", "a list"},
	objectVariant,
}

var objectVariant = variant{objectKind, "Object", "ObjectKind", "an object"}

// kindsIn lists the variants of a set. Of number and integer only the wider.
func kindsIn(k kinds) []variant {
	if k&numberKind != 0 {
		k &^= integerKind
	}
	var list []variant
	for _, v := range variants {
		if k&v.kind != 0 {
			list = append(list, v)
		}
	}
	return list
}

// union makes a sealed interface with an arm for each kind that the value may
// have. It is false where the kinds don't tell the alternatives apart.
func (b *builder) union(t *typ, k kinds, w *want, path contract.Path, hint string) bool {
	parts := kindsIn(k)
	if b.loose || len(parts) == 0 || len(parts) == 1 && k != objectKind || len(parts) == len(variants)-1 {
		return false
	}
	defer b.declare()()
	if shared := b.variants(t.shape, w); shared != nil && k == objectKind {
		b.sealed(t, w, hint)
		if t.shape.split().exact && (!t.null || !t.nulls || t.shape.nullInOne()) {
			t.judge = nil // each arm says all
		}
		b.objects(t, shared, names{}, w, path)
		return true
	}
	if t.shape.all != nil || t.shape.target != nil {
		return false
	}
	if t.shape.any != nil && t.shape.one != nil {
		return false
	}
	b.sealed(t, w, hint)
	used := names{}
	for _, v := range parts {
		if v.kind == objectKind && t.shape.choice() {
			b.objects(t, t.shape.objects(), used, w, path)
			continue
		}
		arm, exact := t.shape.arm(v.kind)
		if !exact {
			t.judge = t.shape
		}
		b.variant(t, v, arm, used.take(v.name), w, path)
	}
	return true
}

// sealed makes a union that has no arms yet.
func (b *builder) sealed(t *typ, w *want, hint string) {
	t.kind, t.judge = unionKind, nil
	without := t.shape.withoutUnion()
	if without.mixed() {
		t.judge = t.shape
	}
	if t.null && t.nulls && !t.shape.nullInOne() {
		t.judge = t.shape
	}
	t.name = b.names.take(hint)
	t.read, t.write = b.names.take("read"+t.name), b.names.take("append"+t.name)
	if w.plain() {
		b.byShape[t.shape] = t
	}
	b.types = append(b.types, t)
}

// objects gives a union an arm for each of several objects.
func (b *builder) objects(t *typ, arms []*shape, used names, w *want, path contract.Path) {
	if t.tag = b.tagOf(arms, w); t.tag == nil {
		t.judge = t.shape
	}
	for _, arm := range arms {
		b.variant(t, objectVariant, arm, used.take(armName(arm)), w, path)
	}
}

func (b *builder) variant(t *typ, v variant, arm *shape, name string, w *want, path contract.Path) {
	f := &field{json: v.json, name: name, doc: v.want, path: path}
	f.typ = b.build(arm, w, path, t.name+name)
	f.typ.null = false // the union's nil
	if f.typ.kind != structKind && f.typ.kind != enumKind {
		f.arm = b.names.take(t.name + name)
	}
	t.alters = t.alters || f.typ.alters
	t.fields = append(t.fields, f)
}

// tag is a member that every object of a union has, and whose values tell of
// which of them it is.
type tag struct {
	name   string
	values [][]*value // of each arm
}

// list names the values of a tag: card, or giro or bank.
func (t *tag) list() string {
	var texts []string
	for _, values := range t.values {
		for _, v := range values {
			texts = append(texts, v.Text)
		}
	}
	return strings.TrimPrefix(orList(texts), "want ")
}

// textual reports whether all values of a tag are strings.
func (t *tag) textual() bool {
	for _, values := range t.values {
		if kindsOf(values) != stringKind {
			return false
		}
	}
	return true
}

// tagOf finds the tag of a union's objects, nil where they have none.
func (b *builder) tagOf(arms []*shape, w *want) *tag {
	if !w.plain() || len(arms) == 0 {
		return nil // the tag may be what nobody reads
	}
	objects := make([]object, len(arms))
	for i, arm := range arms {
		settled, _ := resolve(arm)
		objects[i] = flatten(settled)
	}
	for _, m := range objects[0].members {
		found, seen := tag{name: m.name}, map[string]bool{}
		for _, o := range objects {
			if values := b.tagValues(o, m.name); values != nil && !anyOf(values, seen) {
				found.values = append(found.values, values)
			}
		}
		if len(found.values) == len(arms) {
			return &found
		}
	}
	return nil
}

// anyOf reports whether one of some values was seen, and notes them all.
func anyOf(values []*value, seen map[string]bool) bool {
	again := false
	for _, v := range values {
		again = again || seen[canonical(v)]
		seen[canonical(v)] = true
	}
	return again
}

// canonical is the same text for scalars that are equal. Numbers that differ
// behind seventy digits are taken for equal.
func canonical(v *value) string {
	if v.Kind != source.Number {
		return string(v.JSON())
	}
	if f := parseFloat(v.Text); f.Sign() != 0 {
		return f.Text('p', 0)
	}
	return "0"
}

// tagValues are the values of which a required member must be one, nil where
// others are allowed too, or what is no single value.
func (b *builder) tagValues(o object, name string) []*value {
	if !o.needs(name) {
		return nil
	}
	for _, m := range o.members {
		if m.name != name {
			continue
		}
		settled, null := resolve(m.shape)
		values := settled.enum
		if settled.equal != nil {
			values = []*value{settled.equal}
		}
		if null || kindsOf(values)&(listKind|objectKind) != 0 {
			return nil
		}
		var list []*value
		seen := map[string]bool{}
		for _, v := range values {
			if !anyOf([]*value{v}, seen) {
				list = append(list, v)
			}
		}
		return list
	}
	return nil
}

// objects are the alternatives that are objects.
func (s *shape) objects() []*shape {
	var list []*shape
	for _, arm := range append(append([]*shape(nil), s.any...), s.one...) {
		if possible(arm)&objectKind != 0 {
			list = append(list, arm)
		}
	}
	return list
}

// choice reports whether the value may be one of several objects, each of which
// has a type of its own.
func (s *shape) choice() bool {
	if s.objective() || s.target != nil || s.all != nil || s.any != nil && s.one != nil {
		return false
	}
	arms := s.objects()
	for _, arm := range arms {
		settled, null := resolve(arm)
		if null || possible(settled) != objectKind || len(flatten(settled).members) == 0 || settled.choice() {
			return false
		}
	}
	return len(arms) > 1
}

// armName names one of several objects: by where it is defined, else by a
// member that tells it from the others.
func armName(s *shape) string {
	own := s
	if s.made() {
		own = s.all[0]
	}
	if own.target != nil {
		return exported(own.target.defined())
	}
	whole := flatten(s)
	for _, kinds := range [][]source.Kind{{source.String}, {source.Number, source.Bool, source.Null}} {
		for _, part := range append([]*shape{own}, own.all...) {
			if name := part.constantName(whole, kinds...); name != "" {
				return name
			}
		}
	}
	return "Object"
}

// constantName makes a name of the first member that the whole object must have
// and that must be one value of some kinds.
func (s *shape) constantName(whole object, kinds ...source.Kind) string {
	for _, m := range s.members {
		v := m.shape.equal
		if v == nil && len(m.shape.enum) == 1 {
			v = m.shape.enum[0]
		}
		switch {
		case v == nil || !slices.Contains(kinds, v.Kind) || !whole.needs(m.name):
		case v.Kind != source.String:
			return exported(m.name + "_" + strings.Replace(string(v.JSON()), "-", "minus_", 1))
		case v.Text != "":
			return exported(v.Text)
		}
	}
	return ""
}

// withoutUnion is what the shape says beside its alternatives.
func (s *shape) withoutUnion() *shape {
	c := *s
	c.any, c.one = nil, nil
	return &c
}

// arm gives the shape of the values of one kind. It is exact where that shape
// alone decides; else the whole must be judged.
func (s *shape) arm(k kinds) (arm *shape, exact bool) {
	arms := append(append([]*shape(nil), s.any...), s.one...)
	if arms == nil {
		return s.onlyKind(k), true
	}
	var fitting []*shape
	for _, a := range arms {
		if possible(a)&(k|k&numberKind>>1) != 0 { // an integer is a number
			fitting = append(fitting, a)
		}
	}
	if len(fitting) == 1 && len(kindsIn(possible(fitting[0]))) == 1 {
		return fitting[0], !s.limits(k)
	}
	only := anything(s.pos)
	only.kinds = k | k&numberKind>>1
	return only, false
}

// nullInOne reports whether one alternative at most may take null, so that it
// needs no counting.
func (s *shape) nullInOne() bool {
	takers := 0
	for _, arm := range append(s.any[:len(s.any):len(s.any)], s.one...) {
		if possible(arm)&nullKind != 0 && (s.one != nil || !arm.isNull()) {
			takers++
		}
	}
	return takers <= 1
}

// limits reports whether the shape itself limits values of a kind beside what
// its alternatives say.
func (s *shape) limits(k kinds) bool {
	switch k {
	case numberKind, integerKind:
		return s.numeric()
	case stringKind:
		return s.textual()
	case listKind:
		return s.listed()
	case objectKind:
		return s.objective()
	}
	return false
}

// onlyKind is what the shape says of values of one kind, apart from what must be
// judged as a whole.
func (s *shape) onlyKind(k kinds) *shape {
	c := anything(s.pos)
	c.at = s.at
	c.kinds = k | k&numberKind>>1
	switch k {
	case numberKind, integerKind:
		c.low, c.high, c.above, c.below, c.step = s.low, s.high, s.above, s.below, s.step
	case stringKind:
		c.shortest, c.longest, c.pattern, c.format, c.assert, c.encoding = s.shortest, s.longest, s.pattern, s.format, s.assert, s.encoding
	case listKind:
		c.items, c.places, c.contains, c.fewest, c.most, c.unique = s.items, s.places, s.contains, s.fewest, s.most, s.unique
		c.fewestIn, c.mostIn = s.fewestIn, s.mostIn
	case objectKind:
		c.members, c.required, c.patterns, c.extra, c.names = s.members, s.required, s.patterns, s.extra, s.names
		c.fewestOf, c.mostOf, c.needs = s.fewestOf, s.mostOf, s.needs
	}
	return c
}
