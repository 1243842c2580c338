package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// meaning judges whether two fields that read well also mean the same.
//
// In binary the number travels and the name does not. A number that only has
// another name is a rename: a warning. It is an error where one of the names
// stands at another number on the other side (the fields were exchanged, or the
// number was reused), or where one side reserves the other's name (the field
// was removed, not renamed). In JSON the name travels: it is an error where it
// comes back under another number as another type. `renamed` in the event's
// manifest decides.
func (w *protoWalk) meaning(m *matched, p fieldPair) {
	if p.reader.IsExtension() != p.writer.IsExtension() || m.reader.IsMapEntry() || m.writer.IsMapEntry() {
		return
	}
	old, now := p.reader.Name(), p.writer.Name()
	if len(w.renamed) > 0 && w.renamed[[2]string{p.old.String(), p.path.String()}] {
		return
	}
	if w.wire == jsonWire {
		w.jsonMeaning(p)
		return
	}
	if old == now {
		return
	}
	if p.writer.IsExtension() {
		w.renamedOnly(p)
		return
	}
	if ring := m.ring(p); ring != nil {
		w.exchanged(m, p, ring)
		return
	}
	b := Break{Rule: "meaning-changed", Severity: rule.Error}
	switch {
	case moved(m.reader, now, p.reader.Number()):
		b.Message = fmt.Sprintf("number %d carries %s, which the reader knows as number %d: it takes %s for %s",
			p.writer.Number(), now, m.reader.Fields().ByName(now).Number(), now, old)
	case moved(m.writer, old, p.writer.Number()):
		b.Message = fmt.Sprintf("number %d was reused: %s moved to number %d, and the reader takes %s for %s",
			p.writer.Number(), old, m.writer.Fields().ByName(old).Number(), now, old)
	case m.writer.ReservedNames().Has(old), m.reader.ReservedNames().Has(now):
		b.Message = fmt.Sprintf("number %d was reused: %s and %s are two fields, as the reserved name says, and the reader takes %s for %s", p.writer.Number(), old, now, now, old)
	default:
		if gone := w.goneIn(p, p.writer.Number()); gone != "" {
			b.Message = fmt.Sprintf("number %d is %s for the writer and %s for the reader, and in %s, which came between them, it is nothing: it was used again for another field",
				p.writer.Number(), now, old, gone)
			break
		}
		w.renamedOnly(p)
		return
	}
	w.add(p, claim{Break: b, probe: p.probe(anyValues(p.writer))})
}

// renamedOnly warns of a number that only has another name.
func (w *protoWalk) renamedOnly(p fieldPair) {
	w.add(p, claim{probe: p.probe(anyValues(p.writer)), Break: Break{
		Rule: "meaning-changed", Severity: rule.Warning,
		Message: fmt.Sprintf("number %d is %s for the writer and %s for the reader: if that is only a new name, say so with renamed", p.writer.Number(), p.writer.Name(), p.reader.Name()),
		Fix:     fmt.Sprintf("If it is the same field, add renamed: {NEW: OLD} to the newer manifest, where the newer of %s and %s stands first; if not, give the new field a new number.", p.path, p.old),
	}})
}

// ring lists the fields that have exchanged their numbers with this one, by
// number, each as the reader and the writer know it; nil where they have not.
func (m *matched) ring(p fieldPair) []fieldPair {
	ring := []fieldPair{p}
	for next := p; len(ring) <= len(m.pairs); ring = append(ring, next) {
		i := slices.IndexFunc(m.pairs, func(o fieldPair) bool { return o.reader.Name() == next.writer.Name() && !o.reader.IsExtension() })
		if i < 0 {
			return nil
		}
		if next = m.pairs[i]; next.reader == p.reader {
			slices.SortFunc(ring, func(a, b fieldPair) int { return int(a.reader.Number()) - int(b.reader.Number()) })
			return ring
		}
	}
	return nil
}

// exchanged claims once that fields have exchanged their numbers, and the same
// of both directions.
func (w *protoWalk) exchanged(m *matched, p fieldPair, ring []fieldPair) {
	var names, numbers []string
	for _, f := range ring {
		names = append(names, string(f.reader.Name()))
		numbers = append(numbers, strconv.Itoa(int(f.reader.Number())))
	}
	slices.Sort(names)
	key := "ring " + string(m.reader.FullName()) + " " + string(m.writer.FullName()) + " " + names[0]
	if !w.once(key) {
		return
	}
	w.add(p, claim{probe: p.probe(anyValues(p.writer)), Break: Break{
		Rule: "meaning-changed", Severity: rule.Error, Path: m.path.Field(names[0]), Mirrored: true,
		Message: fmt.Sprintf("%s have exchanged their numbers %s: each is taken for another", inWords(names), inWords(numbers)),
	}})
}

// inWords joins at least two words: a, b and c.
func inWords(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// moved reports whether a message has a field of this name under another number.
func moved(m protoreflect.MessageDescriptor, name protoreflect.Name, number protoreflect.FieldNumber) bool {
	f := m.Fields().ByName(name)
	return f != nil && f.Number() != number
}

// jsonMeaning finds a name that came back as another field.
func (w *protoWalk) jsonMeaning(p fieldPair) {
	f, r := p.writer, p.reader
	if f.Number() == r.Number() || renumbered(f, r) {
		return
	}
	w.add(p, claim{probe: p.probe(anyValues(f)), Break: Break{
		Rule: "meaning-changed", Severity: rule.Error,
		Message: fmt.Sprintf("the name %q came back as another field: the writer sends number %d, %s, and the reader takes it for number %d, %s",
			jsonKey(f), f.Number(), typeName(f), r.Number(), typeName(r)),
	}})
}

// comeBack finds what the reader reserves and the writer uses for a field that
// never had it: a number where numbers travel, a name where names do. Only where
// the reader reserves a name for each number are the fields known that were.
func (w *protoWalk) comeBack(m *matched, p fieldPair) {
	ranges, names := m.reader.ReservedRanges(), m.reader.ReservedNames()
	if reservedCount(ranges) != names.Len() || w.renamedTo(p.path) {
		return
	}
	message := ""
	switch f := p.writer; {
	case w.wire != jsonWire && ranges.Has(f.Number()) && !names.Has(f.Name()):
		message = fmt.Sprintf("number %d is reserved by the reader and comes back as %s: readers older still take it for what the number was", f.Number(), f.Name())
	case w.wire == jsonWire && !ranges.Has(f.Number()) && reservedKey(names, f):
		message = fmt.Sprintf("the name %q is reserved by the reader and comes back as number %d: readers older still take it for what the name was", jsonKey(f), f.Number())
	default:
		return
	}
	w.add(p, claim{
		readerAt: m.reader, probe: p.probe(anyValues(p.writer)),
		Break: Break{Rule: "meaning-changed", Severity: rule.Error, Message: message},
	})
}

// reservedKey reports whether a field is sent under a name that is reserved.
func reservedKey(names protoreflect.Names, f protoreflect.FieldDescriptor) bool {
	for i := range names.Len() {
		if key := jsonKey(f); key == string(names.Get(i)) || key == jsonName(names.Get(i)) {
			return true
		}
	}
	return false
}

// jsonName is the JSON name of a field that says none.
func jsonName(name protoreflect.Name) string {
	var b strings.Builder
	upper := false
	for _, c := range string(name) {
		switch {
		case c == '_':
			upper = true
			continue
		case upper:
			c = unicode.ToUpper(c)
		}
		upper = false
		b.WriteRune(c)
	}
	return b.String()
}

func (w *protoWalk) renamedTo(path contract.Path) bool {
	for names := range w.renamed {
		if names[1] == path.String() {
			return true
		}
	}
	return false
}

func reservedCount(ranges protoreflect.FieldRanges) int {
	n := 0
	for i := range ranges.Len() {
		r := ranges.Get(i)
		n += int(r[1] - r[0])
	}
	return n
}

// enumMeaning finds numbers that have other names for the reader, once for two
// enums.
func (w *protoWalk) enumMeaning(p fieldPair) {
	reader, writer := p.read.Enum(), p.sent.Enum()
	worst, shown, again := rule.Info, protoreflect.EnumValueDescriptor(nil), ""
	renamed := p.sentValues(func(v protoreflect.EnumValueDescriptor) bool { return otherName(reader, v) })
	for _, v := range renamed {
		severity := rule.Warning
		if gone := w.valueGoneIn(p, v.Number()); gone != "" {
			worst, shown, again = rule.Error, v, gone
			break
		}
		if swapped(reader, writer, v) || len(renamed) > 1 && !sameBarePrefix(reader, writer, renamed) {
			severity = rule.Error
		}
		if severity > worst {
			worst, shown = severity, v
		}
	}
	if shown == nil || !w.first(p, "meaning-changed") {
		return
	}
	was := reader.Values().ByNumber(shown.Number())
	message := fmt.Sprintf("%d is %s for the writer and %s for the reader: it takes one for the other", shown.Number(), shown.Name(), was.Name())
	if worst == rule.Warning {
		message = fmt.Sprintf("%d is %s for the writer and %s for the reader: only the name seems to be new", shown.Number(), shown.Name(), was.Name())
	}
	if again != "" {
		message = fmt.Sprintf("%d is %s for the writer and %s for the reader, and in %s, which came between them, it is nothing: it was used again for another value",
			shown.Number(), shown.Name(), was.Name(), again)
	}
	w.add(p, claim{
		probe: p.probe(p.set(protoreflect.ValueOfEnum(shown.Number()))), readerAt: was, writerAt: shown,
		Break: Break{Rule: "meaning-changed", Severity: worst, Path: p.valuePath(), Message: message},
	})
}

// otherName reports whether a number has names on both sides and none in common.
func otherName(reader protoreflect.EnumDescriptor, v protoreflect.EnumValueDescriptor) bool {
	if reader.Values().ByNumber(v.Number()) == nil {
		return false
	}
	writer := v.Parent().(protoreflect.EnumDescriptor)
	for i := range writer.Values().Len() {
		alias := writer.Values().Get(i)
		if alias.Number() != v.Number() {
			continue
		}
		if same := reader.Values().ByName(alias.Name()); same != nil && same.Number() == v.Number() {
			return false
		}
	}
	return true
}

// swapped reports whether a value's name has another number for the reader,
// or the reader's name another number for the writer, or is reserved there.
func swapped(reader, writer protoreflect.EnumDescriptor, v protoreflect.EnumValueDescriptor) bool {
	was := reader.Values().ByNumber(v.Number())
	return reader.Values().ByName(v.Name()) != nil || writer.Values().ByName(was.Name()) != nil ||
		reader.ReservedNames().Has(v.Name()) || writer.ReservedNames().Has(was.Name())
}

// sameBarePrefix reports whether values differ only in what stands before the
// names of all: STATE_PAID and ORDER_STATE_PAID.
func sameBarePrefix(reader, writer protoreflect.EnumDescriptor, values []protoreflect.EnumValueDescriptor) bool {
	for _, v := range values {
		a, b := string(v.Name()), string(reader.Values().ByNumber(v.Number()).Name())
		if bare(a, writer) != bare(b, reader) {
			return false
		}
	}
	return true
}

// bare is a value's name without the prefix that all names of its enum share.
func bare(name string, e protoreflect.EnumDescriptor) string {
	prefix := string(e.Values().Get(0).Name())
	for i := range e.Values().Len() {
		for !strings.HasPrefix(string(e.Values().Get(i).Name()), prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:strings.LastIndexByte(prefix, '_')+1]
	return strings.TrimPrefix(name, prefix)
}
