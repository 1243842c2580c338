package compat

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// crossKinds are all kinds of values there are.
var crossKinds = []string{
	"int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64",
	"bool", "float", "double", "string", "bytes", "O", "C", "A", "G", "R",
	"NullValue", "Timestamp", "Duration", "FieldMask", "Struct", "Value", "ListValue", "Empty", "Any",
	"BoolValue", "StringValue", "BytesValue", "Int32Value", "UInt32Value", "FloatValue", "Int64Value", "UInt64Value", "DoubleValue",
}

var crossLabels = []string{"", "implicit", "required", "repeated", "expanded", "map<string", "map<int32", "oneof"}

// crossKeys are the other keys of maps; texts stand below them.
var crossKeys = []string{"map<int64", "map<uint32", "map<uint64", "map<sint32", "map<sint64", "map<fixed32", "map<fixed64", "map<sfixed32", "map<sfixed64", "map<bool"}

// crossField writes a field of a kind and a label, "" where there is none such.
func crossField(kind, label string) string {
	wellKnown := slices.Index(crossKinds, kind) >= slices.Index(crossKinds, "NullValue")
	message := wellKnown && kind != "NullValue" || kind == "A" || kind == "G" || kind == "R"
	option := ""
	switch kind {
	case "G":
		kind, option = "A", "features.message_encoding = DELIMITED"
	default:
		if wellKnown {
			kind = "google.protobuf." + kind
		}
	}
	with := func(label, more string) string {
		options := strings.Trim(option+", "+more, ", ")
		if options != "" {
			options = " [" + options + "]"
		}
		return fmt.Sprintf("%s %s f = 1%s;", label, kind, options)
	}
	switch label {
	case "implicit":
		if message || kind == "C" {
			return ""
		}
		return with("", "features.field_presence = IMPLICIT")
	case "required":
		return with("", "features.field_presence = LEGACY_REQUIRED")
	case "expanded":
		if message || kind == "string" || kind == "bytes" {
			return ""
		}
		return with("repeated", "features.repeated_field_encoding = EXPANDED")
	case "unchecked", "unchecked repeated":
		return with(strings.TrimSpace(strings.TrimPrefix(label, "unchecked")), "features.utf8_validation = NONE")
	case "oneof":
		return "oneof o { " + with("", "") + " string other = 2; }"
	}
	if strings.HasPrefix(label, "map<") {
		if option != "" {
			return ""
		}
		return fmt.Sprintf("%s, %s> f = 1;", label, kind)
	}
	return with(label, "")
}

// crossShape is one way to declare a field.
type crossShape struct {
	kind, label, source string
	event               *contract.Event
	sent                []crossEvent
}

// crossEvent is what a writer sent, in both encodings; nil where one cannot say it.
type crossEvent struct{ binary, json []byte }

func (e crossEvent) in(encoding contract.Encoding) []byte {
	if encoding == contract.JSON {
		return e.json
	}
	return e.binary
}

// crossShapes declares every kind with every label, in a message of its own or in
// what an Any carries.
func crossShapes(t testing.TB, within string) []*crossShape {
	const head = `edition = "2023";
package t;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum O { O_ZERO = 0; O_ONE = 1; O_TWO = 2; }
enum C { option features.enum_type = CLOSED; C_ZERO = 0; C_ONE = 1; O_TWO_ = 2; }
message A { int32 x = 1; string y = 2; }
message R { int32 x = 1 [features.field_presence = LEGACY_REQUIRED]; }
`
	var all []*crossShape
	var sources []string
	for _, kind := range crossKinds {
		labels := crossLabels
		if kind == "string" {
			labels = slices.Concat(labels, crossKeys, []string{"unchecked", "unchecked repeated"})
		}
		for _, label := range labels {
			if field := crossField(kind, label); field != "" {
				all = append(all, &crossShape{kind: kind, label: label, source: field})
				sources = append(sources, head+fmt.Sprintf(within, field))
			}
		}
	}
	for i, e := range protoEvents(t, "t.M", sources...) {
		all[i].event = e
		all[i].events(t, rand.New(rand.NewSource(int64(i))))
	}
	return all
}

const crossEvents = 25

// events makes what the writer may send.
func (s *crossShape) events(t testing.TB, r *rand.Rand) {
	schema := s.event.Schema.(*protobuf.Schema)
	known := map[string]bool{}
	for range 4 * crossEvents {
		m := dynamicpb.NewMessage(schema.Descriptor())
		(&crossGen{r, schema}).message(m, 0)
		var e crossEvent
		var err error
		if e.binary, err = (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil || known[string(e.binary)] {
			continue
		}
		known[string(e.binary)] = true
		if e.json, err = (protojson.MarshalOptions{Resolver: schema.Types()}).Marshal(m); err != nil {
			e.json = nil
		}
		if s.sent = append(s.sent, e); len(s.sent) == crossEvents {
			return
		}
	}
	if len(s.sent) == 0 {
		t.Fatalf("%s sends nothing", s.source)
	}
}

// crossGen makes values that look like those of other kinds.
type crossGen struct {
	*rand.Rand
	schema *protobuf.Schema
}

func (g *crossGen) message(m protoreflect.Message, depth int) {
	w := &wideGen{g.Rand}
	set := func(name string, v any) {
		m.Set(m.Descriptor().Fields().ByName(protoreflect.Name(name)), protoreflect.ValueOf(v))
	}
	switch m.Descriptor().FullName() {
	case "google.protobuf.Any":
		w.any(g.schema, m, depth)
		return
	case "google.protobuf.Value":
		if g.Intn(3) == 0 && depth < 3 {
			g.message(m.Mutable(m.Descriptor().Fields().ByName("list_value")).Message(), depth+1)
			return
		}
		fallthrough
	case "google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask":
		w.wellKnown(g.schema, m, depth)
		if m.Descriptor().Name() == "Duration" && g.Intn(3) == 0 {
			set("seconds", int64(-1))
			set("nanos", int32(-500_000_000))
		}
		return
	}
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if f.Cardinality() != protoreflect.Required && g.Intn(6) == 0 || depth > 4 || depth == 0 && f.Name() == "other" && g.Intn(4) > 0 {
			continue
		}
		value := func(f protoreflect.FieldDescriptor, empty protoreflect.Value) protoreflect.Value {
			if f.Message() == nil {
				return g.scalar(f)
			}
			g.message(empty.Message(), depth+1)
			return empty
		}
		switch {
		case f.IsMap():
			entries := m.Mutable(f).Map()
			for range g.Intn(4) {
				entries.Set(g.scalar(f.MapKey()).MapKey(), value(f.MapValue(), entries.NewValue()))
			}
		case f.IsList():
			list := m.Mutable(f).List()
			for range g.Intn(4) {
				list.Append(value(f, list.NewElement()))
			}
		default:
			m.Set(f, value(f, m.NewField(f)))
		}
	}
}

func (g *crossGen) scalar(f protoreflect.FieldDescriptor) protoreflect.Value {
	w := &wideGen{g.Rand}
	switch f.Kind() {
	case protoreflect.StringKind:
		if !checksUTF8(f) && g.Intn(3) == 0 {
			return protoreflect.ValueOfString("\xff")
		}
		return protoreflect.ValueOfString(pick(w, []string{
			"", "x", "5", "-1", "1.5", "1e3", "true", "null", "NaN", "O_ONE", "C_ONE", "NULL_VALUE", "1970-01-01T00:00:01Z", "5s", "a,fooBar",
			"y", "key", "value", "@type", "fields", "aGVsbG8=", "é\u2028", " 7", "07", "-0", "9223372036854775808", "\x08\x01", "\n\x00",
		}))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(pick(w, []string{"", "x", "\xff\xfe", "hello", "\x08\x01", "\n\x01y", "5s", "\xfb\xef\xbe"})))
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return floatValue(f.Kind(), pick(w, []float64{0, math.Copysign(0, -1), 1, 1.5, -2, 0.1, 1e30, 1e300, 5e-324, 16777217, 1 << 53, 3e9, 1e19, math.NaN(), math.Inf(1), math.Inf(-1)}))
	}
	return randomScalar(g.Rand, f)
}

// TestCrossProtobuf reads every kind of field as every other, in both encodings,
// for every kind of reader: what holds is never contradicted by decoding, and what
// is refuted is confirmed by it. The default run takes some of the pairs;
// EVCONTRACT_LONG=1 takes all.
func TestCrossProtobuf(t *testing.T) {
	const needs = " string need = 9 [features.field_presence = LEGACY_REQUIRED]; "
	for name, c := range map[string]struct{ writer, reader string }{
		"alone":   {writer: "message M { %s }"},
		"carried": {writer: "message P { %s } message M { google.protobuf.Any a = 1; }"},
		"below":   {writer: "message P { %s } message Q { map<string, P> p = 1; } message M { repeated Q q = 1; }"},
		"beside what the reader requires": {
			writer: "message P { %s string need = 9; } message M { repeated P p = 1; string need = 9; }",
			reader: "message P { %s" + needs + "} message M { repeated P p = 1;" + needs + "}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			writers := crossShapes(t, c.writer)
			readers := writers
			if c.reader != "" {
				readers = crossShapes(t, c.reader)
			}
			pairs := crossPairs(readers, writers, name == "alone")
			counts := map[rule.Answer]int{}
			for _, p := range pairs {
				for _, as := range propertyKinds() {
					answer, problem := crossRead(p[0], p[1], as)
					if problem != "" {
						t.Errorf("%s read by %s, %+v: %s", p[1].source, p[0].source, as, problem)
						break
					}
					counts[answer]++
				}
			}
			t.Logf("%d pairs of %d, %v", len(pairs), len(readers)*len(writers), counts)
		})
	}
}

// crossPairs are pairs of a reader's and a writer's shape: all of them in a long
// run, else some, and those that are alike, of which more hold, if these are wanted.
func crossPairs(readers, writers []*crossShape, likes bool) [][2]*crossShape {
	var all [][2]*crossShape
	for _, reader := range readers {
		for _, writer := range writers {
			if os.Getenv("EVCONTRACT_LONG") != "" || likes && alike(reader, writer) {
				all = append(all, [2]*crossShape{reader, writer})
			}
		}
	}
	r := rand.New(rand.NewSource(1))
	for range crossSample {
		all = append(all, [2]*crossShape{readers[r.Intn(len(readers))], writers[r.Intn(len(writers))]})
	}
	return all
}

const crossSample = 80

// alike reports whether two fields travel alike, in one encoding or the other.
func alike(a, b *crossShape) bool {
	label := func(s *crossShape) string { return strings.TrimSpace(strings.TrimPrefix(s.label, "unchecked")) }
	return label(a) == label(b) && (label(a) == "" || label(a) == "repeated") && slices.ContainsFunc(wideFamilies, func(family []string) bool {
		in := func(s *crossShape) bool {
			return slices.Contains(family, s.kind) || slices.Contains(family, "google.protobuf."+s.kind)
		}
		return in(a) && in(b)
	})
}

// crossRead says what is wrong with an answer.
func crossRead(reader, writer *crossShape, as Assumptions) (rule.Answer, string) {
	q := Question{Reader: reader.event, Writer: writer.event, As: as}
	r := readProtobuf(q)
	if r.Reason+r.Open != "" {
		return r.Answer, r.Reason + r.Open
	}
	if problem := unconfirmed(q, r); problem != "" || r.Answer != rule.Holds {
		return r.Answer, problem
	}
	for _, e := range writer.sent {
		data := e.in(as.Encoding)
		if data == nil {
			continue
		}
		if second, err := independent(q, data); err != nil || second.spoiled() {
			return r.Answer, fmt.Sprintf("it holds, and the oracle says %+v of %q (%v)\n%s", second, data, err, breakLines(r))
		}
	}
	return r.Answer, ""
}

// unconfirmed names a break in whose witness the oracle finds nothing wrong.
func unconfirmed(q Question, r Result) string {
	for _, b := range r.Breaks {
		if b.Severity < rule.Error || b.Witness == nil || b.Rule == "meaning-changed" {
			continue
		}
		data := b.Witness.Bytes
		if q.As.Encoding == contract.JSON {
			data = b.Witness.Event
		}
		if second, err := independent(q, data); err != nil || !second.spoiled() {
			return fmt.Sprintf("the oracle finds nothing wrong with the witness %s of %s (%v)", b.Witness.Text, b.Rule, err)
		}
	}
	return ""
}

// independent is what the oracle of an encoding finds in an event.
func independent(q Question, data []byte) (opinion, error) {
	reader, writer := q.Reader.Schema.(*protobuf.Schema), q.Writer.Schema.(*protobuf.Schema)
	if q.As.Encoding == contract.JSON {
		return documentOracle{q.As, reader, writer}.opine(data)
	}
	return opineWith(q.As, reader.Descriptor(), writer.Descriptor(), data, reader.Types(), writer.Types())
}
