package compat

import "google.golang.org/protobuf/reflect/protoreflect"

// jsonShape is the outer form of a field's JSON.
type jsonShape uint8

const (
	scalarShape jsonShape = iota
	objectShape
	mapShape
	listShape
	anyShape
)

func jsonShapeOf(f protoreflect.FieldDescriptor) jsonShape {
	switch {
	case f.IsMap():
		return mapShape
	case f.IsList():
		return listShape
	}
	return jsonValueShape(f)
}

func jsonValueShape(f protoreflect.FieldDescriptor) jsonShape {
	if f.Message() == nil {
		return scalarShape
	}
	switch f.Message().FullName() {
	case "google.protobuf.Struct":
		return mapShape
	case "google.protobuf.ListValue":
		return listShape
	case "google.protobuf.Value":
		return anyShape
	}
	if jsonFormOf(f) == objectForm {
		return objectShape
	}
	return scalarShape
}

// jsonForm is how one value stands in JSON.
type jsonForm uint8

const (
	objectForm jsonForm = iota
	intForm             // of 32 bits: a number
	longForm            // of 64 bits: a string of digits
	floatForm
	doubleForm
	boolForm
	enumForm
	stringForm
	bytesForm
	timestampForm
	durationForm
	maskForm
)

var jsonForms = map[protoreflect.Kind]jsonForm{
	protoreflect.Int32Kind: intForm, protoreflect.Sint32Kind: intForm, protoreflect.Sfixed32Kind: intForm,
	protoreflect.Uint32Kind: intForm, protoreflect.Fixed32Kind: intForm,
	protoreflect.Int64Kind: longForm, protoreflect.Sint64Kind: longForm, protoreflect.Sfixed64Kind: longForm,
	protoreflect.Uint64Kind: longForm, protoreflect.Fixed64Kind: longForm,
	protoreflect.FloatKind: floatForm, protoreflect.DoubleKind: doubleForm, protoreflect.BoolKind: boolForm,
	protoreflect.EnumKind: enumForm, protoreflect.StringKind: stringForm, protoreflect.BytesKind: bytesForm,
}

var knownForms = map[protoreflect.FullName]jsonForm{
	"google.protobuf.Timestamp": timestampForm,
	"google.protobuf.Duration":  durationForm,
	"google.protobuf.FieldMask": maskForm,
}

// wrappers stand in JSON as the value that they wrap.
var wrappers = map[protoreflect.FullName]bool{
	"google.protobuf.BoolValue": true, "google.protobuf.StringValue": true, "google.protobuf.BytesValue": true,
	"google.protobuf.Int32Value": true, "google.protobuf.UInt32Value": true, "google.protobuf.FloatValue": true,
	"google.protobuf.Int64Value": true, "google.protobuf.UInt64Value": true, "google.protobuf.DoubleValue": true,
}

// unwrap is the field whose type counts in JSON.
func unwrap(f protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if m := f.Message(); m != nil && wrappers[m.FullName()] {
		return m.Fields().ByNumber(1)
	}
	return f
}

func jsonFormOf(f protoreflect.FieldDescriptor) jsonForm {
	f = unwrap(f)
	if m := f.Message(); m != nil {
		return knownForms[m.FullName()]
	}
	return jsonForms[f.Kind()]
}
