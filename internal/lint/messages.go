package lint

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/protobuf"
)

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
