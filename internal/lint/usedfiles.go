package lint

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/protobuf"
)

// usage collects the files whose declarations a .proto file uses.
type usage struct {
	types protobuf.Resolver
	files map[string]bool
	sure  bool // every option could be understood
}

// usedFiles lists the paths of the files that a file uses anything of. It is not
// sure of that where an option's meaning is unknown.
func usedFiles(file protoreflect.FileDescriptor, types protobuf.Resolver) (map[string]bool, bool) {
	u := &usage{types: types, files: map[string]bool{}, sure: true}
	u.options(file)
	u.messages(file.Messages())
	u.enums(file.Enums())
	u.fields(file.Extensions())
	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		u.options(service)
		for j := range service.Methods().Len() {
			method := service.Methods().Get(j)
			u.options(method)
			u.uses(method.Input())
			u.uses(method.Output())
		}
	}
	return u.files, u.sure
}

func (u *usage) uses(d protoreflect.Descriptor) { u.files[d.ParentFile().Path()] = true }

func (u *usage) messages(list protoreflect.MessageDescriptors) {
	for i := range list.Len() {
		m := list.Get(i)
		u.options(m)
		u.messages(m.Messages())
		u.enums(m.Enums())
		u.fields(m.Fields())
		u.fields(m.Extensions())
		for j := range m.Oneofs().Len() {
			u.options(m.Oneofs().Get(j))
		}
		for j := range m.ExtensionRanges().Len() {
			u.optionsOf(m.ExtensionRangeOptions(j).ProtoReflect())
		}
	}
}

func (u *usage) enums(list protoreflect.EnumDescriptors) {
	for i := range list.Len() {
		u.options(list.Get(i))
		for j := range list.Get(i).Values().Len() {
			u.options(list.Get(i).Values().Get(j))
		}
	}
}

// fields takes a message's fields or a list of extensions.
func (u *usage) fields(list interface {
	Len() int
	Get(int) protoreflect.FieldDescriptor
},
) {
	for i := range list.Len() {
		f := list.Get(i)
		u.options(f)
		if f.IsExtension() {
			u.uses(f.ContainingMessage())
		}
		if m := f.Message(); m != nil {
			u.uses(m)
		}
		if e := f.Enum(); e != nil {
			u.uses(e)
		}
	}
}

func (u *usage) options(d protoreflect.Descriptor) { u.optionsOf(d.Options().ProtoReflect()) }

// optionsOf uses the files that declare the custom options which are set.
func (u *usage) optionsOf(m protoreflect.Message) {
	if !m.IsValid() {
		return
	}
	u.unresolved(m.Descriptor(), m.GetUnknown())
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.IsExtension() {
			u.uses(f)
		}
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, value protoreflect.Value) bool { u.optionsOf(value.Message()); return true })
		case f.IsMap() || f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				u.optionsOf(v.List().Get(i).Message())
			}
		default:
			u.optionsOf(v.Message())
		}
		return true
	})
}

// unresolved uses the files that declare options which stand in bytes only, and
// what these hold in turn.
func (u *usage) unresolved(m protoreflect.MessageDescriptor, data []byte) {
	for len(data) > 0 {
		number, typ, size := protowire.ConsumeTag(data)
		length := -1
		if size >= 0 {
			length = protowire.ConsumeFieldValue(number, typ, data[size:])
		}
		if length < 0 {
			u.sure = false
			return
		}
		value := data[size : size+length]
		data = data[size+length:]
		f := m.Fields().ByNumber(number)
		if f == nil {
			x, err := u.types.FindExtensionByNumber(m.FullName(), number)
			if err != nil {
				u.sure = false
				continue
			}
			f = x.TypeDescriptor()
			u.uses(f)
		}
		if f.Message() != nil && typ == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(value)
			u.unresolved(f.Message(), content)
		}
	}
}
