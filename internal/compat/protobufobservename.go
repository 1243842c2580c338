package compat

import (
	"encoding/base64"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
)

// knownNames leaves out enum values whose names the reader doesn't know. The
// library drops them where it ignores unknown fields; a reader that doesn't
// ignore them refuses the event.
func (o *observer) knownNames(p contract.Path, f protoreflect.FieldDescriptor, sent []protoreflect.Value, r protoreflect.FieldDescriptor) []protoreflect.Value {
	var known []protoreflect.Value
	for _, v := range sent {
		name := jsonTextOf(f, v)
		switch {
		case name == "" && isNumber(f) || r.Enum().Values().ByName(name) != nil:
			known = append(known, v)
		case o.as.UnknownEnums == contract.Ignore:
			o.note(unnamed, p, showValue(f, v), "nothing: it ignores "+string(name))
		default:
			o.refuse("%s is no value of %s", name, r.Enum().Name())
		}
	}
	return known
}

// jsonTextOf is a value's JSON where that is a string, else "".
func jsonTextOf(f protoreflect.FieldDescriptor, v protoreflect.Value) protoreflect.Name {
	if f, v = unboxed(f, v); isNull(f) {
		return ""
	} else if f.Enum() != nil {
		return enumName(f.Enum(), v.Enum())
	}
	switch x := v.Interface().(type) {
	case string:
		return protoreflect.Name(x)
	case []byte:
		return protoreflect.Name(base64.StdEncoding.EncodeToString(x))
	case int64, uint64:
		return protoreflect.Name(fmt.Sprint(x))
	case protoreflect.Message:
		return protoreflect.Name(messageText(x))
	}
	return ""
}

// isNumber reports whether a value's JSON may be no string at all.
func isNumber(f protoreflect.FieldDescriptor) bool {
	switch jsonFormOf(f) {
	case stringForm, bytesForm, timestampForm, durationForm, maskForm:
		return false
	}
	return true
}

func enumName(e protoreflect.EnumDescriptor, n protoreflect.EnumNumber) protoreflect.Name {
	if v := e.Values().ByNumber(n); v != nil {
		return v.Name()
	}
	return ""
}
