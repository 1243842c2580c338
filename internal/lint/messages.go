package lint

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/protobuf"
)

// declared is what a person calls a field: the value of a map is that of the field
// that is the map.
func declared(f protoreflect.FieldDescriptor) string {
	entry := f.ContainingMessage()
	if holder, ok := entry.Parent().(protoreflect.MessageDescriptor); ok && entry.IsMapEntry() {
		for i := range holder.Fields().Len() {
			if m := holder.Fields().Get(i); m.Message() == entry {
				return string(holder.Name()) + "." + string(m.Name())
			}
		}
	}
	return string(entry.Name()) + "." + string(f.Name())
}

// messages lists every message that a Protobuf schema reaches from its root, in
// the order of the fields. Google's own are left out: nobody here can mend them.
func messages(s *protobuf.Schema) []protoreflect.MessageDescriptor {
	queue, seen := []protoreflect.MessageDescriptor{s.Descriptor()}, map[protoreflect.FullName]bool{}
	var list []protoreflect.MessageDescriptor
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		if seen[m.FullName()] || m.ParentFile().Package() == "google.protobuf" {
			continue
		}
		seen[m.FullName()] = true
		list = append(list, m)
		for i := range m.Fields().Len() {
			if inner := m.Fields().Get(i).Message(); inner != nil {
				queue = append(queue, inner)
			}
		}
	}
	return list
}

// enums lists every enum that a Protobuf schema reaches from its root.
func enums(s *protobuf.Schema) []protoreflect.EnumDescriptor {
	seen := map[protoreflect.FullName]bool{}
	var list []protoreflect.EnumDescriptor
	for _, m := range messages(s) {
		for i := range m.Fields().Len() {
			if e := m.Fields().Get(i).Enum(); e != nil && !seen[e.FullName()] && e.ParentFile().Package() != "google.protobuf" {
				seen[e.FullName()] = true
				list = append(list, e)
			}
		}
	}
	return list
}
