package compat

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
)

// The oracle is a second opinion on every verdict: decoders of the wire format
// and of ProtoJSON that were written from the specification, and share nothing
// with the walk, with its replay or with the library's decoders.

// seenMessage is what a decoder makes of a message: the fields that are there.
type seenMessage map[protoreflect.FieldNumber]*seenField

type seenField struct {
	fd      protoreflect.FieldDescriptor
	values  []seenValue          // of a singular field, one
	entries map[string]seenEntry // of a map, by the text of its key
}

type seenEntry struct{ key, value seenValue }

// seenValue is one value: a number, a text, or a message.
type seenValue struct {
	kind    protoreflect.Kind
	integer *big.Int // also of bool and enum
	float   float64
	text    []byte // string and bytes
	name    string // of an enum's declared value
	message seenMessage
}

var errRefused = errors.New("refused")

func refuseSeen(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRefused, fmt.Sprintf(format, args...))
}

// oracle decodes as a reader does.
type oracle struct {
	fields, enums contract.Treatment
	writer        bool // reads its own: nothing is unknown to it
	types         extensionTypes
}

// extensionTypes finds extensions and what an Any carries; nil finds none.
type extensionTypes interface {
	FindExtensionByNumber(message protoreflect.FullName, field protoreflect.FieldNumber) (protoreflect.ExtensionType, error)
	FindMessageByURL(url string) (protoreflect.MessageType, error)
}

// fieldOf is a field of a message, or an extension of it.
func fieldOf(types extensionTypes, md protoreflect.MessageDescriptor, n protoreflect.FieldNumber) protoreflect.FieldDescriptor {
	if fd := md.Fields().ByNumber(n); fd != nil || types == nil {
		return fd
	}
	if x, err := types.FindExtensionByNumber(md.FullName(), n); err == nil {
		return x.TypeDescriptor().Descriptor()
	}
	return nil
}

// wireValue is one field as it stands on the wire.
type wireValue struct {
	number   protowire.Number
	typ      protowire.Type
	number64 uint64 // of a varint or fixed
	content  []byte // of what has a length, or of a group
}

func splitWire(data []byte) ([]wireValue, error) {
	var all []wireValue
	for len(data) > 0 {
		number, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil, refuseSeen("a broken tag")
		}
		data = data[n:]
		v := wireValue{number: number, typ: typ}
		switch typ {
		case protowire.VarintType:
			v.number64, n = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(data)
			v.number64 = uint64(x)
		case protowire.Fixed64Type:
			v.number64, n = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			v.content, n = protowire.ConsumeBytes(data)
		case protowire.StartGroupType:
			v.content, n = protowire.ConsumeGroup(number, data)
		default:
			n = -1
		}
		if n < 0 {
			return nil, refuseSeen("a broken value of field %d", number)
		}
		data = data[n:]
		all = append(all, v)
	}
	return all, nil
}

// wantedType is how a kind stands on the wire.
func wantedType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

// binary decodes a message. entry says that it is a map's: what is unknown in
// one is dropped without a word.
func (o oracle) binary(md protoreflect.MessageDescriptor, data []byte, entry bool) (seenMessage, error) {
	all, err := splitWire(data)
	if err != nil {
		return nil, err
	}
	seen := seenMessage{}
	parts := map[protoreflect.FieldNumber][]byte{} // singular messages: all their parts are merged
	for _, v := range all {
		fd := fieldOf(o.types, md, v.number)
		known := fd != nil
		if known {
			if known, err = o.wire(seen, parts, fd, v); err != nil {
				return nil, err
			}
		}
		// A reader that was told to ignore unknown enum values does so also where it
		// refuses unknown fields.
		ignored := fd != nil && enumOf(fd) != nil && o.enums == contract.Ignore && travelsAs(fd, v.typ)
		if !known && !entry && !ignored && o.fields == contract.Reject {
			return nil, refuseSeen("unknown field %d", v.number)
		}
	}
	for number, content := range parts {
		fd := fieldOf(o.types, md, number)
		inner, err := o.binary(fd.Message(), content, false)
		if err != nil {
			return nil, err
		}
		seen[number] = &seenField{fd: fd, values: []seenValue{{kind: fd.Kind(), message: inner}}}
	}
	return seen, requiredSeen(md, seen)
}

func enumOf(fd protoreflect.FieldDescriptor) protoreflect.EnumDescriptor {
	if fd.IsMap() {
		return fd.MapValue().Enum()
	}
	return fd.Enum()
}

// travelsAs reports whether a field takes values of a wire type.
func travelsAs(fd protoreflect.FieldDescriptor, typ protowire.Type) bool {
	return typ == wantedType(fd.Kind()) || fd.IsList() && typ == protowire.BytesType
}

// wire takes one value; false says that it is none of this field's.
func (o oracle) wire(seen seenMessage, parts map[protoreflect.FieldNumber][]byte, fd protoreflect.FieldDescriptor, v wireValue) (bool, error) {
	want := wantedType(fd.Kind())
	if fd.IsList() && v.typ == protowire.BytesType && want != protowire.BytesType && want != protowire.StartGroupType {
		return o.packed(seen, fd, v.content)
	}
	if v.typ != want {
		return false, nil
	}
	if fd.IsMap() {
		return o.entry(seen, fd, v.content)
	}
	if fd.Message() != nil && !fd.IsList() {
		othersOut(seen, parts, fd)
		parts[fd.Number()] = append(parts[fd.Number()], v.content...)
		return true, nil
	}
	value, known, err := o.value(fd, v)
	if err != nil || !known {
		return known, err
	}
	othersOut(seen, parts, fd)
	if fd.IsList() && seen[fd.Number()] != nil {
		seen[fd.Number()].values = append(seen[fd.Number()].values, value)
	} else {
		seen[fd.Number()] = &seenField{fd: fd, values: []seenValue{value}}
	}
	return true, nil
}

// othersOut clears the other members of a oneof.
func othersOut(seen seenMessage, parts map[protoreflect.FieldNumber][]byte, fd protoreflect.FieldDescriptor) {
	o := fd.ContainingOneof()
	if o == nil {
		return
	}
	for i := range o.Fields().Len() {
		if n := o.Fields().Get(i).Number(); n != fd.Number() {
			delete(seen, n)
			delete(parts, n)
		}
	}
}

func (o oracle) packed(seen seenMessage, fd protoreflect.FieldDescriptor, content []byte) (bool, error) {
	allKnown := true
	for len(content) > 0 {
		v, n := wireValue{typ: wantedType(fd.Kind())}, 0
		switch v.typ {
		case protowire.VarintType:
			v.number64, n = protowire.ConsumeVarint(content)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(content)
			v.number64 = uint64(x)
		default:
			v.number64, n = protowire.ConsumeFixed64(content)
		}
		if n < 0 {
			return false, refuseSeen("a broken packed list %d", fd.Number())
		}
		content = content[n:]
		value, known, err := o.value(fd, v)
		if err != nil {
			return false, err
		}
		if !known {
			allKnown = false
			continue
		}
		if seen[fd.Number()] == nil {
			seen[fd.Number()] = &seenField{fd: fd}
		}
		seen[fd.Number()].values = append(seen[fd.Number()].values, value)
	}
	return allKnown, nil
}

// entry takes one entry of a map. One whose closed enum is unknown is put aside
// as a whole.
func (o oracle) entry(seen seenMessage, fd protoreflect.FieldDescriptor, content []byte) (bool, error) {
	raw, err := splitWire(content)
	if err != nil {
		return false, err
	}
	value := fd.MapValue()
	for _, v := range raw {
		if v.number != 2 || v.typ != wantedType(value.Kind()) || value.Enum() == nil {
			continue
		}
		if _, known, err := o.value(value, v); err != nil || !known {
			return known, err
		}
	}
	inner, err := o.binary(fd.Message(), content, true)
	if err != nil {
		return false, err
	}
	e := seenEntry{key: zeroSeen(fd.MapKey()), value: zeroSeen(value)}
	if k := inner[1]; k != nil {
		e.key = k.values[0]
	}
	if v := inner[2]; v != nil {
		e.value = v.values[0]
	}
	if value.Message() != nil && inner[2] == nil {
		if err := requiredSeen(value.Message(), seenMessage{}); err != nil {
			return false, err
		}
	}
	keepEntry(seen, fd, e)
	return true, nil
}

func keepEntry(seen seenMessage, fd protoreflect.FieldDescriptor, e seenEntry) {
	if seen[fd.Number()] == nil {
		seen[fd.Number()] = &seenField{fd: fd, entries: map[string]seenEntry{}}
	}
	seen[fd.Number()].entries[keySeen(e.key)] = e
}

func keySeen(v seenValue) string {
	switch {
	case v.kind == protoreflect.BoolKind:
		return fmt.Sprint(v.integer.Sign() != 0)
	case v.integer != nil:
		return v.integer.String()
	}
	return string(v.text)
}

// value decodes a scalar, or a list's message; false is an unknown number of a
// closed enum.
func (o oracle) value(fd protoreflect.FieldDescriptor, v wireValue) (seenValue, bool, error) {

	s := seenValue{kind: fd.Kind()}
	x := v.number64
	switch fd.Kind() {
	case protoreflect.BoolKind:
		s.integer = big.NewInt(0)
		if x != 0 {
			s.integer = big.NewInt(1)
		}
	case protoreflect.EnumKind:
		return o.enumNumber(fd, int32(x), false)
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		s.integer = big.NewInt(int64(int32(x)))
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		s.integer = big.NewInt(int64(x))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		s.integer = big.NewInt(int64(uint32(x)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		s.integer = new(big.Int).SetUint64(x)
	case protoreflect.Sint32Kind:
		y := uint32(x)
		s.integer = big.NewInt(int64(int32(y>>1) ^ -int32(y&1)))
	case protoreflect.Sint64Kind:
		s.integer = big.NewInt(int64(x>>1) ^ -int64(x&1))
	case protoreflect.FloatKind:
		s.float = float64(math.Float32frombits(uint32(x)))
	case protoreflect.DoubleKind:
		s.float = math.Float64frombits(x)
	case protoreflect.StringKind:
		e, _ := fd.(interface{ EnforceUTF8() bool })
		if e != nil && e.EnforceUTF8() && !utf8.Valid(v.content) {
			return s, false, refuseSeen("field %d is not UTF-8", fd.Number())
		}
		s.text = v.content
	case protoreflect.BytesKind:
		s.text = v.content
	default:
		inner, err := o.binary(fd.Message(), v.content, false)
		s.message = inner
		return s, true, err
	}
	return s, true, nil
}

// enumNumber takes an enum value that came as a number.
func (o oracle) enumNumber(fd protoreflect.FieldDescriptor, n int32, json bool) (seenValue, bool, error) {
	s := seenValue{kind: protoreflect.EnumKind, integer: big.NewInt(int64(n))}
	if declared := fd.Enum().Values().ByNumber(protoreflect.EnumNumber(n)); declared != nil {
		s.name = string(declared.Name())
		return s, true, nil
	}
	closed := fd.Enum().IsClosed()
	switch {
	case o.writer:
	case o.enums == contract.Reject, closed && o.enums == "" && json,
		closed && o.enums == "" && o.fields == contract.Reject:
		return s, false, refuseSeen("%d is no value of %s", n, fd.Enum().Name())
	case closed:
		return s, false, nil
	}
	return s, true, nil
}

// zeroSeen is what a reader sees where nothing came.
func zeroSeen(fd protoreflect.FieldDescriptor) seenValue {
	s := seenValue{kind: fd.Kind(), integer: new(big.Int)}
	switch v := fd.Default().Interface().(type) {
	case bool:
		if v {
			s.integer.SetInt64(1)
		}
	case int32:
		s.integer.SetInt64(int64(v))
	case int64:
		s.integer.SetInt64(v)
	case uint32:
		s.integer.SetUint64(uint64(v))
	case uint64:
		s.integer.SetUint64(v)
	case protoreflect.EnumNumber:
		s.integer.SetInt64(int64(v))
		s.name = string(fd.Enum().Values().ByNumber(v).Name())
	case float32:
		s.integer, s.float = nil, float64(v)
	case float64:
		s.integer, s.float = nil, v
	case string:
		s.integer, s.text = nil, []byte(v)
	case []byte:
		s.integer, s.text = nil, v
	default:
		s.integer, s.message = nil, seenMessage{}
	}
	return s
}

// requiredSeen refuses a message that lacks what it requires.
func requiredSeen(md protoreflect.MessageDescriptor, seen seenMessage) error {
	for i := range md.RequiredNumbers().Len() {
		if n := md.RequiredNumbers().Get(i); seen[n] == nil {
			return refuseSeen("required field %d of %s", n, md.Name())
		}
	}
	return nil
}
