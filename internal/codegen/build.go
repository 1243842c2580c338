package codegen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// builder makes Go types of the shapes of one event as one reader sees it.
type builder struct {
	names    names  // of the package
	prefix   string // of all that it makes: OrderPaidV1, LoyaltyOrderPaidV1
	event    string // for findings: OrderPaid.v1
	fields   contract.Treatment
	enums    contract.Treatment
	loose    bool     // only the types matter: for reading an identity
	hides    bool     // key fields and event id are not for user code: for a producer
	reserved []string // names that the root's fields may not have
	choice   goTypes

	types      []*typ // structs and enums in the order in which they were met
	byShape    map[*shape]*typ
	around     []*shape             // lists and maps that are being built
	judges     map[judgeKey]string  // functions that judge one shape
	judged     []judgeKey           // in the order in which they were asked for
	evaluators map[evaluator]string // functions that tell what one shape evaluates
	evaluated  []evaluator
	patterns   []pattern
	findings   *findings
}

// goTypes are the types that a workspace chooses.
type goTypes struct {
	optional bool   // event.Optional instead of a pointer
	exact    bool   // json.Number for an integer without bounds
	bytes    bool   // []byte for base64
	unknown  bool   // members without a field are kept
	decimal  string // for numbers: decimal.Decimal; "": json.Number
	path     string // where decimal is imported from
}

// pattern is a regular expression as a variable of the package.
type pattern struct{ name, text string }

func (b *builder) ignoresFields() bool { return b.fields == contract.Ignore }
func (b *builder) ignoresEnums() bool  { return b.enums == contract.Ignore }

// build makes the type of a value. Hint names it if it needs a name.
func (b *builder) build(s *shape, w *want, path contract.Path, hint string) *typ {
	b.checkable(s, path)
	if b.tooLarge(path, s) {
		return &typ{kind: rawKind, shape: s, path: path, hint: hint, want: w}
	}
	settled, null := settle(s)
	if settled != s {
		b.checkable(settled, path)
		hint = b.hint(s, hint)
	}
	settled = settled.merged()
	k := possible(settled)
	t := &typ{shape: settled, null: null || k&nullKind != 0, nulls: !null, doc: settled.doc, path: path, hint: hint, want: w}
	if settled.mixed() && !b.loose {
		t.judge = settled
	}
	switch k &^ nullKind {
	case stringKind:
		b.text(t, w, hint)
	case integerKind:
		b.integer(t, w)
	case integerKind | numberKind:
		b.decimal(t)
	case boolKind:
		t.kind = goBool
	case listKind:
		return b.list(t, w, path, hint)
	case objectKind:
		if len(w.steps) > 0 || !t.shape.choice() && b.variants(t.shape, w) == nil {
			return b.object(t, w, path, hint)
		}
		fallthrough
	default:
		return b.several(t, k&^nullKind, w, path, hint)
	}
	return t
}

// Bounds of what is generated for one event. What stands deeper no scanner reads,
// and what needs more types was not written for people.
const (
	mostDeep  = 512
	mostTypes = 20000
)

// tooLarge complains of a schema that goes beyond them: such that refer to
// themselves in many ways at once need types without end.
func (b *builder) tooLarge(path contract.Path, s *shape) bool {
	switch {
	case len(path) > mostDeep:
		b.findings.impossible(b.event, s.pos, "Break the references that come round to one allOf in different ways.", "the types of the payload would be nested more than %d deep", mostDeep)
	case len(b.types)+len(b.judged) > mostTypes:
		b.findings.impossible(b.event, s.pos, "Split the event, or share definitions in place of ones that differ a little.", "the payload would need more than %d types and functions", mostTypes)
	default:
		return false
	}
	return true
}

// several makes the type of a value that may be of several kinds, or one of
// several objects.
func (b *builder) several(t *typ, k kinds, w *want, path contract.Path, hint string) *typ {
	if known := b.byShape[t.shape]; known != nil && known.kind == unionKind && w.plain() {
		known.alsoAt(path)
		again := *known
		again.null, again.nulls = t.null, t.nulls
		return &again
	}
	switch {
	case b.union(t, k, w, path, hint):
	case k == objectKind:
		return b.object(t, w, path, hint)
	default:
		b.raw(t, path)
	}
	return t
}

// hint prefers the name under which a shared schema is defined.
func (b *builder) hint(s *shape, hint string) string {
	if s.target == nil {
		return hint
	}
	for s.target != nil && s.only(s.target) {
		s = s.target
	}
	name := s.defined()
	if s.at.Pointer == "" { // a file of its own
		name = s.at.File[strings.LastIndexByte(s.at.File, '/')+1:]
		name, _, _ = strings.Cut(name, ".")
	}
	for _, end := range []string{".schema.json", "_schema_json", "-schema-json"} {
		name = strings.TrimSuffix(name, end)
	}
	if strings.HasPrefix(exported(name), b.prefix) {
		return exported(name)
	}
	return b.prefix + exported(name)
}

// pointerEscapes undoes what a JSON Pointer does to names (RFC 6901).
var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// defined is the last name on the way to a shape. Of one that is a path itself, or
// begins with a package as Java has them, it is the last part.
func (s *shape) defined() string {
	name := pointerEscapes.Replace(s.at.Pointer[strings.LastIndexByte(s.at.Pointer, '/')+1:])
	if last := name[strings.LastIndexByte(name, '/')+1:]; last != "" {
		name = last
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; last != "" && 'A' <= last[0] && last[0] <= 'Z' {
		name = last
	}
	return name
}

func (b *builder) raw(t *typ, path contract.Path) {
	t.kind, t.null = rawKind, false
	if t.shape.bare() {
		if t.shape.loose {
			b.findings.untyped(b.event, path, t.shape)
		}
		return
	}
	if !b.loose {
		t.judge = t.shape
	}
	b.findings.untyped(b.event, path, t.shape)
}

// checkable complains of keywords that generated code cannot check.
func (b *builder) checkable(s *shape, path contract.Path) {
	for _, k := range s.unknown {
		b.findings.unchecked(b.event, path, k)
	}
}

func (b *builder) text(t *typ, w *want, hint string) {
	t.kind = goString
	switch {
	case b.loose:
	case w.role&timeRole != 0 && t.shape.format == "date-time", t.shape.assert && t.shape.format == "date-time" && w.role&keyRole == 0:
		t.kind = timeKind
		if t.shape.beside() {
			t.judge = t.shape
		}
	case w.role&^partitionRole != 0: // discardRole: nobody sees its type
	case t.shape.single() && !b.hides: // a reader need not compare it
	case t.shape.enum != nil || t.shape.equal != nil || kindsOf(t.shape.open)&stringKind != 0:
		b.enumeration(t, hint)
	case t.shape.enumerated() != nil:
		e := t.shape.enumerated()
		if !t.null {
			t.judge = nil
			if e.mixed() {
				t.judge = e
			}
		}
		t.shape = e
		b.enumeration(t, hint)
	case w.role == 0 && b.choice.bytes && t.shape.textType() == textTypes["byte"] && t.judge == nil && !t.shape.textual():
		t.kind = bytesKind
		b.findings.encoded(b.event, t.path, t.shape)
	case w.role == 0 && t.shape.textType() != "":
		t.kind, t.name = textKind, t.shape.textType()
	}
}

// enumeration is a string type with constants. The types of one schema are
// shared by all readers of the event.
func (b *builder) enumeration(t *typ, hint string) {
	t.kind = enumKind
	values := t.shape.enum
	switch {
	case t.shape.equal != nil:
		values = []*value{t.shape.equal}
	case values == nil:
		values = t.shape.open
	}
	if known := b.byShape[t.shape.unrelaxed()]; known != nil {
		known.alsoAt(t.path)
		t.name, t.labels = known.name, known.labels
		return
	}
	t.name = b.names.take(hint)
	for _, text := range labelsOf(values) {
		t.labels = append(t.labels, label{b.names.take(t.name + labelName(text)), text, t.shape.valueDocs[text]})
	}
	b.byShape[t.shape.unrelaxed()] = t
	b.types = append(b.types, t)
}

// labelName makes a name of an enum's value; CARD and card give the same.
func labelName(text string) string {
	if text == "" {
		return "Empty"
	}
	if strings.ToUpper(text) == text && len(text) > 3 && !initialisms[text] {
		text = strings.ToLower(text)
	}
	var name strings.Builder
	for _, w := range split(text) {
		name.WriteString(capital(w))
	}
	return name.String()
}

// decimal is json.Number, or the type that the workspace names.
func (b *builder) decimal(t *typ) {
	t.kind, t.name = decimalKind, b.choice.decimal
	if t.name != "" && t.shape.numeric() {
		t.judge = t.shape // of a literal, which the type doesn't keep
	}
}

// integer chooses the smallest type that holds all that the schema allows. One
// without bounds is taken to fit 64 bits, unless the workspace wants it exact.
func (b *builder) integer(t *typ, w *want) {
	t.kind = intKind
	low, high := bound(t.shape.low, t.shape.above), bound(t.shape.high, t.shape.below)
	listed := t.shape.equal != nil || t.shape.enum != nil
	if listed {
		low, high = t.shape.within(low, high)
	}
	bounded := listed || low != "" && high != ""
	switch {
	case !bounded && b.choice.exact && w.role == 0:
		t.kind = wholeKind
	case !beyond(low, minInt64, maxInt64) && !beyond(high, minInt64, maxInt64):
		if !bounded && !b.loose && w.role&versionRole == 0 { // no aggregate has 2^63 versions
			b.findings.unbounded(b.event, t.path, t.shape)
		}
	case low != "" && !beyond(low, "0", maxUint64) && !beyond(high, "0", maxUint64):
		t.kind = uintKind
	default:
		t.kind = wholeKind
	}
	if listed && t.kind == intKind && !t.null && t.judge != nil {
		b.list64(t)
	}
}

// list64 notes the only values of an integer, where nothing else must be judged.
func (b *builder) list64(t *typ) {
	alone := *t.shape
	alone.enum, alone.equal = nil, nil
	values := t.shape.enum
	if t.shape.equal != nil {
		values = []*value{t.shape.equal}
	}
	var list []string
	for _, v := range values {
		n, ok := asInt(v.Text)
		if !ok || v.Kind != source.Number || slices.Contains(list, n) {
			return
		}
		list = append(list, n)
	}
	if !alone.mixed() && (t.shape.enum == nil || t.shape.equal == nil) {
		t.judge, t.listed = nil, list
	}
}

func (b *builder) list(t *typ, w *want, path contract.Path, hint string) *typ {
	if t.shape.places != nil {
		if !b.tuple(t, w, path, hint) {
			b.raw(t, path)
		}
		return t
	}
	if !b.enter(t, path) {
		return t
	}
	defer b.leave()
	step := contract.Step{Kind: contract.ElementStep}
	below := w.at(step)
	items := t.shape.items
	if below == nil {
		below = everything
	}
	if items == nil {
		items = t.shape.unsaid((*shape).hasElements)
	}
	t.kind = sliceKind
	t.elem = b.build(items, below, path.Then(step), singular(hint))
	return t
}

// enter notes that a list or a map is being built. One that holds itself, with no
// type between that has a name, has no Go type.
func (b *builder) enter(t *typ, path contract.Path) bool {
	if slices.Contains(b.around, t.shape) {
		b.raw(t, path)
		return false
	}
	b.around = append(b.around, t.shape)
	return true
}

// declare notes that a type with a name is being built: what is in it may hold a
// list or a map around it. It gives what ends that.
func (b *builder) declare() (end func()) {
	around := b.around
	b.around = nil
	return func() { b.around = around }
}

func (b *builder) leave() { b.around = b.around[:len(b.around)-1] }

func anything(pos source.Pos) *shape {
	return &shape{pos: pos, kinds: allKinds, longest: -1, most: -1, mostOf: -1, fewestIn: 1, mostIn: -1}
}

// object is a struct where members are named, else a map.
func (b *builder) object(t *typ, w *want, path contract.Path, hint string) *typ {
	o := flatten(t.shape)
	switch {
	case len(o.members) == 0 && w.onlyValues():
		return b.mapping(t, o, w, path, hint)
	case w.plain() && b.byShape[t.shape] != nil:
		b.byShape[t.shape].alsoAt(path)
		known := *b.byShape[t.shape]
		known.null, known.nulls = t.null, t.nulls
		return &known
	}
	t.kind = structKind
	if t.unkept = w.role&discardRole != 0; t.unkept {
		hint = lower(hint)
	}
	t.name = b.names.take(hint)
	if w.plain() {
		b.byShape[t.shape] = t
	}
	b.types = append(b.types, t)
	defer b.declare()()
	var p *payload
	if len(path) == 0 && !w.plain() {
		if o, p = o.of(t.shape, w), b.divided(t, w); p != nil {
			o = p.shared
		}
	}
	used := b.members(t, o, w, path)
	if p != nil {
		t.fields = append(t.fields, b.variantField(t, p, w, path, used))
	}
	return t
}

// valueStep is the way to the values of members without a name.
var valueStep = contract.Step{Kind: contract.ValueStep}

func (b *builder) mapping(t *typ, o object, w *want, path contract.Path, hint string) *typ {
	if !b.enter(t, path) {
		return t
	}
	defer b.leave()
	t.kind = mapKind
	elem, named := t.shape.unnamed()
	if elem == nil || named != nil && b.keeps(o.closed) { // a map of them has no place for the others
		elem, named = t.shape.unsaid((*shape).hasValues), nil
	}
	t.named = named
	t.elem = b.build(elem, cmp.Or(w.at(valueStep), everything), path.Then(valueStep), singular(hint))
	if o.closed && !b.loose { // an object that may have no members at all
		t.judge = t.shape
	}
	return t
}
