package compat

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
)

// json decodes a document as the specification of ProtoJSON says.
func (o oracle) json(md protoreflect.MessageDescriptor, data []byte) (seenMessage, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return nil, refuseSeen("%v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, refuseSeen("more than one value")
	}
	return o.jsonMessage(md, document)
}

func (o oracle) jsonMessage(md protoreflect.MessageDescriptor, document any) (seenMessage, error) {
	object, ok := document.(map[string]any)
	if !ok {
		return nil, refuseSeen("%T is no %s", document, md.Name())
	}
	seen := seenMessage{}
	chosen := map[protoreflect.OneofDescriptor]bool{}
	for key, value := range object {
		fd := jsonField(md, key)
		if fd == nil && o.fields == contract.Reject {
			return nil, refuseSeen("unknown field %s", key)
		}
		if fd == nil || value == nil {
			continue
		}
		if c := fd.ContainingOneof(); c != nil && chosen[c] {
			return nil, refuseSeen("two members of %s", c.Name())
		} else if c != nil {
			chosen[c] = true
		}
		f, err := o.jsonField(fd, value)
		if err != nil {
			return nil, err
		}
		if f != nil {
			seen[fd.Number()] = f
		}
	}
	return seen, requiredSeen(md, seen)
}

// jsonField finds a field by its JSON name, then by its own.
func jsonField(md protoreflect.MessageDescriptor, key string) protoreflect.FieldDescriptor {
	var byName protoreflect.FieldDescriptor
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		if fd.JSONName() == key {
			return fd
		}
		if string(fd.Name()) == key {
			byName = fd
		}
	}
	return byName
}

func (o oracle) jsonField(fd protoreflect.FieldDescriptor, value any) (*seenField, error) {
	f := &seenField{fd: fd}
	switch {
	case fd.IsMap():
		f.entries = map[string]seenEntry{}
		object, ok := value.(map[string]any)
		if !ok {
			return nil, refuseSeen("%T is no map", value)
		}
		for text, v := range object {
			key, err := jsonMapKey(fd.MapKey(), text)
			if err != nil {
				return nil, err
			}
			s, known, err := o.jsonValue(fd.MapValue(), v)
			if err != nil {
				return nil, err
			}
			if known {
				keepEntry(seenMessage{fd.Number(): f}, fd, seenEntry{key, s})
			}
		}
		if len(f.entries) == 0 {
			return nil, nil
		}
		return f, nil
	case fd.IsList():
		list, ok := value.([]any)
		if !ok {
			return nil, refuseSeen("%T is no list", value)
		}
		for _, v := range list {
			s, known, err := o.jsonValue(fd, v)
			if err != nil {
				return nil, err
			}
			if known {
				f.values = append(f.values, s)
			}
		}
		if len(f.values) == 0 {
			return nil, nil
		}
		return f, nil
	}
	s, known, err := o.jsonValue(fd, value)
	if err != nil || !known {
		return nil, err
	}
	f.values = []seenValue{s}
	return f, nil
}

func jsonMapKey(fd protoreflect.FieldDescriptor, text string) (seenValue, error) {
	s := seenValue{kind: fd.Kind()}
	switch fd.Kind() {
	case protoreflect.StringKind:
		s.text = []byte(text)
		return s, nil
	case protoreflect.BoolKind:
		if text != "true" && text != "false" {
			return s, refuseSeen("the key %q is no bool", text)
		}
		s.integer = big.NewInt(0)
		if text == "true" {
			s.integer = big.NewInt(1)
		}
		return s, nil
	}
	return s, jsonInteger(&s, text)
}

// jsonValue decodes one value; false is an enum's name that is ignored.
func (o oracle) jsonValue(fd protoreflect.FieldDescriptor, value any) (seenValue, bool, error) {
	s := seenValue{kind: fd.Kind()}
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	wrong := refuseSeen("%T is no %s", value, fd.Kind())
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		inner, err := o.jsonMessage(fd.Message(), value)
		s.message = inner
		return s, true, err
	case protoreflect.BoolKind:
		b, ok := value.(bool)
		if !ok {
			return s, false, wrong
		}
		s.integer = big.NewInt(0)
		if b {
			s.integer = big.NewInt(1)
		}
	case protoreflect.StringKind:
		if !isText {
			return s, false, wrong
		}
		s.text = []byte(text)
	case protoreflect.BytesKind:
		if !isText {
			return s, false, wrong
		}
		plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
		data, err := base64.RawStdEncoding.DecodeString(plain)
		if err != nil {
			return s, false, wrong
		}
		s.text = data
	case protoreflect.EnumKind:
		return o.jsonEnum(fd, text, isText, number, wrong)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		if !isText && !isNumber {
			return s, false, wrong
		}
		return s, true, jsonFloat(&s, text+string(number))
	default:
		if !isText && !isNumber {
			return s, false, wrong
		}
		return s, true, jsonInteger(&s, text+string(number))
	}
	return s, true, nil
}

func (o oracle) jsonEnum(fd protoreflect.FieldDescriptor, text string, isText bool, number json.Number, wrong error) (seenValue, bool, error) {
	if isText {
		v := fd.Enum().Values().ByName(protoreflect.Name(text))
		switch {
		case v != nil:
			return seenValue{kind: protoreflect.EnumKind, integer: big.NewInt(int64(v.Number())), name: text}, true, nil
		case o.enums == contract.Ignore:
			return seenValue{}, false, nil
		}
		return seenValue{}, false, refuseSeen("%s is no value of %s", text, fd.Enum().Name())
	}
	n, err := strconv.ParseInt(string(number), 10, 32)
	if err != nil {
		return seenValue{}, false, wrong
	}
	return o.enumNumber(fd, int32(n), true)
}

func jsonInteger(s *seenValue, text string) error {
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || strings.ContainsAny(text, " /_") {
		return refuseSeen("%q is no integer", text)
	}
	low, high := "-2147483648", "2147483647"
	switch s.kind {
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		low, high = "-9223372036854775808", "9223372036854775807"
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		low, high = "0", "4294967295"
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		low, high = "0", "18446744073709551615"
	}
	least, _ := new(big.Int).SetString(low, 10)
	most, _ := new(big.Int).SetString(high, 10)
	if s.integer = r.Num(); s.integer.Cmp(least) < 0 || s.integer.Cmp(most) > 0 {
		return refuseSeen("%s is out of range", text)
	}
	return nil
}

func jsonFloat(s *seenValue, text string) error {
	bits := 64
	if s.kind == protoreflect.FloatKind {
		bits = 32
	}
	switch text {
	case "NaN":
		s.float = math.NaN()
	case "Infinity":
		s.float = math.Inf(1)
	case "-Infinity":
		s.float = math.Inf(-1)
	default:
		f, err := strconv.ParseFloat(text, bits)
		if err != nil || strings.ContainsAny(text, "xX_ ") || strings.Contains(strings.ToLower(text), "n") {
			return refuseSeen("%q is no number", text)
		}
		s.float = f
	}
	return nil
}
