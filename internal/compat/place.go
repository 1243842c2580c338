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

// unsaid tells why what was sent before need not carry a role that the old
// contract did not declare, "" where it does. What the new schema requires in
// the payload is left to the payload's own rules.
func (p pair) unsaid(l contract.Locator) string {
	switch l.Carrier {
	case contract.InHeader:
		return "need not have this header"
	case contract.InAttribute:
		if l.Name == "id" || l.Name == "time" { // on every event that a relay sends
			return ""
		}
		return "need not have this attribute"
	}
	if p.always(p.old, l) || p.refused(l) {
		return ""
	}
	return "need not have this field"
}

// always reports whether every event of a revision has a value there.
func (p pair) always(e *contract.Event, l contract.Locator) bool {
	if e.Schema == nil {
		return true // another finding says so
	}
	path := l.Path
	if p.binary() {
		path = p.named(e, p.travels(p.new, l))
	}
	f, err := e.Schema.Field(path)
	return err == nil && len(path) > 0 && f.Required
}

// named is the path of field numbers, as travels gives them, in a revision; nil
// where it has none such.
func (p pair) named(e *contract.Event, numbers string) contract.Path {
	message := e.Schema.(*protobuf.Schema).Descriptor()
	var path contract.Path
	for number := range strings.SplitSeq(strings.TrimPrefix(numbers, "#"), ".") {
		n, err := strconv.Atoi(number)
		if err != nil || message == nil {
			return nil
		}
		field := message.Fields().ByNumber(protoreflect.FieldNumber(n))
		if field == nil {
			return nil
		}
		path, message = path.Field(string(field.Name())), field.Message()
	}
	return path
}

// refused reports whether a new reader refuses an event that lacks the field, so
// that the payload's rules tell of it.
func (p pair) refused(l contract.Locator) bool {
	if p.new.Schema == nil {
		return true
	}
	f, err := p.new.Schema.Field(l.Path)
	return err != nil || f.Required && f.Presence != contract.Implicit
}
