package compat

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
)

// opinion is what the oracle finds in one event: why the reader refuses it, and
// the first place where it sees something else than was sent.
type opinion struct {
	refused string
	differs string
}

func (o opinion) spoiled() bool { return o.refused != "" || o.differs != "" }

// opine decodes one event as its writer and as the reader, and compares.
func opine(as Assumptions, reader, writer protoreflect.MessageDescriptor, data []byte) (opinion, error) {
	return opineWith(as, reader, writer, data, nil, nil)
}

// opineWith knows extensions as well.
func opineWith(as Assumptions, reader, writer protoreflect.MessageDescriptor, data []byte, read, sentTypes extensionTypes) (opinion, error) {
	r := oracle{fields: as.UnknownFields, enums: as.UnknownEnums, types: read}
	w := oracle{writer: true, fields: contract.Ignore, types: sentTypes}
	decode := func(o oracle, md protoreflect.MessageDescriptor) (seenMessage, error) {
		return o.binary(md, data, false)
	}
	if as.Encoding == contract.JSON {
		decode = func(o oracle, md protoreflect.MessageDescriptor) (seenMessage, error) { return o.json(md, data) }
	}
	sent, err := decode(w, writer)
	if err != nil {
		return opinion{}, fmt.Errorf("the oracle cannot read what the writer sent: %w", err)
	}
	seen, err := decode(r, reader)
	if err != nil {
		return opinion{refused: err.Error()}, nil
	}
	c := comparer{json: as.Encoding == contract.JSON, ignoreEnums: as.UnknownEnums == contract.Ignore, types: read, sentTypes: sentTypes, asReader: r, asWriter: w}
	return opinion{differs: c.messages(sent, seen, writer, reader, "")}, nil
}

// comparer tells whether what was seen is what was sent.
type comparer struct {
	json, ignoreEnums bool
	types, sentTypes  extensionTypes // the reader's, the writer's
	asReader          oracle
	asWriter          oracle
}

func (c comparer) messages(sent, seen seenMessage, writer, reader protoreflect.MessageDescriptor, at string) string {
	for _, n := range slices.Sorted(maps.Keys(sent)) {
		f := sent[n]
		here := at + "/" + string(f.fd.Name())
		to := fieldOf(c.types, reader, n)
		if c.json {
			if to = jsonField(reader, f.fd.JSONName()); to == nil {
				if same := reader.Fields().ByNumber(f.fd.Number()); same != nil && seen[same.Number()] == nil && !c.fed(writer, same) {
					return here + " is lost under another name"
				}
			}
		}
		if to == nil {
			if !c.json && c.renumbered(f.fd, reader, writer) {
				return here + " is lost under another number"
			}
			continue
		}
		got := seen[to.Number()]
		if got == nil {
			got = &seenField{fd: to}
		}
		if d := c.fields(f, got, here); d != "" {
			return d
		}
	}
	return ""
}

// renumbered reports whether a reader knows a field, of the same sort, by another
// number, at which the writer sends nothing.
func (c comparer) renumbered(f protoreflect.FieldDescriptor, reader, writer protoreflect.MessageDescriptor) bool {
	same := reader.Fields().ByName(f.Name())
	if f.IsExtension() || same == nil || fieldOf(c.sentTypes, writer, same.Number()) != nil {
		return false
	}
	sort := func(fd protoreflect.FieldDescriptor) string {
		s := singleSlot(fd).sort()
		if s == "float" || s == "double" {
			return "integer"
		}
		return s
	}
	return sort(f) == sort(same)
}

// fed reports whether any field of the writer arrives in this one.
func (c comparer) fed(writer protoreflect.MessageDescriptor, to protoreflect.FieldDescriptor) bool {
	for i := range writer.Fields().Len() {
		if jsonField(to.ContainingMessage(), writer.Fields().Get(i).JSONName()) == to {
			return true
		}
	}
	return false
}

func (c comparer) fields(sent, seen *seenField, at string) string {
	if sent.fd.IsMap() && seen.fd.IsMap() {
		for text, e := range sent.entries {
			got, ok := seen.entries[text]
			for _, other := range seen.entries { // true is 1
				if !ok && !c.json && c.same(e.key, other.key) {
					got, ok = other, true
				}
			}
			switch {
			case !ok && c.dropped(seen.fd.MapValue(), e.value):
			case !ok:
				return fmt.Sprintf("%s: no entry %q", at, text)
			case !c.same(e.key, got.key) && !c.json:
				return at + ": another key"
			default:
				if d := c.values(e.value, got.value, sent.fd.MapValue(), seen.fd.MapValue(), at+"{}"); d != "" {
					return d
				}
			}
		}
		return ""
	}
	if sent.fd.IsMap() || seen.fd.IsMap() {
		if c.json {
			return at + ": a map and none"
		}
		return c.mapAndList(sent, seen, at)
	}
	values := sent.values
	if len(values) != len(seen.values) {
		var kept []seenValue
		for _, v := range values {
			if sent.fd.IsPacked() && !seen.fd.IsList() || !c.dropped(seen.fd, v) {
				kept = append(kept, v)
			}
		}
		values = kept
	}
	if len(values) == 1 && len(seen.values) == 0 && !seen.fd.HasPresence() && !seen.fd.IsList() {
		return c.values(values[0], zeroSeen(seen.fd), sent.fd, seen.fd, at)
	}
	if len(values) != len(seen.values) {
		return fmt.Sprintf("%s: %d values, %d seen", at, len(values), len(seen.values))
	}
	for i := range values {
		if d := c.values(values[i], seen.values[i], sent.fd, seen.fd, at); d != "" {
			return d
		}
	}
	return ""
}

// mapAndList compares a map with a list of its entries.
func (c comparer) mapAndList(sent, seen *seenField, at string) string {
	for _, f := range []*seenField{sent, seen} {
		if !f.fd.IsMap() && f.fd.Message() == nil {
			return at + ": the bytes of entries, and no entries"
		}
	}
	all, seenAll := sent.asMessages(), seen.asMessages()
	if len(all) != len(seenAll) {
		return fmt.Sprintf("%s: %d entries, %d seen", at, len(all), len(seenAll))
	}
	for _, m := range all {
		found := slices.ContainsFunc(seenAll, func(other seenMessage) bool {
			return c.messages(m, other, sent.fd.Message(), seen.fd.Message(), at) == ""
		})
		if !found {
			return at + ": an entry that is not seen"
		}
	}
	return ""
}

// asMessages gives the entries of a map, or the elements of a list of messages.
func (f *seenField) asMessages() []seenMessage {
	var all []seenMessage
	for _, v := range f.values {
		all = append(all, v.message)
	}
	for _, e := range f.entries {
		all = append(all, seenMessage{
			1: {fd: f.fd.MapKey(), values: []seenValue{e.key}},
			2: {fd: f.fd.MapValue(), values: []seenValue{e.value}},
		})
	}
	return all
}

// dropped reports whether a reader that ignores unknown enum values put this
// one aside, as it was asked to.
func (c comparer) dropped(to protoreflect.FieldDescriptor, v seenValue) bool {
	if !c.ignoreEnums || to.Enum() == nil {
		return false
	}
	if c.json && v.integer == nil || c.json && v.kind == protoreflect.EnumKind {
		name := v.name
		if v.kind == protoreflect.StringKind {
			name = string(v.text)
		}
		return to.Enum().Values().ByName(protoreflect.Name(name)) == nil
	}
	if c.json && sixtyFour(v.kind) { // travels as text, which names no value
		return true
	}
	return (c.json || isVarint(v.kind)) && to.Enum().IsClosed() && v.integer != nil && to.Enum().Values().ByNumber(protoreflect.EnumNumber(int32(v.integer.Int64()))) == nil
}

func sixtyFour(kind protoreflect.Kind) bool {
	switch kind {
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return true
	}
	return false
}

func isAny(md protoreflect.MessageDescriptor) bool { return md.FullName() == "google.protobuf.Any" }

// anys compares what two Anys carry, where both sides have the type.
func (c comparer) anys(sent, seen seenMessage, at string) string {
	from, a, err := c.asWriter.unpack(sent)
	if from == nil || err != nil {
		return c.messages(sent, seen, anyOf(sent, seen), anyOf(seen, sent), at)
	}
	to, b, err := c.asReader.unpack(seen)
	switch {
	case err != nil:
		return at + ": " + err.Error()
	case to == nil:
		return at + ": what it cannot unpack"
	}
	return c.messages(a, b, from, to, at)
}

// anyOf is the descriptor of an Any, from whichever of two holds something.
func anyOf(messages ...seenMessage) protoreflect.MessageDescriptor {
	for _, m := range messages {
		for _, f := range m {
			return f.fd.ContainingMessage()
		}
	}
	return nil
}

// unpack decodes what an Any carries; nothing where its type is not known.
func (o oracle) unpack(any seenMessage) (protoreflect.MessageDescriptor, seenMessage, error) {
	if any[1] == nil || len(any[1].values) == 0 {
		return nil, nil, nil
	}
	t, err := o.types.FindMessageByURL(string(any[1].values[0].text))
	if err != nil {
		return nil, nil, nil
	}
	var content []byte
	if any[2] != nil {
		content = any[2].values[0].text
	}
	m, err := o.binary(t.Descriptor(), content, false)
	return t.Descriptor(), m, err
}

func (c comparer) values(sent, seen seenValue, from, to protoreflect.FieldDescriptor, at string) string {
	if sent.message != nil && seen.message != nil {
		if isAny(from.Message()) && isAny(to.Message()) && !c.json && c.types != nil {
			return c.anys(sent.message, seen.message, at)
		}
		return c.messages(sent.message, seen.message, from.Message(), to.Message(), at)
	}
	if sent.message != nil || seen.message != nil || !c.same(sent, seen) {
		return fmt.Sprintf("%s: sent %s, seen %s", at, sent, seen)
	}
	return ""
}

// same compares two scalars of whatever kinds.
func (c comparer) same(a, b seenValue) bool {
	isEnum := func(v seenValue) bool { return v.kind == protoreflect.EnumKind }
	switch {
	case c.json && isEnum(a) && isEnum(b) && a.name != "":
		return a.name == b.name
	case a.integer != nil && b.integer != nil:
		return a.integer.Cmp(b.integer) == 0
	case c.json && a.integer != nil && b.kind == protoreflect.StringKind && !isEnum(a):
		return a.integer.String() == string(b.text)
	case c.json && isEnum(b) && a.kind == protoreflect.StringKind:
		return string(a.text) == b.name
	case a.integer != nil && isFloatKind(b.kind):
		if math.IsNaN(b.float) || math.IsInf(b.float, 0) {
			return false
		}
		whole, accuracy := big.NewFloat(b.float).Int(nil)
		return accuracy == big.Exact && whole.Cmp(a.integer) == 0
	case isFloatKind(a.kind) && isFloatKind(b.kind):
		if a.kind == protoreflect.FloatKind || b.kind == protoreflect.FloatKind && c.json && a.float == float64(float32(a.float)) {
			return float32(a.float) == float32(b.float) || a.float != a.float && b.float != b.float
		}
		return a.float == b.float || a.float != a.float && b.float != b.float
	case a.integer == nil && b.integer == nil && !isFloatKind(a.kind) && !isFloatKind(b.kind):
		if c.json && a.kind != b.kind {
			return len(a.text) == 0 && len(b.text) == 0
		}
		return bytes.Equal(a.text, b.text)
	}
	return false
}

// isVarint reports whether a value stands on the wire as an enum's number does.
func isVarint(k protoreflect.Kind) bool {
	switch k {
	case protoreflect.Int32Kind, protoreflect.Int64Kind, protoreflect.Uint32Kind, protoreflect.Uint64Kind,
		protoreflect.Sint32Kind, protoreflect.Sint64Kind, protoreflect.BoolKind, protoreflect.EnumKind:
		return true
	}
	return false
}

func isFloatKind(k protoreflect.Kind) bool {
	return k == protoreflect.FloatKind || k == protoreflect.DoubleKind
}

func (v seenValue) String() string {
	switch {
	case v.message != nil:
		return "a message"
	case v.name != "":
		return v.name
	case v.integer != nil:
		return v.integer.String()
	case isFloatKind(v.kind):
		return strconv.FormatFloat(v.float, 'g', -1, 64)
	}
	return strconv.Quote(string(v.text))
}
