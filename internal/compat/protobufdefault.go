package compat

import (
	"bytes"
	"fmt"
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/rule"
)

// defaults judges what a field is that was left out: each side fills in its own
// default. That is an error where the writer cannot say it otherwise: it leaves
// out a zero that the reader takes for something else.
func (w *protoWalk) defaults(m *matched, p fieldPair) {
	if !plain(p.writer) || !plain(p.reader) || sameDefault(p.writer, p.reader) || always(p.writer) || demanded(p.reader) {
		return
	}
	theirs, ours := showValue(p.writer, p.writer.Default()), showValue(p.reader, p.reader.Default())
	b := Break{
		Rule: "meaning-changed", Severity: rule.Warning, Mirrored: true,
		Message: fmt.Sprintf("%s that is left out is %s on one side and %s on the other: each fills in its own default", p.path, min(theirs, ours), max(theirs, ours)),
		Fix:     "Give the field its old default back, or let writers always set it.",
	}
	if !p.writer.HasPresence() {
		b.Severity, b.Mirrored = rule.Error, false
		b.Message = fmt.Sprintf("%s is not sent where it is %s, and the reader takes one that is left out for %s", p.path, theirs, ours)
	}
	w.add(p, claim{
		Break: b, sees: fmt.Sprintf("writer sent no %s, which is %s to it, reader sees %s", p.writer.Name(), theirs, ours),
		probe: &probe{route: m.route, mark: p.writer, needs: without(m.needs, p.writer)},
	})
}

// plain reports whether a field is one scalar.
func plain(f protoreflect.FieldDescriptor) bool {
	return !f.IsList() && f.Message() == nil && !f.ContainingMessage().IsMapEntry()
}

// sameDefault reports whether two fields have one default, as far as values of
// their types can be compared.
func sameDefault(f, r protoreflect.FieldDescriptor) bool {
	if f.Enum() == nil && r.Enum() == nil && !f.HasDefault() && !r.HasDefault() {
		return true // the zeros of two types are one, however they look
	}
	a, whole := integerOf(f, f.Default())
	b, wholeToo := integerOf(r, r.Default())
	switch {
	case f.Enum() != nil && r.Enum() != nil && enumName(f.Enum(), f.Default().Enum()) == enumName(r.Enum(), r.Default().Enum()):
		return true
	case whole && wholeToo:
		return a.Cmp(b) == 0
	case whole && isFloat(r):
		return equalRat(a, r.Default().Float())
	case isFloat(f) && isFloat(r):
		return f.Default().Float() == r.Default().Float() || math.IsNaN(f.Default().Float()) && math.IsNaN(r.Default().Float())
	case whole || wholeToo || isFloat(f) || isFloat(r):
		return true
	}
	return bytes.Equal(textDefault(f), textDefault(r))
}

func textDefault(f protoreflect.FieldDescriptor) []byte {
	if f.Kind() == protoreflect.BytesKind {
		return f.Default().Bytes()
	}
	return []byte(f.Default().String())
}
