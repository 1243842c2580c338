package compat

import (
	"math"
	"math/big"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// bounds are what protovalidate's rules leave of an integer, bool or enum field.
// They are read from the bytes of its options, so the rules need not be known to
// this program.
type bounds struct {
	low, high *big.Int
	only      []*big.Int // const and in; empty: the whole range
	zero      bool       // zero is let through whatever the rules say
}

// Numbers of buf/validate/validate.proto.
const (
	validateField protowire.Number = 1159
	rulesRequired protowire.Number = 25
	rulesIgnore   protowire.Number = 27
	rulesRepeated protowire.Number = 18
	rulesMaxItems protowire.Number = 2
	rulesItems    protowire.Number = 4
	rulesMap      protowire.Number = 19
	rulesMaxPairs protowire.Number = 2
	rulesKeys     protowire.Number = 4
	rulesValues   protowire.Number = 5

	ignoreIfZero uint64 = 1
	ignoreAlways uint64 = 3

	ruleConst protowire.Number = 1
	ruleLt    protowire.Number = 2
	ruleLte   protowire.Number = 3
	ruleGt    protowire.Number = 4
	ruleGte   protowire.Number = 5
	ruleIn    protowire.Number = 6
	ruleOneOf protowire.Number = 3 // in, of an enum
)

// rulesOf is where a kind's rules stand among those of a field.
var rulesOf = map[protoreflect.Kind]protowire.Number{
	protoreflect.Int32Kind: 3, protoreflect.Int64Kind: 4, protoreflect.Uint32Kind: 5, protoreflect.Uint64Kind: 6,
	protoreflect.Sint32Kind: 7, protoreflect.Sint64Kind: 8, protoreflect.Fixed32Kind: 9, protoreflect.Fixed64Kind: 10,
	protoreflect.Sfixed32Kind: 11, protoreflect.Sfixed64Kind: 12, protoreflect.BoolKind: 13, protoreflect.EnumKind: 16,
	protoreflect.FloatKind: 1, protoreflect.DoubleKind: 2,
}

// boundsOf reads a field's rules; without any, its kind's own bounds.
func boundsOf(f protoreflect.FieldDescriptor) bounds {
	kind := integers[f.Kind()]
	b := bounds{low: kind.low, high: kind.high}
	number, known := rulesOf[f.Kind()]
	if !known || f.ContainingMessage() == nil {
		return b
	}
	rules := fieldRules(f)
	b.zero = numberIn(rules, rulesIgnore) == ignoreIfZero
	b.apply(inner(rules, number), f.Kind())
	return b
}

// neverLeftOut reports whether the rules want a field to be set. One without
// presence is then never zero.
func neverLeftOut(f protoreflect.FieldDescriptor) bool {
	return f.ContainingMessage() != nil && !f.IsExtension() && numberIn(declaredRules(f), rulesRequired) != 0
}

// atMostOne reports whether the rules allow a list or a map no second element.
func atMostOne(f protoreflect.FieldDescriptor) bool {
	rules := declaredRules(f)
	for _, most := range [][]byte{field(inner(rules, rulesRepeated), rulesMaxItems), field(inner(rules, rulesMap), rulesMaxPairs)} {
		if n, size := protowire.ConsumeVarint(most); size > 0 && n <= 1 {
			return true
		}
	}
	return false
}

// fieldRules are the rules of one value of a field: of an element of a list, of
// the keys or the values of a map, which stand with the map.
func fieldRules(f protoreflect.FieldDescriptor) []byte {
	declared := f
	if f.ContainingMessage().IsMapEntry() {
		if declared = mapOf(f.ContainingMessage()); declared == nil {
			return nil
		}
	}
	rules := declaredRules(declared)
	switch {
	case f.IsList():
		return inner(inner(rules, rulesRepeated), rulesItems)
	case declared == f:
		return rules
	case f.Number() == 1:
		return inner(inner(rules, rulesMap), rulesKeys)
	}
	return inner(inner(rules, rulesMap), rulesValues)
}

// declaredRules are the rules that stand with a field, nothing where they are to
// be ignored.
func declaredRules(f protoreflect.FieldDescriptor) []byte {
	options, err := proto.Marshal(f.Options())
	if err != nil {
		return nil
	}
	rules := inner(options, validateField)
	if numberIn(rules, rulesIgnore) == ignoreAlways {
		return nil
	}
	return rules
}

// mapOf is the field whose entries are of a type.
func mapOf(entry protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	holder, ok := entry.Parent().(protoreflect.MessageDescriptor)
	if !ok {
		return nil
	}
	for i := range holder.Fields().Len() {
		if f := holder.Fields().Get(i); f.Message() == entry {
			return f
		}
	}
	return nil
}

// inner joins what a message holds under a number. Bytes that don't parse hold
// nothing.
func inner(message []byte, number protowire.Number) []byte {
	var found []byte
	eachField(message, func(n protowire.Number, t protowire.Type, value []byte) {
		if n == number && t == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(value)
			found = append(found, content...)
		}
	})
	return found
}

// field is the last value that a message holds under a number, as it stands on
// the wire.
func field(message []byte, number protowire.Number) []byte {
	var last []byte
	eachField(message, func(n protowire.Number, _ protowire.Type, value []byte) {
		if n == number {
			last = value
		}
	})
	return last
}

func numberIn(message []byte, number protowire.Number) uint64 {
	v, _ := protowire.ConsumeVarint(field(message, number))
	return v
}

func eachField(message []byte, do func(protowire.Number, protowire.Type, []byte)) {
	for len(message) > 0 {
		n, t, size := protowire.ConsumeTag(message)
		if size < 0 {
			return
		}
		message = message[size:]
		length := protowire.ConsumeFieldValue(n, t, message)
		if length < 0 {
			return
		}
		do(n, t, message[:length])
		message = message[length:]
	}
}

// apply narrows the bounds. Rules that leave what lies outside of a range, not
// inside, are left alone.
func (b *bounds) apply(rules []byte, of protoreflect.Kind) {
	low, high, kind := b.low, b.high, integers[of]
	in := ruleIn
	if of == protoreflect.EnumKind {
		in = ruleOneOf
	}
	eachField(rules, func(n protowire.Number, t protowire.Type, value []byte) {
		if n == in && t == protowire.BytesType {
			b.only = append(b.only, packedValues(value, kind)...)
			return
		}
		v := kind.decode(rawValue(t, value))
		switch {
		case n == ruleConst || n == in:
			b.only = append(b.only, v)
			return
		case of == protoreflect.EnumKind || of == protoreflect.BoolKind:
			return
		}
		switch n {
		case ruleLt:
			high = new(big.Int).Sub(v, bigOne)
		case ruleLte:
			high = v
		case ruleGt:
			low = new(big.Int).Add(v, bigOne)
		case ruleGte:
			low = v
		}
	})
	if low.Cmp(high) <= 0 {
		b.low, b.high = low, high
	}
}

// packedValues reads a packed list of one kind.
func packedValues(value []byte, kind integer) []*big.Int {
	content, _ := protowire.ConsumeBytes(value)
	var all []*big.Int
	for len(content) > 0 {
		size := protowire.ConsumeFieldValue(1, kind.wire, content)
		if size < 0 {
			return all
		}
		all = append(all, kind.decode(rawValue(kind.wire, content[:size])))
		content = content[size:]
	}
	return all
}

func rawValue(t protowire.Type, value []byte) uint64 {
	switch t {
	case protowire.VarintType:
		v, _ := protowire.ConsumeVarint(value)
		return v
	case protowire.Fixed32Type:
		v, _ := protowire.ConsumeFixed32(value)
		return uint64(v)
	case protowire.Fixed64Type:
		v, _ := protowire.ConsumeFixed64(value)
		return v
	}
	return math.MaxUint64
}

// allow reports whether the rules let a number through.
func (b bounds) allow(n *big.Int) bool {
	if b.zero && n.Sign() == 0 {
		return true
	}
	if len(b.only) > 0 && !slices.ContainsFunc(b.only, func(v *big.Int) bool { return v.Cmp(n) == 0 }) {
		return false
	}
	return n.Cmp(b.low) >= 0 && n.Cmp(b.high) <= 0
}

// edges are the numbers to try beside the telling ones: if none of these is
// misread, none between them is.
func (b bounds) edges() []*big.Int {
	if len(b.only) > 0 {
		return b.only
	}
	return []*big.Int{b.high, b.low, new(big.Int).Sub(b.high, bigOne), new(big.Int).Add(b.low, bigOne)}
}
