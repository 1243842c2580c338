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
	if l.Carrier != contract.InPayload || !ok || !p.binary() {
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

// binary reports whether both revisions are known to travel in Protobuf binary.
func (p pair) binary() bool {
	for _, e := range []*contract.Event{p.new, p.old} {
		if _, ok := e.Schema.(*protobuf.Schema); !ok || e.Encoding() != contract.Protobuf {
			return false
		}
	}
	return true
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

// told is where a role stood and stands, as the manifests write it or, where
// they write the same and the number moved, with the numbers.
func (p pair) told(next, prev contract.Role) (is, was string) {
	is, was = written(next), written(prev)
	if is == was && next.Set() {
		is += " (" + p.travels(p.new, next.Locator.Value) + ")"
		was += " (" + p.travels(p.old, prev.Locator.Value) + ")"
	}
	return is, was
}

// written is a role's place as the manifest writes it.
func written(r contract.Role) string {
	if !r.Set() {
		return "nothing"
	}
	return r.Locator.Value.String()
}
