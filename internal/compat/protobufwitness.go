package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// witness shows a message that was read, and what became of it.
func (w *protoWalk) witness(c *claim, m *dynamicpb.Message, out outcome) *rule.Witness {
	shown := printable(m)
	witness := &rule.Witness{
		Event:      eventJSON(w.writer, shown),
		Text:       eventText(w.writer, shown),
		Mark:       c.probe.pointer(),
		ReaderSees: w.sees(c, out),
	}
	if w.wire == binaryWire {
		witness.Bytes = out.bytes
	}
	return witness
}

// sees says in one line what became of the event.
func (w *protoWalk) sees(c *claim, out outcome) string {
	if out.refused != "" {
		return "the reader refuses the event: " + out.refused
	}
	if c.sees != "" {
		return c.sees
	}
	if c.Rule == "meaning-changed" {
		return w.misunderstood(c)
	}
	for _, kind := range []diffKind{changed, lost, unnamed} {
		if d := out.find(kind, c.Path); d != nil {
			return fmt.Sprintf("writer sent %s, reader sees %s", d.sent, d.seen)
		}
	}
	return "the reader sees what was sent"
}

func (w *protoWalk) misunderstood(c *claim) string {
	if r, ok := c.readerAt.(protoreflect.MessageDescriptor); ok {
		return fmt.Sprintf("writer sent %s, reader %s sees nothing: it reserves the number", c.writerAt.Name(), r.Name())
	}
	return fmt.Sprintf("writer sent %s, reader sees it as %s", c.writerAt.Name(), c.readerAt.Name())
}

// eventJSON is the event as JSON, without the spaces that protojson puts in at
// random.
func eventJSON(s *protobuf.Schema, m proto.Message) json.RawMessage {
	text, err := compactJSON(protojson.MarshalOptions{Resolver: s.Types(), AllowPartial: true}, m)
	if err != nil {
		return nil
	}
	return text
}

func compactJSON(o protojson.MarshalOptions, m proto.Message) ([]byte, error) {
	text, err := o.Marshal(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Compact(&b, text)
	return b.Bytes(), err
}

// eventText is the event in text format on one line, without the spaces that
// prototext puts in at random.
func eventText(s *protobuf.Schema, m proto.Message) string {
	text, err := prototext.MarshalOptions{Resolver: s.Types(), AllowPartial: true}.Marshal(m)
	if err != nil {
		return ""
	}
	return oneSpace(string(text))
}

// oneSpace makes every run of spaces outside quotes one space.
func oneSpace(text string) string {
	var b strings.Builder
	quoted, space := false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == ' ' && !quoted {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted && i+1 < len(text):
			b.WriteByte(c)
			i++
			c = text[i]
		}
		b.WriteByte(c)
	}
	return b.String()
}

// printable is a message whose strings are all UTF-8, so that it can be shown.
func printable(m *dynamicpb.Message) *dynamicpb.Message {
	clone, ok := proto.Clone(m).(*dynamicpb.Message)
	if !ok {
		return m
	}
	mend(clone)
	return clone
}

func mend(m protoreflect.Message) {
	for _, f := range populated(m) {
		switch {
		case f.IsMap():
			if f.MapValue().Message() != nil {
				eachMessage(m.Get(f), f, mend)
			} else if f.MapValue().Kind() == protoreflect.StringKind {
				values := m.Mutable(f).Map()
				for _, k := range mapKeys(values) {
					values.Set(k, mended(values.Get(k)))
				}
			}
		case f.Message() != nil:
			eachMessage(m.Get(f), f, mend)
		case f.Kind() != protoreflect.StringKind:
		case f.IsList():
			list := m.Mutable(f).List()
			for i := range list.Len() {
				list.Set(i, mended(list.Get(i)))
			}
		default:
			m.Set(f, mended(m.Get(f)))
		}
	}
}

func mended(v protoreflect.Value) protoreflect.Value {
	if utf8.ValidString(v.String()) {
		return v
	}
	return protoreflect.ValueOfString(strings.ToValidUTF8(v.String(), "\uFFFD"))
}

// pointer is the JSON pointer of what matters in the event.
func (p *probe) pointer() string {
	var b strings.Builder
	for _, h := range p.route {
		b.WriteString("/" + escapePointer(jsonKey(h.field)))
		switch {
		case h.field.IsMap():
			b.WriteString("/" + escapePointer(someKey(h.field.MapKey()).String()))
		case h.field.IsList():
			b.WriteString("/0")
		}
	}
	if p.mark != nil && !p.within() {
		b.WriteString("/" + escapePointer(jsonKey(p.mark)))
	}
	return b.String()
}

// within reports whether the last message is a map's entry, which JSON does not
// show as an object.
func (p *probe) within() bool {
	return len(p.route) > 0 && p.route[len(p.route)-1].entry
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// show writes a value as a person reads it.
func showValue(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	const most = 60
	text := ""
	switch x := v.Interface().(type) {
	case protoreflect.EnumNumber:
		text = strconv.Itoa(int(x))
		if f.Enum() != nil && f.Enum().Values().ByNumber(x) != nil {
			text = string(f.Enum().Values().ByNumber(x).Name())
		}
	case string:
		text = strconv.Quote(x)
	case []byte:
		text = "bytes " + strconv.Quote(string(x))
	case protoreflect.Message:
		text = "{" + eventShort(x) + "}"
	case protoreflect.List:
		text = fmt.Sprintf("a list of %d", x.Len())
	case protoreflect.Map:
		text = fmt.Sprintf("a map of %d", x.Len())
	default:
		text = fmt.Sprint(x)
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func eventShort(m protoreflect.Message) string {
	text, err := prototext.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
	if err != nil {
		return "…"
	}
	return oneSpace(string(text))
}
