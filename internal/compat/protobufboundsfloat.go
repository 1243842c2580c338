package compat

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// floatBounds are what protovalidate's rules leave of a floating field. A range
// leaves out NaN.
type floatBounds struct {
	low, high float64
	ranged    bool
	only      []float64
	zero      bool
}

// floatBoundsOf reads a field's rules.
func floatBoundsOf(f protoreflect.FieldDescriptor) floatBounds {
	b := floatBounds{low: math.Inf(-1), high: math.Inf(1)}
	if f.ContainingMessage() == nil {
		return b
	}
	rules := fieldRules(f)
	b.zero = numberIn(rules, rulesIgnore) == ignoreIfZero
	eachField(inner(rules, rulesOf[f.Kind()]), func(n protowire.Number, t protowire.Type, value []byte) {
		for _, v := range floatsOf(f.Kind(), t, value) {
			switch n {
			case ruleConst, ruleIn:
				b.only = append(b.only, v)
			case ruleLt, ruleLte:
				b.high, b.ranged = v, true
			case ruleGt, ruleGte:
				b.low, b.ranged = v, true
			}
		}
	})
	if b.low > b.high { // what lies outside
		b.low, b.high, b.ranged = math.Inf(-1), math.Inf(1), false
	}
	return b
}

// floatsOf reads a value, or a packed list of them.
func floatsOf(k protoreflect.Kind, t protowire.Type, value []byte) []float64 {
	single := func(t protowire.Type, value []byte) float64 {
		if k == protoreflect.FloatKind {
			return float64(math.Float32frombits(uint32(rawValue(t, value))))
		}
		return math.Float64frombits(rawValue(t, value))
	}
	if t == protowire.Fixed32Type || t == protowire.Fixed64Type {
		return []float64{single(t, value)}
	}
	if t != protowire.BytesType {
		return nil
	}
	wire := protowire.Fixed64Type
	if k == protoreflect.FloatKind {
		wire = protowire.Fixed32Type
	}
	var all []float64
	for content, _ := protowire.ConsumeBytes(value); len(content) > 0; {
		size := protowire.ConsumeFieldValue(1, wire, content)
		if size < 0 {
			return all
		}
		all = append(all, single(wire, content[:size]))
		content = content[size:]
	}
	return all
}

func (b floatBounds) allow(v float64) bool {
	switch {
	case b.zero && v == 0:
		return true
	case len(b.only) > 0 && !slices.Contains(b.only, v):
		return false
	case b.ranged:
		return v >= b.low && v <= b.high
	}
	return true
}

// find gives the first number that the rules let through and that is so, of some
// that tell and of some within the bounds.
func (b floatBounds) find(so func(float64) bool) (float64, bool) {
	middle := b.low/2 + b.high/2
	for _, v := range slices.Concat([]float64{1.5, 1e300, 0.1}, b.only, []float64{middle, middle / 3, b.low + 0.1, b.high - 0.1, math.Nextafter(b.low, b.high)}) {
		if !math.IsInf(v, 0) && !math.IsNaN(v) && b.allow(v) && so(v) {
			return v, true
		}
	}
	return 0, false
}
