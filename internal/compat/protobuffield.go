package compat

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// stranger judges a field that the reader doesn't know by the name, or the
// number, that travels.
func (w *protoWalk) stranger(m *matched, f protoreflect.FieldDescriptor) {
	p := fieldPair{writer: f, path: m.path.Field(fieldName(f)), route: m.route, needs: m.needs}
	was := w.sameField(m, f)
	c := claim{probe: p.probe(anyValues(f)), Break: Break{Severity: rule.Error}}
	c.readerAt = m.reader
	if was != nil {
		c.readerAt = was
	}
	switch {
	case m.reader.IsMapEntry():
		return
	case w.as.UnknownFields == contract.Reject:
		c.Rule = "field-refused"
		c.Message = fmt.Sprintf("%s is unknown to the reader, which refuses unknown fields: it refuses the event", p.path)
	case was != nil && w.wire == binaryWire:
		c.Rule = "field-lost"
		c.Message = fmt.Sprintf("%s is number %d for the writer and number %d for the reader: the reader does not see what is sent", p.path, f.Number(), was.Number())
		c.Fix = "Give the field its old number back. A field that replaces another has a name and a number of its own."
	case was != nil:
		c.Rule = "field-lost"
		c.Message = fmt.Sprintf("field %d travels as %q, and the reader knows it as %q: it ignores what is sent", f.Number(), jsonKey(f), jsonKey(was))
	default:
		w.comeBack(m, p)
		w.newChoice(m, p)
		return
	}
	w.add(p, c)
}

// newChoice warns of a member of a oneof that the reader lacks: the reader sees
// a oneof with nothing in it.
func (w *protoWalk) newChoice(m *matched, p fieldPair) {
	o := oneofOf(p.writer)
	if o == nil {
		return
	}
	for _, known := range m.pairs {
		if oneofOf(known.writer) != o || oneofOf(known.reader) == nil {
			continue
		}
		w.add(p, claim{readerAt: oneofOf(known.reader), Break: Break{
			Rule: "field-lost", Severity: rule.Warning,
			Message: fmt.Sprintf("the oneof %s may hold %s, which the reader does not know: it sees a oneof with nothing in it", o.Name(), p.path),
		}})
		return
	}
}

// sameField finds the reader's field that a stranger was, and that gets nothing:
// in JSON the one of its number, which was renamed, in binary the one of its
// name, which was renumbered.
func (w *protoWalk) sameField(m *matched, f protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	for _, r := range m.missing {
		if w.sameButMoved(f, r) {
			return r
		}
	}
	return nil
}

// sameButMoved reports whether two fields that do not find each other on this
// wire are one field all the same.
func (w *protoWalk) sameButMoved(f, r protoreflect.FieldDescriptor) bool {
	if w.wire == binaryWire {
		return renumbered(f, r)
	}
	return f.Number() == r.Number()
}

// renumbered reports whether two fields of different numbers are one: they have
// one name and one sort of values. A name that comes back with another sort is
// taken for another field.
func renumbered(f, r protoreflect.FieldDescriptor) bool {
	return fieldName(f) == fieldName(r) && sortOf(f) == sortOf(r)
}

// sortOf is what a field holds, without the width of a number.
func sortOf(f protoreflect.FieldDescriptor) jsonForm {
	switch form := jsonFormOf(f); form {
	case longForm, floatForm, doubleForm:
		return intForm
	default:
		return form
	}
}

// required finds fields without which the reader refuses the message, and that
// the writer may leave out.
func (w *protoWalk) required(m *matched) {
	for _, p := range m.pairs {
		if demanded(p.reader) && !always(p.writer) && !w.missed(p) {
			w.absent(m, p, "may be left out by the writer")
		}
	}
	for _, r := range m.missing {
		if demanded(r) {
			w.absent(m, fieldPair{reader: r, path: m.path.Field(fieldName(r)), route: m.route}, "is not sent by the writer")
		}
	}
}

// missed reports whether it is claimed already that a reader misses a field.
func (w *protoWalk) missed(p fieldPair) bool {
	return slices.ContainsFunc(w.claims, func(c *claim) bool {
		return c.Rule == "field-missing" && c.readerAt == p.reader && c.writerAt == p.writer
	})
}

func (w *protoWalk) absent(m *matched, p fieldPair, fact string) {
	w.add(p, claim{
		writerAt: orField(p.writer, m.writer),
		probe:    &probe{route: m.route, needs: without(m.needs, p.writer)},
		Break: Break{
			Rule: "field-missing", Severity: rule.Error,
			Message: fmt.Sprintf("%s is required by the reader and %s: the reader refuses an event without it", p.path, fact),
		},
	})
}

func without(fields []protoreflect.FieldDescriptor, f protoreflect.FieldDescriptor) []protoreflect.FieldDescriptor {
	return slices.DeleteFunc(slices.Clone(fields), func(other protoreflect.FieldDescriptor) bool { return other == f })
}

func orField(f protoreflect.FieldDescriptor, m protoreflect.MessageDescriptor) protoreflect.Descriptor {
	if f == nil {
		return m
	}
	return f
}

// oneofs finds fields of which the reader holds only one, and the writer may
// send several.
func (w *protoWalk) oneofs(m *matched) {
	groups := map[protoreflect.OneofDescriptor][]fieldPair{}
	for _, p := range m.pairs {
		if o := oneofOf(p.reader); o != nil && w.arrives(p) {
			groups[o] = append(groups[o], p)
		}
	}
	for i := range m.reader.Oneofs().Len() {
		o := m.reader.Oneofs().Get(i)
		if first, second, ok := together(groups[o]); ok {
			w.crowded(o, first, second)
		}
	}
}

// overridden reports whether the reader never sees a field, since it always gets
// another member of the same oneof after it.
func (w *protoWalk) overridden(m *matched, p fieldPair) bool {
	o := oneofOf(p.reader)
	return o != nil && w.wire == binaryWire && w.arrives(p) && slices.ContainsFunc(m.constant, func(q fieldPair) bool {
		return oneofOf(q.reader) == o && q.reader != p.reader && w.arrives(q) && writtenBefore(p.writer, q.writer)
	})
}

// arrives reports whether a field's bytes are any for the reader's.
func (w *protoWalk) arrives(p fieldPair) bool {
	return w.wire == jsonWire || wireTypes[p.reader.Kind()] == bytesWire && p.writer.IsPacked() ||
		!p.writer.IsPacked() && wireTypes[p.writer.Kind()] == wireTypes[p.reader.Kind()]
}

// together finds two members that can be sent at once, first the one that is
// written first and so gives way.
func together(members []fieldPair) (first, second fieldPair, ok bool) {
	for i, a := range members {
		for _, b := range members[i+1:] {
			if o := oneofOf(a.writer); o != nil && o == oneofOf(b.writer) {
				continue
			}
			if writtenBefore(b.writer, a.writer) {
				a, b = b, a
			}
			return a, b, true
		}
	}
	return first, second, false
}

// writtenBefore tells the order in which the library writes: by number, members
// of a oneof last, those of several oneofs in the order of the oneofs.
func writtenBefore(a, b protoreflect.FieldDescriptor) bool {
	inA, inB := oneofOf(a), oneofOf(b)
	switch {
	case (inA != nil) != (inB != nil):
		return inB != nil
	case inA != inB:
		return inA.Index() < inB.Index()
	}
	return a.Number() < b.Number()
}

// doubled finds fields that in JSON both go by names of one field of the reader:
// its JSON name and its own. It refuses an event with both.
func (w *protoWalk) doubled(m *matched) {
	if w.wire != jsonWire {
		return
	}
	fed := make(map[protoreflect.FieldNumber]fieldPair, len(m.pairs))
	for _, a := range m.pairs {
		b, twice := fed[a.reader.Number()]
		if !twice {
			fed[a.reader.Number()] = a
			continue
		}
		if o := oneofOf(a.writer); o != nil && o == oneofOf(b.writer) {
			continue
		}
		one, other := anyValues(a.writer), anyValues(b.writer)
		w.add(a, claim{
			probe: &probe{route: a.route, mark: a.writer, needs: a.needs, fill: func(m protoreflect.Message) {
				one(m)
				other(m)
			}},
			Break: Break{
				Rule: "shape-refused", Severity: rule.Error,
				Message: fmt.Sprintf("%s and %s may be sent together, as %q and %q, and the reader takes both for its field %s: it refuses an event that has one field twice",
					b.path, a.path, jsonKey(b.writer), jsonKey(a.writer), a.reader.Name()),
			},
		})
	}
}

func (w *protoWalk) crowded(o protoreflect.OneofDescriptor, first, second fieldPair) {
	a, b := anyValues(first.writer), anyValues(second.writer)
	c := claim{
		probe: &probe{route: first.route, mark: first.writer, needs: first.needs, fill: func(m protoreflect.Message) {
			a(m)
			b(m)
		}},
		Break: Break{
			Rule: "field-lost", Severity: rule.Error,
			Message: fmt.Sprintf("%s and %s may be sent together, and the reader holds only one of them (oneof %s): it keeps the last and loses the other",
				first.path, second.path, o.Name()),
		},
	}
	if w.wire == jsonWire {
		c.Rule = "shape-refused"
		c.Message = fmt.Sprintf("%s and %s may be sent together, and the reader holds only one of them (oneof %s): it refuses the event", first.path, second.path, o.Name())
	}
	w.add(first, c)
}

// unsent finds what the reader reads and the writer no longer sends.
func (w *protoWalk) unsent(m *matched) {
	if w.as.OldWriter {
		return
	}
	for _, r := range m.missing {
		if demanded(r) || w.lostAlready(m, r) {
			continue // said already
		}
		b := Break{Rule: "field-unsent", Severity: rule.Warning, Path: m.path.Field(fieldName(r))}
		b.Message = fmt.Sprintf("%s is not sent by the writer: a reader that waits for it never sees it", b.Path)
		if f := m.writer.Fields().ByName(r.Name()); f != nil && w.wire == binaryWire {
			b.Message = fmt.Sprintf("%s was number %d for the reader and is number %d for the writer: the reader never sees it", b.Path, r.Number(), f.Number())
		}
		if w.as.Declared {
			b.Severity = rule.Error
		}
		w.claims = append(w.claims, &claim{Break: b, readerAt: r, writerAt: m.writer})
	}
}

// lostAlready reports whether a stranger that is this field was claimed.
func (w *protoWalk) lostAlready(m *matched, r protoreflect.FieldDescriptor) bool {
	return slices.ContainsFunc(m.strangers, func(f protoreflect.FieldDescriptor) bool { return w.sameButMoved(f, r) })
}
