package compat

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
)

// protoWalk goes over pairs of messages, the shortest path first, each pair
// once: so each changed place is claimed once, however many paths reach it.
type protoWalk struct {
	as             Assumptions
	wire           wire
	reader, writer *protobuf.Schema
	renamed        map[[2]string]bool // reader's path, writer's path
	between        []Release

	guide     *guide // what is known from other walks; may be nil
	queue     []visit
	seen      map[protoPair]bool
	contained map[protoreflect.MessageDescriptor]bool
	said      map[string]bool // claims about shared enums
	claims    []*claim
	probes    int // of them, those that are to be replayed
	undecided []string
}

// visit is a pair of messages and the way to it.
type visit struct {
	reader, writer protoreflect.MessageDescriptor
	fields         *fieldSet
	path           contract.Path
	old            contract.Path // as the reader's schema names it
	route          []hop
}

type protoPair struct {
	reader, writer protoreflect.MessageDescriptor
	fields         *fieldSet
}

// claim is a break that is still to be proved.
type claim struct {
	Break
	probe              *probe // nil where nothing travels to show
	hidden             bool   // the reader refuses the event before it comes to that
	sees               string // what the reader makes of the event, where values don't tell
	junk               bool   // bytes of one type are read as another's: whether they parse is seen in the replay
	readerAt, writerAt protoreflect.Descriptor
}

// The walk ends where schemas are so unlike that nobody would read on.
const (
	maxPairs  = 50_000
	maxProbes = 1_000
)

func (w *protoWalk) run() {
	w.push(visit{reader: w.reader.Descriptor(), writer: w.writer.Descriptor(), fields: fieldSetOf(w.as.Fields)})
	for len(w.queue) > 0 {
		if len(w.seen) > maxPairs || w.probes > maxProbes {
			w.undecided = append(w.undecided, fmt.Sprintf("more than %d pairs of messages, or %d places where a reader may go wrong: the rest was not looked at", maxPairs, maxProbes))
			return
		}
		v := w.queue[0]
		w.queue = w.queue[1:]
		w.messages(v)
	}
	if w.guide != nil {
		w.guide.settle()
	}
}

// push puts off a pair of messages, unless it is known or needs no look: what
// did not change reads itself.
func (w *protoWalk) push(v visit) {
	if !w.worth(v) {
		return
	}
	if w.guide != nil && !w.guide.leads(w, v) {
		return
	}
	w.enqueue(v)
}

// worth reports whether a pair of messages is to be judged.
func (w *protoWalk) worth(v visit) bool {
	return !endless(v.writer) && (v.reader != v.writer || w.reader.Arm() != w.writer.Arm() || !w.selfContained(v.writer))
}

// enqueue puts off a pair of messages that was not met before.
func (w *protoWalk) enqueue(v visit) {
	key := protoPair{v.reader, v.writer, v.fields}
	if !w.seen[key] {
		w.seen[key] = true
		w.queue = append(w.queue, v)
	}
}

// endless reports whether a message requires one of its own kind: then there is
// none.
func endless(m protoreflect.MessageDescriptor, above ...protoreflect.MessageDescriptor) bool {
	if slices.Contains(above, m) {
		return true
	}
	if len(above) > maxRequired {
		return false
	}
	above = append(above, m)
	required := m.RequiredNumbers()
	for i := range required.Len() {
		f := m.Fields().ByNumber(required.Get(i))
		if f.Message() != nil && endless(f.Message(), above...) {
			return true
		}
	}
	return false
}

// selfContained reports whether all that a message holds is declared where it
// is: it reaches no Any and no extensions, which each side may have of its own.
func (w *protoWalk) selfContained(m protoreflect.MessageDescriptor) bool {
	if known, ok := w.containedIn(m)[m]; ok {
		return known
	}
	reached := map[protoreflect.MessageDescriptor]bool{}
	good := w.closedBelow(m, reached)
	if good {
		for inner := range reached {
			w.containedIn(inner)[inner] = true
		}
	}
	return good
}

// containedIn is where is kept whether a message is self-contained.
func (w *protoWalk) containedIn(m protoreflect.MessageDescriptor) map[protoreflect.MessageDescriptor]bool {
	in := &w.contained
	if w.guide != nil {
		in = &w.guide.groundOf(m).contained
	}
	if *in == nil {
		*in = map[protoreflect.MessageDescriptor]bool{}
	}
	return *in
}

// closedBelow looks at a message and all below it; whatever leads to one that is
// open is open too.
func (w *protoWalk) closedBelow(m protoreflect.MessageDescriptor, reached map[protoreflect.MessageDescriptor]bool) bool {
	known := w.containedIn(m)
	if good, ok := known[m]; ok {
		return good
	}
	if reached[m] {
		return true
	}
	reached[m] = true
	if m.ExtensionRanges().Len() > 0 || m.FullName() == anyName {
		known[m] = false
		return false
	}
	for i := range m.Fields().Len() {
		if inner := m.Fields().Get(i).Message(); inner != nil && !w.closedBelow(inner, reached) {
			known[m] = false
			return false
		}
	}
	return true
}

// once reports whether something is said for the first time in this walk.
func (w *protoWalk) once(what string) bool {
	if w.guide != nil {
		w.guide.heard++
	}
	if w.said[what] {
		return false
	}
	w.said[what] = true
	return true
}

// messages judges a pair of messages, or takes over what is known of it.
func (w *protoWalk) messages(v visit) {
	if w.guide != nil {
		w.guide.messages(w, v)
		return
	}
	w.judge(v)
}

// judge judges a pair of messages, field by field.
func (w *protoWalk) judge(v visit) {
	m := w.match(v)
	for _, p := range m.pairs {
		w.pair(m, p)
	}
	for _, f := range m.strangers {
		w.stranger(m, f)
	}
	w.required(m)
	w.oneofs(m)
	w.doubled(m)
	w.unsent(m)
}

// pair judges two fields that the encoding takes for the same.
func (w *protoWalk) pair(m *matched, p fieldPair) {
	if !everSent(p.writer) || w.overridden(m, p) {
		return
	}
	before := len(w.claims)
	if w.wire == jsonWire {
		w.jsonFields(m, p)
	} else {
		w.binaryFields(m, p)
	}
	if !w.refusedSince(before) { // what it means comes after that it can be read
		w.meaning(m, p)
		w.defaults(m, p)
	}
}

// everSent reports whether a field ever travels: one whose zero is not sent and
// whose enum has nothing but a zero does not.
func everSent(f protoreflect.FieldDescriptor) bool {
	if f.Enum() == nil || f.HasPresence() || f.IsList() {
		return true
	}
	return someValue(f).Enum() != 0
}

// add enters a claim about a field of a visit.
func (w *protoWalk) add(p fieldPair, c claim) {
	if c.Path == nil {
		c.Path = p.path
		if p.value {
			c.Path = p.inside(p.path)
		}
	}
	if c.readerAt == nil && p.reader != nil {
		c.readerAt = p.reader
	}
	if c.writerAt == nil && p.writer != nil {
		c.writerAt = p.writer
	}
	if c.probe != nil {
		w.probes++
	}
	w.claims = append(w.claims, &c)
}

// below goes into a pair of messages that two fields hold. A map that meets a
// list of messages is a list of entries.
func (w *protoWalk) below(p fieldPair, reader, writer protoreflect.MessageDescriptor) {
	step := hop{field: p.writer, entry: p.writer.IsMap() && !p.reader.IsMap(), needs: p.needs}
	w.push(visit{
		reader: reader, writer: writer, fields: p.fields,
		path: p.inside(p.path), old: p.inside(p.old), route: append(p.route[:len(p.route):len(p.route)], step),
	})
}

// fieldSet is what a reader reads, as a tree of names. nil reads everything.
type fieldSet struct{ below map[string]*fieldSet }

func fieldSetOf(paths []contract.Path) *fieldSet {
	if paths == nil {
		return nil
	}
	root := &fieldSet{below: map[string]*fieldSet{}}
	for _, p := range paths {
		root.add(p)
	}
	return root
}

func (s *fieldSet) add(p contract.Path) {
	for len(p) > 0 && p[0].Kind != contract.FieldStep {
		p = p[1:]
	}
	if len(p) == 0 {
		s.below = nil // the whole of it
		return
	}
	next, known := s.below[p[0].Name]
	switch {
	case known && next.below == nil, s.below == nil:
		return
	case !known:
		next = &fieldSet{below: map[string]*fieldSet{}}
		s.below[p[0].Name] = next
	}
	next.add(p[1:])
}

// in reports whether a field is read, and what of it.
func (s *fieldSet) in(f protoreflect.FieldDescriptor) (*fieldSet, bool) {
	if s == nil || s.below == nil {
		return nil, true
	}
	next, ok := s.below[string(f.Name())]
	if ok && next.below == nil {
		next = nil
	}
	return next, ok
}
