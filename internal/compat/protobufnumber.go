package compat

import (
	"math"
	"math/big"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// integer is what one integer kind, or bool, or an enum, can hold and how it
// stands on the wire.
type integer struct {
	low, high *big.Int
	bits      int
	wire      protowire.Type
	encode    func(*big.Int) uint64
	decode    func(uint64) *big.Int
}

var (
	minInt32, maxInt32 = big.NewInt(math.MinInt32), big.NewInt(math.MaxInt32)
	minInt64, maxInt64 = big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	bigZero, bigOne    = big.NewInt(0), big.NewInt(1)
	maxUint32          = big.NewInt(math.MaxUint32)
	maxUint64          = new(big.Int).SetUint64(math.MaxUint64)
)

func plainBits(n *big.Int) uint64 {
	if n.Sign() < 0 {
		return uint64(n.Int64())
	}
	return n.Uint64()
}

func zigzag32(n *big.Int) uint64 {
	return uint64(uint32(protowire.EncodeZigZag(n.Int64())))
}
func zigzag64(n *big.Int) uint64   { return protowire.EncodeZigZag(n.Int64()) }
func asInt32(raw uint64) *big.Int  { return big.NewInt(int64(int32(raw))) }
func asInt64(raw uint64) *big.Int  { return big.NewInt(int64(raw)) }
func asUint32(raw uint64) *big.Int { return big.NewInt(int64(uint32(raw))) }
func asUint64(raw uint64) *big.Int { return new(big.Int).SetUint64(raw) }
func unzigzag32(raw uint64) *big.Int {
	return big.NewInt(int64(int32(protowire.DecodeZigZag(raw & math.MaxUint32))))
}
func unzigzag64(raw uint64) *big.Int { return big.NewInt(protowire.DecodeZigZag(raw)) }
func asBool(raw uint64) *big.Int {
	if raw != 0 {
		return bigOne
	}
	return bigZero
}

var integers = map[protoreflect.Kind]integer{
	protoreflect.Int32Kind:    {minInt32, maxInt32, 32, protowire.VarintType, plainBits, asInt32},
	protoreflect.Int64Kind:    {minInt64, maxInt64, 64, protowire.VarintType, plainBits, asInt64},
	protoreflect.Uint32Kind:   {bigZero, maxUint32, 32, protowire.VarintType, plainBits, asUint32},
	protoreflect.Uint64Kind:   {bigZero, maxUint64, 64, protowire.VarintType, plainBits, asUint64},
	protoreflect.Sint32Kind:   {minInt32, maxInt32, 32, protowire.VarintType, zigzag32, unzigzag32},
	protoreflect.Sint64Kind:   {minInt64, maxInt64, 64, protowire.VarintType, zigzag64, unzigzag64},
	protoreflect.BoolKind:     {bigZero, bigOne, 1, protowire.VarintType, plainBits, asBool},
	protoreflect.EnumKind:     {minInt32, maxInt32, 32, protowire.VarintType, plainBits, asInt32},
	protoreflect.Fixed32Kind:  {bigZero, maxUint32, 32, protowire.Fixed32Type, plainBits, asUint32},
	protoreflect.Sfixed32Kind: {minInt32, maxInt32, 32, protowire.Fixed32Type, plainBits, asInt32},
	protoreflect.Fixed64Kind:  {bigZero, maxUint64, 64, protowire.Fixed64Type, plainBits, asUint64},
	protoreflect.Sfixed64Kind: {minInt64, maxInt64, 64, protowire.Fixed64Type, plainBits, asInt64},
}

// telling are the numbers that show how kinds differ, the plainest first.
var telling = []*big.Int{
	big.NewInt(1<<32 + 5), big.NewInt(-1), big.NewInt(3_000_000_000), new(big.Int).SetUint64(1<<63 + 5),
	big.NewInt(5), big.NewInt(-1 << 40), big.NewInt(math.MinInt32), bigOne, bigZero,
}

// numbersOf are the numbers to try that a writer may send.
func numbersOf(f protoreflect.FieldDescriptor) []*big.Int {
	limits := boundsOf(f)
	var all []*big.Int
	if e := f.Enum(); e != nil {
		for i := range e.Values().Len() {
			if n := big.NewInt(int64(e.Values().Get(i).Number())); limits.allow(n) {
				all = append(all, n)
			}
		}
		return all
	}
	for _, n := range append(slices.Clone(telling), limits.edges()...) {
		if limits.allow(n) {
			all = append(all, n)
		}
	}
	return all
}

func (k integer) holds(n *big.Int) bool { return n.Cmp(k.low) >= 0 && n.Cmp(k.high) <= 0 }

// misread finds a number that the writer may send and the reader takes for
// another, with what it takes it for.
func misread(writer, reader protoreflect.FieldDescriptor) (sent, seen *big.Int) {
	w, r := integers[writer.Kind()], integers[reader.Kind()]
	for _, n := range numbersOf(writer) {
		if got := r.decode(w.encode(n)); got.Cmp(n) != 0 {
			return n, got
		}
	}
	return nil, nil
}

// mistaken finds a number that the reader takes for another that its enum names.
func mistaken(writer protoreflect.FieldDescriptor, e protoreflect.EnumDescriptor) (sent, seen *big.Int) {
	kind, limits := integers[writer.Kind()], boundsOf(writer)
	for i := e.Values().Len() - 1; i >= 0; i-- {
		d := big.NewInt(int64(e.Values().Get(i).Number()))
		for _, n := range []*big.Int{kind.decode(plainBits(d)), new(big.Int).Add(d, big.NewInt(1<<32))} {
			if limits.allow(n) && n.Cmp(d) != 0 && asInt32(kind.encode(n)).Cmp(d) == 0 {
				return n, d
			}
		}
	}
	return nil, nil
}

// beyond finds a number that the writer may send and the reader cannot hold.
func beyond(writer, reader protoreflect.FieldDescriptor) *big.Int {
	r := integers[reader.Kind()]
	for _, n := range numbersOf(writer) {
		if !r.holds(n) {
			return n
		}
	}
	return nil
}

// cut reports whether the reader sees just the low 32 bits.
func cut(writer, reader protoreflect.FieldDescriptor, sent *big.Int) bool {
	w, r := integers[writer.Kind()], integers[reader.Kind()]
	return w.bits == 64 && r.bits == 32 && sent.CmpAbs(maxUint32) > 0
}

// undeclared finds a number that the writer's kind holds and an enum does not
// name.
func undeclared(writer protoreflect.FieldDescriptor, e protoreflect.EnumDescriptor) *big.Int {
	limits := boundsOf(writer)
	strange := func(n *big.Int) bool {
		return limits.allow(n) && integers[protoreflect.EnumKind].holds(n) && e.Values().ByNumber(protoreflect.EnumNumber(n.Int64())) == nil
	}
	// Of more numbers than the enum has values, one is none of its.
	for _, from := range []*big.Int{bigOne, bigZero, limits.low} {
		for n := range int64(e.Values().Len()) + 1 {
			if v := new(big.Int).Add(from, big.NewInt(n)); strange(v) {
				return v
			}
		}
	}
	for _, n := range limits.edges() {
		if strange(n) {
			return n
		}
	}
	return nil
}

// intValue is a number as a field of an integer kind, of bool or of an enum holds it.
func intValue(k protoreflect.Kind, n *big.Int) protoreflect.Value {
	switch k {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n.Sign() != 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n.Int64()))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n.Int64()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n.Uint64()))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(n.Uint64())
	}
	return protoreflect.ValueOfInt64(n.Int64())
}

// floatValue is a number as a field of a floating kind holds it.
func floatValue(k protoreflect.Kind, v float64) protoreflect.Value {
	if k == protoreflect.FloatKind {
		return protoreflect.ValueOfFloat32(float32(v))
	}
	return protoreflect.ValueOfFloat64(v)
}

func floatBits(k protoreflect.Kind, bits uint64) protoreflect.Value {
	if k == protoreflect.FloatKind {
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(bits)))
	}
	return protoreflect.ValueOfFloat64(math.Float64frombits(bits))
}
