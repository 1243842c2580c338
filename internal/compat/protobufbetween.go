package compat

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/protobuf"
)

// A number that has another name on the other side may have been renamed, or
// removed and used again later. Releases that came between the two tell: where
// one of them has the message and not the number, nobody renamed it.

// goneIn names a release in between that lacks a field's number, "" where none
// does.
func (w *protoWalk) goneIn(p fieldPair, number protoreflect.FieldNumber) string {
	return w.inBetween(p, func(m protoreflect.MessageDescriptor) bool {
		return m.Fields().ByNumber(number) == nil && !m.ExtensionRanges().Has(number)
	})
}

// valueGoneIn names a release in between where a field's enum lacks a number.
func (w *protoWalk) valueGoneIn(p fieldPair, number protoreflect.EnumNumber) string {
	return w.inBetween(p, func(m protoreflect.MessageDescriptor) bool {
		f := m.Fields().ByNumber(p.writer.Number())
		if f != nil && f.IsMap() {
			f = f.MapValue()
		}
		return f != nil && f.Enum() != nil && f.Enum().Values().ByNumber(number) == nil
	})
}

// inBetween names the first release in between whose message, where a field's
// message is, fits. Schemas that were put off are read for it and let go.
func (w *protoWalk) inBetween(p fieldPair, fits func(protoreflect.MessageDescriptor) bool) string {
	for _, r := range w.between {
		if r.Event.Schema == nil {
			r.Event.Read()
			defer r.Event.Release()
		}
		s, ok := r.Event.Schema.(*protobuf.Schema)
		if !ok {
			continue
		}
		if m := along(s, p.route); m != nil && fits(m) {
			return r.Ref
		}
	}
	return ""
}

// along goes by numbers where a route goes, nil where it ends before.
func along(s *protobuf.Schema, route []hop) protoreflect.MessageDescriptor {
	m := s.Descriptor()
	for _, h := range route {
		if h.carries != nil {
			t, err := s.Types().FindMessageByName(h.carries.FullName())
			if err != nil {
				return nil
			}
			m = t.Descriptor()
			continue
		}
		f := m.Fields().ByNumber(h.field.Number())
		switch {
		case f == nil || f.Message() == nil || h.field.IsExtension():
			return nil
		case f.IsMap() && !h.entry:
			m = f.MapValue().Message()
		default:
			m = f.Message()
		}
		if m == nil {
			return nil
		}
	}
	return m
}
