package compat

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
)

// value compares one value with what was read in its place.
func (o *observer) value(p contract.Path, f protoreflect.FieldDescriptor, sent protoreflect.Value, r protoreflect.FieldDescriptor, seen protoreflect.Value, fields *fieldSet) {
	if o.wire == jsonWire {
		f, sent = unboxed(f, sent)
		r, seen = unboxed(r, seen)
	}
	switch {
	case o.anything(r):
	case f.Message() != nil && r.Message() != nil && o.asText(f) == o.asText(r):
		o.content(p, sent.Message(), seen.Message(), fields)
	case f.Message() != nil || r.Message() != nil:
		if !o.asText(f) || r.Kind() != protoreflect.StringKind || messageText(sent.Message()) != seen.String() {
			o.differs(p, f, sent, r, seen)
		}
	case r.Enum() != nil && o.numberWithoutName(f, sent, r, seen):
		o.note(unnamed, p, showValue(f, sent), fmt.Sprintf("%d, a number without a name", seen.Enum()))
	case !o.equal(f, sent, r, seen):
		o.differs(p, f, sent, r, seen)
	}
}

// differs notes a value that came out as another; where that is the zero value,
// what was sent is also lost.
func (o *observer) differs(p contract.Path, f protoreflect.FieldDescriptor, sent protoreflect.Value, r protoreflect.FieldDescriptor, seen protoreflect.Value) {
	o.note(changed, p, showValue(f, sent), showValue(r, seen))
	if isZero(r, seen) {
		o.note(lost, p, showValue(f, sent), showValue(r, seen))
	}
}

func isZero(r protoreflect.FieldDescriptor, v protoreflect.Value) bool {
	switch {
	case r.Message() != nil:
		return len(populated(v.Message())) == 0
	case r.Kind() == protoreflect.BytesKind:
		return len(v.Bytes()) == 0
	}
	return v.Equal(r.Default())
}

// numberWithoutName reports whether the right number arrived and the reader's
// enum has no name for it.
func (o *observer) numberWithoutName(f protoreflect.FieldDescriptor, sent protoreflect.Value, r protoreflect.FieldDescriptor, seen protoreflect.Value) bool {
	n, ok := integerOf(f, sent)
	return ok && n.Cmp(big.NewInt(int64(seen.Enum()))) == 0 && r.Enum().Values().ByNumber(seen.Enum()) == nil
}

// unboxed is the value within a wrapper, which JSON does not show.
func unboxed(f protoreflect.FieldDescriptor, v protoreflect.Value) (protoreflect.FieldDescriptor, protoreflect.Value) {
	if inner := unwrap(f); inner != f {
		return inner, v.Message().Get(inner)
	}
	return f, v
}

// asText reports whether a message stands as a string in JSON.
func (o *observer) asText(f protoreflect.FieldDescriptor) bool {
	return o.wire == jsonWire && f.Message() != nil && knownForms[f.Message().FullName()] != objectForm
}

func messageText(m protoreflect.Message) string {
	text, err := protojson.Marshal(m.Interface())
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(text), `"`)
}

// content compares two messages; of two Anys, what they carry.
func (o *observer) content(p contract.Path, sent, seen protoreflect.Message, fields *fieldSet) {
	if sent.Descriptor().FullName() == anyName && seen.Descriptor().FullName() == anyName {
		a, b := o.unpack(sent, o.writer.Types()), o.unpack(seen, o.reader.Types())
		if a != nil && b != nil {
			o.specified(p, b, fields)
			o.messages(p, a, b, fields)
			return
		}
		if b == nil && a != nil && seen.Get(seen.Descriptor().Fields().ByNumber(1)).String() != "" {
			o.note(lost, p, "a "+string(a.Descriptor().FullName()), "what it cannot unpack")
		}
		return
	}
	if o.wire == jsonWire && (sent.Descriptor().FullName() == anyName || seen.Descriptor().FullName() == anyName) {
		if len(populated(sent)) == 0 {
			return
		}
		if o.as.UnknownFields == contract.Reject {
			o.refuse("the type that an Any names in @type")
		}
		o.note(lost, p, "a "+string(sent.Descriptor().FullName()), "a "+string(seen.Descriptor().FullName())+" without a type")
		return
	}
	if o.wire == jsonWire && sent.Descriptor().FullName() == structName && seen.Descriptor().FullName() != structName {
		o.keys(p, sent.Get(sent.Descriptor().Fields().ByNumber(1)).Map(), seen)
		return
	}
	o.messages(p, sent, seen, fields)
}

func (o *observer) unpack(any protoreflect.Message, types protobuf.Resolver) protoreflect.Message {
	fields := any.Descriptor().Fields()
	t, err := types.FindMessageByURL(any.Get(fields.ByNumber(1)).String())
	if err != nil {
		return nil
	}
	m := dynamicpb.NewMessage(t.Descriptor())
	if err := (proto.UnmarshalOptions{Resolver: types}).Unmarshal(any.Get(fields.ByNumber(2)).Bytes(), m); err != nil {
		o.refuse("%v", err)
		return nil
	}
	return m
}

const structName = "google.protobuf.Struct"

// keys looks for a Struct's keys among the fields of a message.
func (o *observer) keys(p contract.Path, sent protoreflect.Map, seen protoreflect.Message) {
	fields := seen.Descriptor().Fields()
	for _, k := range mapKeys(sent) {
		switch {
		case fields.ByJSONName(k.String()) != nil || fields.ByTextName(k.String()) != nil:
		case o.as.UnknownFields == contract.Reject:
			o.refuse("unknown field %s in %s", k.String(), orRoot(p))
		default:
			o.note(lost, p, "the key "+k.String(), "nothing")
		}
	}
}

// equal compares two scalars of whatever types.
func (o *observer) equal(f protoreflect.FieldDescriptor, sent protoreflect.Value, r protoreflect.FieldDescriptor, seen protoreflect.Value) bool {
	if o.wire == jsonWire && f.Enum() != nil && r.Enum() != nil {
		return o.equalNames(f, sent, r, seen)
	}
	if a, ok := integerOf(f, sent); ok {
		return equalInteger(f, a, r, seen)
	}
	switch a := sent.Interface().(type) {
	case float32:
		return equalFloat32(a, seen)
	case float64:
		b, ok := seen.Interface().(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b))
	case string:
		if r.Enum() != nil {
			return o.wire == jsonWire && enumName(r.Enum(), seen.Enum()) == protoreflect.Name(a)
		}
		return equalBytes([]byte(a), seen, o.wire == binaryWire || r.Kind() == protoreflect.StringKind)
	case []byte:
		return equalBytes(a, seen, o.wire == binaryWire || r.Kind() == protoreflect.BytesKind)
	}
	return false
}

// equalNames compares enum values that travel by name, or as a bare number
// where they have none.
func (o *observer) equalNames(f protoreflect.FieldDescriptor, sent protoreflect.Value, r protoreflect.FieldDescriptor, seen protoreflect.Value) bool {
	name := enumName(f.Enum(), sent.Enum())
	if name == "" {
		return sent.Enum() == seen.Enum()
	}
	v := r.Enum().Values().ByName(name)
	return v != nil && v.Number() == seen.Enum()
}

// equalInteger compares an integer with an integer, a floating number or, where
// 64 bits travel as text in JSON, with that text.
func equalInteger(f protoreflect.FieldDescriptor, a *big.Int, r protoreflect.FieldDescriptor, seen protoreflect.Value) bool {
	if b, ok := integerOf(r, seen); ok {
		return a.Cmp(b) == 0
	}
	switch b := seen.Interface().(type) {
	case float32:
		return equalRat(a, float64(b))
	case float64:
		return equalRat(a, b)
	case string:
		return f.Enum() == nil && a.String() == b
	}
	return false
}

func equalRat(a *big.Int, b float64) bool {
	if b != math.Trunc(b) || math.IsInf(b, 0) {
		return false
	}
	exact, _ := new(big.Float).SetFloat64(b).Int(nil)
	return exact.Cmp(a) == 0
}

func equalFloat32(a float32, seen protoreflect.Value) bool {
	switch b := seen.Interface().(type) {
	case float32:
		return a == b || a != a && b != b
	case float64: // the shortest text of a float is another double
		return a == float32(b) || a != a && b != b
	}
	return false
}

func equalBytes(a []byte, seen protoreflect.Value, comparable bool) bool {
	switch b := seen.Interface().(type) {
	case string:
		return comparable && bytes.Equal(a, []byte(b))
	case []byte:
		return comparable && bytes.Equal(a, b)
	}
	return false
}

// integerOf gives the number of an integer, a bool or an enum.
func integerOf(f protoreflect.FieldDescriptor, v protoreflect.Value) (*big.Int, bool) {
	switch n := v.Interface().(type) {
	case bool:
		if n {
			return bigOne, true
		}
		return bigZero, true
	case int32:
		return big.NewInt(int64(n)), true
	case int64:
		return big.NewInt(n), true
	case uint32:
		return big.NewInt(int64(n)), true
	case uint64:
		return new(big.Int).SetUint64(n), true
	case protoreflect.EnumNumber:
		return big.NewInt(int64(n)), true
	}
	return nil, false
}

// keys lists a map's keys in a fixed order.
func mapKeys(m protoreflect.Map) []protoreflect.MapKey {
	var all []protoreflect.MapKey
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		all = append(all, k)
		return true
	})
	slices.SortFunc(all, compareKeys)
	return all
}

// compareKeys orders keys as the library writes them: by number or by text.
func compareKeys(a, b protoreflect.MapKey) int {
	switch x := a.Interface().(type) {
	case int32, int64:
		return cmp.Compare(a.Int(), b.Int())
	case uint32, uint64:
		return cmp.Compare(a.Uint(), b.Uint())
	case string:
		return strings.Compare(x, b.String())
	}
	return strings.Compare(a.String(), b.String()) // false before true
}
