package compat

import (
	"fmt"
	"math/big"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// enums judges two enums. One that many fields share is judged once for each
// thing that happens to it.
func (w *protoWalk) enums(p fieldPair) {
	if w.wire == jsonWire {
		w.enumNames(p)
		return
	}
	w.enumNumbers(p)
	w.enumMeaning(p)
}

// enumNames finds values that travel under a name that the reader doesn't know.
func (w *protoWalk) enumNames(p fieldPair) {
	names := p.read.Enum().Values()
	gone := p.sentValues(func(v protoreflect.EnumValueDescriptor) bool { return names.ByName(v.Name()) == nil })
	if len(gone) == 0 {
		return
	}
	w.enumClaim(p, gone, w.unknownName(p))
}

// fate is what a reader makes of an enum value that it doesn't know.
type fate struct {
	rule        string
	severity    rule.Severity
	consequence string
}

// unmissable is what becomes of a required field whose value is put aside.
var unmissable = fate{"value-refused", rule.Error, "the reader puts it aside, misses a field that it requires, and refuses the event"}

func (w *protoWalk) unknownName(p fieldPair) fate {
	if w.as.UnknownEnums == contract.Ignore {
		if p.reader.Cardinality() == protoreflect.Required {
			return unmissable
		}
		return fate{"enum-unnamed", rule.Warning, "the reader ignores it and sees nothing"}
	}
	return fate{"value-refused", rule.Error, "the reader refuses the event"}
}

// unknownNumber is what becomes of a number that the reader's enum lacks.
func (w *protoWalk) unknownNumber(p fieldPair) fate {
	closed := p.read.Enum().IsClosed()
	switch {
	case w.as.UnknownEnums == contract.Reject:
		return fate{"value-refused", rule.Error, "the reader refuses the event"}
	case closed && p.reader.Cardinality() == protoreflect.Required && (w.wire == binaryWire || w.as.UnknownEnums == contract.Ignore):
		return unmissable
	case closed && w.as.UnknownEnums == contract.Ignore:
		return fate{"enum-unnamed", rule.Warning, "the reader puts it aside and sees nothing"}
	case closed && w.wire == binaryWire && w.as.UnknownFields == contract.Reject:
		return fate{"value-refused", rule.Error, "the reader's enum is closed, so this is an unknown field to it, which it refuses"}
	case closed && w.wire == jsonWire:
		return fate{"value-refused", rule.Error, "the reader's enum is closed, and it refuses the event"}
	case closed && p.reader.IsMap():
		return fate{"element-lost", rule.Error, "the reader's enum is closed: it puts the whole entry aside and never sees it"}
	case closed && p.reader.IsList():
		return fate{"element-lost", rule.Error, "the reader's enum is closed: the element vanishes from the list"}
	case closed:
		return fate{"field-lost", rule.Error, "the reader's enum is closed: it puts the value aside and sees its default"}
	}
	return fate{"enum-unnamed", rule.Warning, "the reader sees a number without a name"}
}

// keepsNumber reports whether a reader sees numbers that its enum lacks.
func (w *protoWalk) keepsNumber(e protoreflect.EnumDescriptor) bool {
	return !e.IsClosed() && w.as.UnknownEnums != contract.Reject
}

func (w *protoWalk) enumNumbers(p fieldPair) {
	numbers := p.read.Enum().Values()
	gone := p.sentValues(func(v protoreflect.EnumValueDescriptor) bool { return numbers.ByNumber(v.Number()) == nil })
	if len(gone) > 0 {
		w.enumClaim(p, gone, w.unknownNumber(p))
	}
}

// sentValues lists the values that travel (of several names the first, and a
// zero only where it is sent) and that are so.
func (p fieldPair) sentValues(so func(protoreflect.EnumValueDescriptor) bool) []protoreflect.EnumValueDescriptor {
	var all []protoreflect.EnumValueDescriptor
	values := p.sent.Enum().Values()
	zero := p.writer.HasPresence() || p.writer.IsList() || p.writer.IsMap()
	limits := boundsOf(p.sent)
	for i := range values.Len() {
		if v := values.Get(i); values.ByNumber(v.Number()) == v && (zero || v.Number() != 0) && so(v) && limits.allow(big.NewInt(int64(v.Number()))) {
			all = append(all, v)
		}
	}
	return all
}

// enumClaim claims values that the reader doesn't know, once for two enums.
func (w *protoWalk) enumClaim(p fieldPair, gone []protoreflect.EnumValueDescriptor, what fate) {
	if !w.first(p, what.rule) {
		return
	}
	shown := gone[0]
	for _, v := range gone {
		if v.Number() != 0 { // a zero is often not sent at all
			shown = v
			break
		}
	}
	w.add(p, claim{
		probe: p.probe(p.set(protoreflect.ValueOfEnum(shown.Number()))), readerAt: p.read.Enum(), writerAt: shown,
		Break: Break{
			Rule: what.rule, Severity: what.severity, Path: p.valuePath(),
			Message: fmt.Sprintf("%s may be %s, which the reader's %s does not have: %s", p.valuePath(), valueNames(gone), p.read.Enum().Name(), what.consequence),
		},
	})
}

// valuePath is the path of what one value stands at: an element, a map's value.
func (p fieldPair) valuePath() contract.Path {
	if p.writer.IsMap() || p.writer.IsList() {
		return p.inside(p.path)
	}
	return p.path
}

func valueNames(values []protoreflect.EnumValueDescriptor) string {
	const most = 5
	var names []string
	for i, v := range values {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, fmt.Sprintf("%s (%d)", v.Name(), v.Number()))
	}
	return strings.Join(names, ", ")
}

// first reports whether something is said of two enums for the first time.
func (w *protoWalk) first(p fieldPair, what string) bool {
	return w.once(what + " " + string(p.read.Enum().FullName()) + " " + string(p.sent.Enum().FullName()))
}

// unnamed claims that any number may be sent where the reader knows an enum.
func (w *protoWalk) unnamed(p fieldPair, n *big.Int) {
	if n == nil {
		return
	}
	what := w.unknownNumber(p)
	w.add(p, claim{probe: p.probe(p.set(intValue(p.sent.Kind(), n))), Break: Break{
		Rule: what.rule, Severity: what.severity, Path: p.valuePath(),
		Message: fmt.Sprintf("%s is sent as %s and may be %s, which the reader's %s does not have: %s",
			p.valuePath(), typeName(p.writer), n, p.read.Enum().Name(), what.consequence),
	}})
}
