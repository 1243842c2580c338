package compat

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
)

// travels names where a role's value really stands in an event: a path, or the
// field numbers where both revisions travel in Protobuf binary, where a rename
// moves nothing.
func (p pair) travels(e *contract.Event, l contract.Locator) string {
	s, ok := e.Schema.(*protobuf.Schema)
	binary := p.new.Encoding() == contract.Protobuf && p.old.Encoding() == contract.Protobuf
	if l.Carrier != contract.InPayload || !ok || !binary {
		return l.String()
	}
	message, numbers := s.Descriptor(), []string{}
	for _, step := range l.Path {
		field := fieldNamed(message, step)
		if field == nil {
			return l.String() // a lint says that it leads nowhere
		}
		numbers = append(numbers, strconv.Itoa(int(field.Number())))
		message = field.Message()
	}
	return "#" + strings.Join(numbers, ".")
}

func fieldNamed(message protoreflect.MessageDescriptor, step contract.Step) protoreflect.FieldDescriptor {
	if message == nil || step.Kind != contract.FieldStep {
		return nil
	}
	return message.Fields().ByName(protoreflect.Name(step.Name))
}

// sameRole reports whether a role stands where it stood.
func sameRole(p pair, next, prev contract.Role) bool {
	if next.Set() != prev.Set() {
		return false
	}
	return p.travels(p.new, next.Locator.Value) == p.travels(p.old, prev.Locator.Value)
}

// written is a role's place as the manifest writes it.
func written(r contract.Role) string {
	if !r.Set() {
		return "nothing"
	}
	return r.Locator.Value.String()
}
