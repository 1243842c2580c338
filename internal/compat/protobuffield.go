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
	was := w.sameNumber(m, f)
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

// sameNumber finds, in JSON, the reader's field that has the number of a
// stranger and gets nothing under its own name: it was renamed.
func (w *protoWalk) sameNumber(m *matched, f protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if w.wire == binaryWire {
		return nil
	}
	for _, r := range m.missing {
		if r.Number() == f.Number() {
			return r
		}
	}
	return nil
}

// required finds fields without which the reader refuses the message, and that
// the writer may leave out.
func (w *protoWalk) required(m *matched) {
	for _, p := range m.pairs {
		if p.reader.Cardinality() == protoreflect.Required && p.writer.Cardinality() != protoreflect.Required {
			w.absent(m, p, "may be left out by the writer")
		}
	}
	for _, r := range m.missing {
		if r.Cardinality() == protoreflect.Required {
			w.absent(m, fieldPair{reader: r, path: m.path.Field(fieldName(r)), route: m.route}, "is not sent by the writer")
		}
	}
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
		if o := oneofOf(p.reader); o != nil {
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

// writtenBefore tells the order on the wire: by number, members of a oneof last.
func writtenBefore(a, b protoreflect.FieldDescriptor) bool {
	inA, inB := oneofOf(a) != nil, oneofOf(b) != nil
	if inA != inB {
		return inB
	}
	return a.Number() < b.Number()
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
	for _, r := range m.missing {
		if r.Cardinality() == protoreflect.Required || w.lostByName(m, r) {
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

// lostByName reports whether a stranger with the field's number was claimed.
func (w *protoWalk) lostByName(m *matched, r protoreflect.FieldDescriptor) bool {
	if w.wire == binaryWire {
		return false
	}
	for _, f := range m.strangers {
		if f.Number() == r.Number() {
			return true
		}
	}
	return false
}
