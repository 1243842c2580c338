package compat

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// protoReader really reads what a writer really wrote, and looks at what became
// of it. It knows nothing of the walk: it is the walk's judge.
type protoReader struct {
	as             Assumptions
	wire           wire
	reader, writer *protobuf.Schema
	fields         *fieldSet
}

// outcome is what reading came to.
type outcome struct {
	bytes   []byte // what travelled
	refused string // why the reader refused it; empty: it read it
	diffs   []diff // where it sees something else than was sent
	seen    *dynamicpb.Message
}

// diff is one value that does not arrive as it was sent.
type diff struct {
	kind       diffKind
	path       contract.Path // in the writer's names
	sent, seen string
}

type diffKind uint8

const (
	lost    diffKind = iota // the reader does not see it
	changed                 // it sees another value
	unnamed                 // it sees, or ignores, an enum value without a name
)

// shows says which outcome a rule claims.
var shows = map[string]func(outcome, contract.Path) bool{
	"type-refused": isRefused, "value-refused": isRefused, "field-missing": isRefused,
	"field-refused": isRefused, "shape-refused": isRefused, "parse-refused": isRefused,
	"value-truncated": hasDiff(changed), "value-garbled": hasDiff(changed),
	"field-lost": hasDiff(lost), "element-lost": hasDiff(lost), "enum-unnamed": hasDiff(unnamed),
	"meaning-changed": func(o outcome, _ contract.Path) bool { return o.refused == "" },
}

func isRefused(o outcome, _ contract.Path) bool { return o.refused != "" }

func hasDiff(kind diffKind) func(outcome, contract.Path) bool {
	return func(o outcome, p contract.Path) bool { return o.refused == "" && o.find(kind, p) != nil }
}

// find gives the first diff of a kind at, above or below a path.
func (o outcome) find(kind diffKind, p contract.Path) *diff {
	i := slices.IndexFunc(o.diffs, func(d diff) bool {
		return d.kind == kind && (d.path.HasPrefix(p) || p.HasPrefix(d.path))
	})
	if i < 0 {
		return nil
	}
	return &o.diffs[i]
}

// replay reads the message that should show a claim, then the same with all that
// the reader requires. It gives the witness, or says what happened instead.
func (w *protoWalk) replay(c *claim) (*rule.Witness, string) {
	reader := protoReader{as: w.as, wire: w.wire, reader: w.reader, writer: w.writer, fields: fieldSetOf(w.as.Fields)}
	problem := ""
	for _, satisfied := range []bool{false, true} {
		m := c.probe.build(w.writer.Descriptor(), w.writer.Arm())
		if satisfied {
			reader.satisfy(m, w.reader.Descriptor(), c.left())
		}
		out, err := reader.read(m)
		if err != nil {
			return nil, protobuf.Plain(err)
		}
		if c.junk {
			w.settleJunk(c, out)
		}
		if shows[c.Rule](out, c.Path) {
			return w.witness(c, m, out), ""
		}
		c.hidden = out.refused != ""
		if problem == "" {
			problem = out.String()
		}
	}
	return nil, problem
}

// left is the field that a claim wants left out.
func (c *claim) left() protoreflect.FieldDescriptor {
	if f, ok := c.writerAt.(protoreflect.FieldDescriptor); ok && c.Rule == "field-missing" {
		return f
	}
	return nil
}

// settleJunk names what happened to bytes of another type: whether they parse
// depends on the bytes.
func (w *protoWalk) settleJunk(c *claim, out outcome) {
	switch {
	case out.refused != "" && w.wire == binaryWire:
		c.Rule = "parse-refused"
	case out.refused != "":
		c.Rule = "type-refused"
	case out.find(changed, c.Path) != nil:
		c.Rule = "value-garbled"
	case out.find(lost, c.Path) != nil:
		c.Rule = "field-lost"
	}
}

func (o outcome) String() string {
	switch {
	case o.refused != "":
		return "the reader refused it: " + o.refused
	case len(o.diffs) == 0:
		return "the reader saw what was sent"
	}
	d := o.diffs[0]
	return fmt.Sprintf("at %s the writer sent %s and the reader saw %s", d.path, d.sent, d.seen)
}

// read encodes a message as the writer does and decodes it as the reader does.
// The error is one of encoding: then there is no such event.
func (r *protoReader) read(m *dynamicpb.Message) (outcome, error) {
	out := outcome{seen: dynamicpb.NewMessage(r.reader.Descriptor())}
	var err, refused error
	if r.wire == jsonWire {
		out.bytes, err = compactJSON(protojson.MarshalOptions{Resolver: r.writer.Types()}, m)
	} else {
		out.bytes, err = proto.MarshalOptions{Deterministic: true}.Marshal(m)
	}
	if err != nil {
		return out, err
	}
	if r.wire == jsonWire {
		o := protojson.UnmarshalOptions{Resolver: r.reader.Types(), DiscardUnknown: !r.strict()}
		refused = o.Unmarshal(out.bytes, out.seen)
	} else {
		refused = proto.UnmarshalOptions{Resolver: r.reader.Types()}.Unmarshal(out.bytes, out.seen)
	}
	if refused != nil {
		out.refused = protobuf.Plain(refused)
		return out, nil
	}
	o := observer{protoReader: r, out: &out}
	o.specified(nil, out.seen, r.fields)
	o.messages(nil, m, out.seen, r.fields)
	return out, nil
}

// strict reports whether the library itself is to refuse unknown fields: in
// JSON it then refuses unknown enum values, too.
func (r *protoReader) strict() bool {
	return r.as.UnknownFields == contract.Reject && r.as.UnknownEnums != contract.Ignore
}

// specified makes of what Go's library read what the specification says, and
// what the reader's own treatment asks for: a closed enum's undeclared number
// goes to the unknown fields, with a map's whole entry.
func (o *observer) specified(p contract.Path, m protoreflect.Message, fields *fieldSet) {
	if o.wire == binaryWire && o.as.UnknownFields == contract.Reject && len(m.GetUnknown()) > 0 {
		o.refuse("unknown fields in %s", orRoot(p))
	}
	for _, f := range populated(m) {
		sub, read := fields.in(f)
		if !read {
			continue
		}
		value := f
		if f.IsMap() {
			value = f.MapValue()
		}
		switch {
		case value.Enum() != nil:
			o.specifiedEnum(m, f, value.Enum())
		case value.Message() != nil:
			eachMessage(m.Get(f), f, func(inner protoreflect.Message) { o.specified(p.Field(fieldName(f)), inner, sub) })
		}
	}
}

func orRoot(p contract.Path) string {
	if len(p) == 0 {
		return "the event"
	}
	return p.String()
}

// specifiedEnum drops undeclared numbers of a closed enum from a field.
func (o *observer) specifiedEnum(m protoreflect.Message, f protoreflect.FieldDescriptor, e protoreflect.EnumDescriptor) {
	unknown := func(v protoreflect.Value) bool {
		if e.Values().ByNumber(v.Enum()) != nil {
			return false
		}
		if o.refusesNumber(e) {
			o.refuse("%d is no value of %s", v.Enum(), e.Name())
		}
		return e.IsClosed()
	}
	switch {
	case f.IsMap():
		values := m.Mutable(f).Map()
		values.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			if unknown(v) {
				values.Clear(k)
			}
			return true
		})
	case f.IsList():
		list, kept := m.Mutable(f).List(), 0
		for i := range list.Len() {
			if v := list.Get(i); !unknown(v) {
				list.Set(kept, v)
				kept++
			}
		}
		list.Truncate(kept)
	case unknown(m.Get(f)):
		m.Clear(f)
		if f.Cardinality() == protoreflect.Required {
			o.refuse("required field %s not set", f.FullName())
		}
	}
}

// refusesNumber reports whether the reader refuses an event with a number that
// an enum lacks. A closed enum's is an unknown field in binary, and no value at
// all in JSON.
func (o *observer) refusesNumber(e protoreflect.EnumDescriptor) bool {
	switch o.as.UnknownEnums {
	case contract.Reject:
		return true
	case contract.Ignore:
		return false
	}
	return e.IsClosed() && (o.wire == jsonWire || o.as.UnknownFields == contract.Reject)
}

// populated lists the fields that are set, by number.
func populated(m protoreflect.Message) []protoreflect.FieldDescriptor {
	var fields []protoreflect.FieldDescriptor
	m.Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		fields = append(fields, f)
		return true
	})
	slices.SortFunc(fields, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	return fields
}

// eachMessage calls do for each message that a field holds.
func eachMessage(v protoreflect.Value, f protoreflect.FieldDescriptor, do func(protoreflect.Message)) {
	switch {
	case f.IsMap():
		v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { do(v.Message()); return true })
	case f.IsList():
		for i := range v.List().Len() {
			do(v.List().Get(i).Message())
		}
	default:
		do(v.Message())
	}
}
