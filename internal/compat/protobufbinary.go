package compat

import (
	"fmt"
	"math/big"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// wireType is how a value stands on the wire.
type wireType string

const (
	varintWire wireType = "a varint"
	wire32     wireType = "four bytes"
	wire64     wireType = "eight bytes"
	bytesWire  wireType = "a length and bytes"
	groupWire  wireType = "a group"
)

var wireTypes = map[protoreflect.Kind]wireType{
	protoreflect.Int32Kind: varintWire, protoreflect.Int64Kind: varintWire, protoreflect.Uint32Kind: varintWire,
	protoreflect.Uint64Kind: varintWire, protoreflect.Sint32Kind: varintWire, protoreflect.Sint64Kind: varintWire,
	protoreflect.BoolKind: varintWire, protoreflect.EnumKind: varintWire,
	protoreflect.Fixed32Kind: wire32, protoreflect.Sfixed32Kind: wire32, protoreflect.FloatKind: wire32,
	protoreflect.Fixed64Kind: wire64, protoreflect.Sfixed64Kind: wire64, protoreflect.DoubleKind: wire64,
	protoreflect.StringKind: bytesWire, protoreflect.BytesKind: bytesWire, protoreflect.MessageKind: bytesWire,
	protoreflect.GroupKind: groupWire,
}

func packable(f protoreflect.FieldDescriptor) bool {
	t := wireTypes[f.Kind()]
	return f.IsList() && (t == varintWire || t == wire32 || t == wire64)
}

// binaryFields judges two fields of one number.
func (w *protoWalk) binaryFields(_ *matched, p fieldPair) {
	from, to := wireTypes[p.writer.Kind()], wireTypes[p.reader.Kind()]
	switch {
	case p.writer.IsPacked() && packable(p.reader) && from == to:
		w.binaryValue(p)
	case p.writer.IsPacked() && (packable(p.reader) || to == bytesWire):
		w.packedJunk(p)
	case p.writer.IsPacked():
		w.wireLost(p, bytesWire, to)
	case from == bytesWire && packable(p.reader):
		w.junk(p, "value-garbled", anyValues(p.writer))
	case from != to:
		w.wireLost(p, from, to)
	case p.reader.IsMap() && p.writer.IsMap():
		w.binaryMap(p)
	default:
		w.binaryShape(p)
	}
}

// binaryShape judges fields of one wire type: their values first, then whether
// the reader holds as many of them.
func (w *protoWalk) binaryShape(p fieldPair) {
	before := len(w.claims)
	w.binaryValue(p)
	many := (p.writer.IsList() || p.writer.IsMap()) && !atMostOne(p.writer)
	if !many || w.refusedSince(before) {
		return
	}
	switch {
	case p.reader.IsMap():
		w.elementLost(p, "entries with one key collapse into the last")
	case p.reader.IsList():
	case p.reader.Message() != nil:
		w.elementLost(p, "a reader that expects one merges them all into it")
	default:
		w.elementLost(p, "a reader that expects one takes the last")
	}
}

// refusedSince reports whether an error was claimed after a number of claims.
func (w *protoWalk) refusedSince(before int) bool {
	return slices.ContainsFunc(w.claims[before:], func(c *claim) bool { return c.Severity == rule.Error })
}

// binaryValue judges one value against another of the same wire type.
func (w *protoWalk) binaryValue(p fieldPair) {
	f, r := p.sent, p.read
	switch {
	case f.Message() != nil && r.Message() != nil:
		w.binaryMessage(p)
	case f.Enum() != nil && r.Enum() != nil:
		w.enums(p)
	case wireTypes[f.Kind()] == bytesWire:
		w.binaryBytes(p)
	case isFloat(f) || isFloat(r):
		if f.Kind() != r.Kind() {
			w.refuse(p, "value-garbled", p.set(bitsValue(f)), "the reader takes the bits of one for the other")
		}
	default:
		w.binaryInteger(p)
	}
}

func isFloat(f protoreflect.FieldDescriptor) bool {
	return f.Kind() == protoreflect.FloatKind || f.Kind() == protoreflect.DoubleKind
}

func bitsValue(f protoreflect.FieldDescriptor) protoreflect.Value {
	if isFloat(f) {
		return floatValue(f.Kind(), 1.5)
	}
	return intValue(f.Kind(), big.NewInt(5))
}

const anyName = "google.protobuf.Any"

func (w *protoWalk) binaryMessage(p fieldPair) {
	f, r := p.sent.Message(), p.read.Message()
	if f.FullName() == anyName && r.FullName() == anyName {
		w.anys(p)
		return
	}
	w.below(p, r, f)
}

// binaryBytes judges strings, bytes and messages: all are a length and bytes.
func (w *protoWalk) binaryBytes(p fieldPair) {
	f, r := p.sent, p.read
	switch {
	case r.Message() != nil:
		w.refuse(p, "parse-refused", p.set(textValue(f, "hello")), "the reader takes the text for the bytes of a message, and they do not parse")
	case f.Message() != nil:
		w.junk(p, "value-garbled", anyValues(p.writer))
	case r.Kind() == protoreflect.StringKind && checksUTF8(r) && !checksUTF8(f):
		w.refuse(p, "parse-refused", p.set(textValue(f, "\xff")), "what is sent need not be UTF-8, the reader checks that it is, and cannot parse the event where it is not")
	}
}

func textValue(f protoreflect.FieldDescriptor, text string) protoreflect.Value {
	if f.Kind() == protoreflect.BytesKind {
		return protoreflect.ValueOfBytes([]byte(text))
	}
	return protoreflect.ValueOfString(text)
}

// checksUTF8 reports whether parsers refuse a string that is not UTF-8.
func checksUTF8(f protoreflect.FieldDescriptor) bool {
	if x, is := f.(protoreflect.ExtensionTypeDescriptor); is {
		f = x.Descriptor()
	}
	e, ok := f.(interface{ EnforceUTF8() bool })
	return ok && f.Kind() == protoreflect.StringKind && e.EnforceUTF8()
}

func (w *protoWalk) binaryInteger(p fieldPair) {
	sent, seen := misread(p.sent, p.read)
	e := p.read.Enum()
	if e != nil && sent != nil {
		if n, d := mistaken(p.sent, e); n != nil {
			sent, seen = n, d
		}
	}
	switch {
	case sent == nil && e != nil:
		w.unnamed(p, undeclared(p.sent, e))
	case sent == nil:
	case e != nil && e.Values().ByNumber(protoreflect.EnumNumber(seen.Int64())) == nil && !w.keepsNumber(e):
		w.unnamed(p, sent)
	case cut(p.sent, p.read, sent):
		w.refuse(p, "value-truncated", p.set(intValue(p.sent.Kind(), sent)), fmt.Sprintf("the reader takes %s for %s", sent, seen))
	default:
		w.refuse(p, "value-garbled", p.set(intValue(p.sent.Kind(), sent)), fmt.Sprintf("the reader takes %s for %s", sent, seen))
	}
}

// binaryMap judges two maps: key against key, value against value.
func (w *protoWalk) binaryMap(p fieldPair) {
	key := p.mapKey()
	if from, to := wireTypes[key.sent.Kind()], wireTypes[key.read.Kind()]; from != to {
		w.refuse(key, "value-garbled", key.set(someValue(key.sent)), "the reader takes every key for "+zeroOf(key.read)+", and entries collapse")
	} else {
		w.binaryValue(key)
	}
	value := p.mapValue()
	if from, to := wireTypes[value.sent.Kind()], wireTypes[value.read.Kind()]; from != to {
		w.wireLost(value, from, to)
		return
	}
	w.binaryValue(value)
}

func zeroOf(f protoreflect.FieldDescriptor) string {
	if f.Kind() == protoreflect.StringKind {
		return `""`
	}
	return fmt.Sprint(f.Default().Interface())
}

// wireLost claims a field whose bytes the reader puts aside as unknown.
func (w *protoWalk) wireLost(p fieldPair, from, to wireType) {
	// What a map's entry holds beside key and value is never kept, so nobody refuses it.
	kept := p.read == p.reader && !p.reader.ContainingMessage().IsMapEntry()
	if onlyZero(p.sent) && readsZero(p.read) && !(kept && w.as.UnknownFields == contract.Reject) {
		return // what is not seen is zero to the reader, and nothing else is ever sent
	}
	if w.as.UnknownFields == contract.Reject && kept {
		w.refuse(p, "field-refused", anyValues(p.writer),
			fmt.Sprintf("%s on the wire where the reader expects %s: to it this is an unknown field, which it refuses", from, to))
		return
	}
	if p.read == p.reader && demanded(p.reader) || p.value && demanded(p.read) {
		w.refuse(p, "field-missing", anyValues(p.writer),
			fmt.Sprintf("%s on the wire where the reader expects %s, so it misses a field that it requires", from, to))
		return
	}
	fill := anyValues(p.writer)
	if p.writer.IsList() && p.writer.Enum() != nil { // one of them may be what the reader takes nothing for
		fill = p.set(someValue(p.sent), someValue(p.sent))
	}
	w.refuse(p, "field-lost", fill,
		fmt.Sprintf("%s on the wire where the reader expects %s, so it does not see what is sent", from, to))
}

// readsZero reports whether a reader takes nothing at all for the number zero.
func readsZero(f protoreflect.FieldDescriptor) bool {
	if f.IsList() || f.HasPresence() && !f.ContainingMessage().IsMapEntry() {
		return false
	}
	switch wireTypes[f.Kind()] {
	case varintWire, wire32, wire64:
		return true // only a field with presence has another default
	}
	return false
}

// onlyZero reports whether a field is of an enum that has no value but zero, and
// is no list.
func onlyZero(f protoreflect.FieldDescriptor) bool {
	return f.Enum() != nil && !f.IsList() && someValue(f).Enum() == 0
}

// packedJunk claims a packed list that the reader takes for something else
// that has a length.
func (w *protoWalk) packedJunk(p fieldPair) {
	raw := junkElement(p.sent)
	if p.reader.Message() != nil {
		w.junk(p, "parse-refused", p.set(raw))
		return
	}
	w.junk(p, "value-garbled", p.set(raw))
}

// junkElement is an element whose bytes begin with 7, which no message does.
func junkElement(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch {
	case isFloat(f):
		return floatBits(f.Kind(), 7)
	case f.Enum() != nil || f.Kind() == protoreflect.BoolKind:
		return someValue(f)
	}
	return intValue(f.Kind(), integers[f.Kind()].decode(7))
}

// junk claims bytes of one type that are read as another's. Whether they parse
// is seen when they are read.
func (w *protoWalk) junk(p fieldPair, id string, fill func(protoreflect.Message)) {
	w.refuse(p, id, fill, "the reader takes the bytes of one for the other")
	w.claims[len(w.claims)-1].junk = true
}

// elementLost claims a list of which the reader holds less.
func (w *protoWalk) elementLost(p fieldPair, consequence string) {
	var element protoreflect.Value
	if p.writer.Message() == nil {
		element = elementOf(p)
	}
	two := func(m protoreflect.Message) {
		if p.writer.IsMap() {
			twoEntries(p.writer)(m)
			return
		}
		list := m.Mutable(p.writer).List()
		for range 2 {
			if p.writer.Message() == nil {
				list.Append(element)
				continue
			}
			inner := list.AppendMutable().Message()
			fillRequired(inner)
		}
	}
	w.refuse(p, "element-lost", two, "several may be sent, and "+consequence)
}

// elementOf is an element that the reader sees if it comes alone.
func elementOf(p fieldPair) protoreflect.Value {
	kind, whole := integers[p.sent.Kind()]
	if !whole || p.read.Enum() == nil {
		return someValue(p.sent)
	}
	declares := func(n *big.Int) bool {
		return integers[protoreflect.EnumKind].holds(n) && p.read.Enum().Values().ByNumber(protoreflect.EnumNumber(n.Int64())) != nil
	}
	for _, inJSON := range []bool{true, false} {
		for _, n := range numbersOf(p.sent) {
			if declares(asInt32(kind.encode(n))) && (declares(n) || !inJSON) {
				return intValue(p.sent.Kind(), n)
			}
		}
	}
	return someValue(p.sent)
}

// refuse claims an error at a field, in the words: PATH is sent as X and read as
// Y: CONSEQUENCE.
func (w *protoWalk) refuse(p fieldPair, id string, fill func(protoreflect.Message), consequence string) {
	w.add(p, claim{probe: p.probe(fill), Break: Break{
		Rule: id, Severity: rule.Error,
		Message: fmt.Sprintf("%s is sent as %s and read as %s: %s", p.path, typeName(p.writer), typeName(p.reader), consequence),
	}})
}
