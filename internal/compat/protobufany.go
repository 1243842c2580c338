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
		alone := w.alone(m)
		if alone && w.guide == nil {
			continue
		}
		t, err := w.reader.Types().FindMessageByName(m.FullName())
		switch {
		case err == nil:
			v := visit{
				reader: t.Descriptor(), writer: m, path: p.inside(p.path), old: p.inside(p.old),
				route: append(p.route[:len(p.route):len(p.route)], hop{field: p.writer, carries: m, needs: p.needs}),
			}
			if !alone {
				w.push(v)
			} else if w.worth(v) {
				w.guide.leads(w, v) // another root's walk goes there
			}
		case alone:
			w.guide.heard++ // another root's walk has something to say
		default:
			w.unresolved(p, m)
		}
	}
}

// alone reports whether a message is the event itself, or part of it, which
// travels on its own and not in an Any within.
func (w *protoWalk) alone(m protoreflect.Descriptor) bool {
	for ; m != nil; m = m.Parent() {
		if m == protoreflect.Descriptor(w.writer.Descriptor()) {
			return true
		}
	}
	return false
}

func (w *protoWalk) unresolved(p fieldPair, m protoreflect.MessageDescriptor) {
	if !w.once("any " + string(m.FullName())) {
		return
	}
	c := claim{writerAt: m, Break: Break{Rule: "field-lost", Severity: rule.Warning}}
	c.Message = fmt.Sprintf("%s may carry %s, which the reader's schema does not have: it cannot unpack it", p.path, m.FullName())
	if w.wire == jsonWire {
		c.Rule = "parse-refused"
		c.Message = fmt.Sprintf("%s may carry %s, which the reader's schema does not have: it refuses the whole event", p.path, m.FullName())
	}
	w.add(p, c)
}

// carried lists the messages that a writer may put in an Any: those of its own
// files.
func carried(s *protobuf.Schema) []protoreflect.MessageDescriptor {
	var all []protoreflect.MessageDescriptor
	for _, fd := range s.FileDescriptors() {
		if fd.Package() != "google.protobuf" {
			all = appendMessages(all, fd.Messages())
		}
	}
	return all
}

func appendMessages(to []protoreflect.MessageDescriptor, messages protoreflect.MessageDescriptors) []protoreflect.MessageDescriptor {
	for i := range messages.Len() {
		m := messages.Get(i)
		if !m.IsMapEntry() {
			to = appendMessages(append(to, m), m.Messages())
		}
	}
	return to
}
