package compat

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// typeName is a field's type as its author wrote it.
func typeName(f protoreflect.FieldDescriptor) string {
	switch {
	case f.IsMap():
		return fmt.Sprintf("map<%s, %s>", typeName(f.MapKey()), typeName(f.MapValue()))
	case f.IsList():
		return "repeated " + valueName(f)
	}
	return valueName(f)
}

func valueName(f protoreflect.FieldDescriptor) string {
	switch {
	case f.Kind() == protoreflect.GroupKind:
		return "group " + string(f.Message().Name())
	case f.Message() != nil:
		return string(f.Message().Name())
	case f.Enum() != nil:
		return string(f.Enum().Name())
	}
	return f.Kind().String()
}
