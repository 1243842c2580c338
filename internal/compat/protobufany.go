package compat

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// anys looks into an Any: the writer may put any message of its closure there,
// under its full name. A type of one name on both sides is compared; one that
// the reader's closure lacks is a warning, since nobody says that it is ever sent.
func (w *protoWalk) anys(p fieldPair) {
	for _, m := range carried(w.writer) {
		t, err := w.reader.Types().FindMessageByName(m.FullName())
		if err != nil {
			w.unresolved(p, m)
			continue
		}
		w.push(visit{
			reader: t.Descriptor(), writer: m, path: p.inside(p.path), old: p.inside(p.old),
			route: append(p.route[:len(p.route):len(p.route)], hop{field: p.writer, carries: m, needs: p.needs}),
		})
	}
}

func (w *protoWalk) unresolved(p fieldPair, m protoreflect.MessageDescriptor) {
	key := "any " + string(m.FullName())
	if w.said[key] {
		return
	}
	w.said[key] = true
	c := claim{writerAt: m, Break: Break{Rule: "field-lost", Severity: rule.Warning}}
	c.Message = fmt.Sprintf("%s may carry %s, which the reader's schema does not have: it cannot unpack it", p.path, m.FullName())
	if w.wire == jsonWire {
		c.Rule = "parse-refused"
		c.Message = fmt.Sprintf("%s may carry %s, which the reader's schema does not have: it refuses the whole event", p.path, m.FullName())
	}
	w.add(p, c)
}

// carried lists the messages that a writer may put in an Any: those of its own
// files, without the events themselves, which travel on their own.
func carried(s *protobuf.Schema) []protoreflect.MessageDescriptor {
	var all []protoreflect.MessageDescriptor
	for _, fd := range s.FileDescriptors() {
		if fd.Package() != "google.protobuf" {
			all = appendMessages(all, fd.Messages(), s.Descriptor())
		}
	}
	return all
}

func appendMessages(to []protoreflect.MessageDescriptor, messages protoreflect.MessageDescriptors, root protoreflect.MessageDescriptor) []protoreflect.MessageDescriptor {
	for i := range messages.Len() {
		m := messages.Get(i)
		if m != root && !m.IsMapEntry() {
			to = appendMessages(append(to, m), m.Messages(), root)
		}
	}
	return to
}
