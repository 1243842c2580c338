package compat

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

// wideGen makes random pairs of schemas with well-known types, Any, extensions,
// defaults and oneofs. The second differs from the first in a few places, and
// mostly in ones that are alike: a kind gives way to one that travels like it.
type wideGen struct{ *rand.Rand }

// wideField is a field of a message, or an extension of it.
type wideField struct {
	number           int
	name, kind, json string
	label            string // "", repeated, map, oneof, required, implicit
	key              string // of a map
	options          string // default, encoding of texts
	extends          bool
}

type wideSchema struct {
	enums    map[string][]string // the numbers' names, from 0
	messages map[string][]wideField
}

// Kinds that travel alike, in one encoding or the other.
var wideFamilies = [][]string{
	{"int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "O", "C"},
	{"fixed32", "sfixed32", "float"},
	{"fixed64", "sfixed64", "double"},
	{"string", "bytes", "A", "B"},
	{"int64", "string", "google.protobuf.Int64Value", "google.protobuf.StringValue", "double", "google.protobuf.DoubleValue"},
	{"string", "google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask"},
	{"B", "google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue", "google.protobuf.Any", "google.protobuf.Empty"},
	{"bytes", "google.protobuf.BytesValue", "B", "G"},
	{"bool", "google.protobuf.BoolValue", "google.protobuf.UInt32Value", "uint32", "float", "google.protobuf.FloatValue"},
}

var wideLabels = []string{"", "", "", "", "repeated", "repeated", "map", "oneof", "required", "implicit"}

func pick[T any](g *wideGen, list []T) T { return list[g.Intn(len(list))] }

// kind is a type of a field of a message; only M holds A, and B holds neither.
func (g *wideGen) kind(in string, family []string) string {
	for {
		k := pick(g, family)
		nested := k == "A" || k == "B" || k == "G"
		if in == "M" || in == "A" && k != "A" || !nested {
			return k
		}
		if !slices.ContainsFunc(family, func(k string) bool { return k != "A" && k != "B" && k != "G" }) {
			return "string"
		}
	}
}

func (g *wideGen) field(in string, number int) wideField {
	f := wideField{number: number, name: fmt.Sprintf("f%d", number), label: pick(g, wideLabels), key: pick(g, genKeys)}
	f.kind = g.kind(in, pick(g, wideFamilies))
	if f.label == "required" && g.Intn(4) > 0 {
		f.label = ""
	}
	g.option(&f)
	if in != "B" && g.Intn(8) == 0 {
		f.extends, f.number = true, 100+number
		if f.label != "repeated" {
			f.label = ""
		}
	}
	return f
}

// option gives a field a default, or takes the check off a text, or a JSON name.
func (g *wideGen) option(f *wideField) {
	f.options, f.json = "", ""
	switch {
	case f.kind == "string" && g.Intn(3) == 0:
		f.options = "features.utf8_validation = NONE"
	case f.kind == "int32" && f.label == "" && g.Intn(3) == 0:
		f.options = fmt.Sprintf("default = %d", g.Intn(3))
	case f.label == "repeated" && f.kind == "int32" && g.Intn(2) == 0:
		f.options = "features.repeated_field_encoding = EXPANDED"
	}
	if g.Intn(10) == 0 {
		f.json = fmt.Sprintf("g%d", f.number)
	}
}

func (g *wideGen) schema() *wideSchema {
	s := &wideSchema{enums: map[string][]string{}, messages: map[string][]wideField{}}
	for _, e := range []string{"O", "C"} {
		s.enums[e] = []string{e + "_ZERO", e + "_ONE", e + "_TWO"}
	}
	for _, m := range []string{"M", "A", "B"} {
		for n := range 3 {
			s.messages[m] = append(s.messages[m], g.field(m, n+1))
		}
	}
	return s
}

func (s *wideSchema) clone() *wideSchema {
	c := &wideSchema{enums: map[string][]string{}, messages: map[string][]wideField{}}
	for k, v := range s.enums {
		c.enums[k] = slices.Clone(v)
	}
	for k, v := range s.messages {
		c.messages[k] = slices.Clone(v)
	}
	return c
}

// change changes one thing.
func (g *wideGen) change(s *wideSchema) {
	if g.Intn(6) == 0 {
		e := pick(g, []string{"O", "C"})
		switch n := len(s.enums[e]); {
		case g.Intn(2) == 0:
			s.enums[e] = append(s.enums[e], fmt.Sprintf("%s_%d", e, n))
		default:
			s.enums[e] = s.enums[e][:max(1, n-1)]
		}
		return
	}
	in := pick(g, []string{"M", "M", "A", "B"})
	fields := s.messages[in]
	if len(fields) == 0 {
		return
	}
	i := g.Intn(len(fields))
	f := &fields[i]
	switch g.Intn(10) {
	case 0:
		s.messages[in] = slices.Delete(fields, i, i+1)
	case 1:
		f.name += "x"
	case 2:
		if !f.extends {
			f.number += 10
		}
	case 3:
		g.option(f)
	case 4:
		*f = g.field(in, f.number%100)
	case 5:
		if !f.extends {
			f.label = pick(g, wideLabels)
			f.options = ""
		}
	case 6:
		f.key = pick(g, genKeys)
	case 7:
		f.kind, f.options = g.kind(in, pick(g, wideFamilies)), ""
	default:
		for _, family := range wideFamilies {
			if slices.Contains(family, f.kind) {
				f.kind, f.options = g.kind(in, family), ""
				break
			}
		}
	}
}

func (s *wideSchema) String() string {
	var b strings.Builder
	b.WriteString("edition = \"2023\";\npackage t;\n")
	for _, w := range []string{"any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"} {
		fmt.Fprintf(&b, "import \"google/protobuf/%s.proto\";\n", w)
	}
	for e, kind := range map[string]string{"O": "OPEN", "C": "CLOSED"} {
		fmt.Fprintf(&b, "enum %s { option features.enum_type = %s;", e, kind)
		for n, name := range s.enums[e] {
			fmt.Fprintf(&b, " %s = %d;", name, n)
		}
		b.WriteString(" }\n")
	}
	for _, m := range []string{"M", "A", "B"} {
		fmt.Fprintf(&b, "message %s {\n  extensions 100 to 199;\n", m)
		oneof := ""
		for _, f := range s.messages[m] {
			switch {
			case f.extends:
			case f.label == "oneof":
				oneof += "  " + f.String()
			default:
				b.WriteString(f.String())
			}
		}
		if oneof != "" {
			fmt.Fprintf(&b, "  oneof choice {\n%s  }\n", oneof)
		}
		b.WriteString("}\n")
		for _, f := range s.messages[m] {
			if f.extends {
				f.name, f.json = strings.ToLower(m)+f.name, ""
				fmt.Fprintf(&b, "extend %s {\n%s}\n", m, f.String())
			}
		}
	}
	return b.String()
}

func (f wideField) String() string {
	kind, label := f.kind, ""
	var options []string
	if f.options != "" {
		options = append(options, f.options)
	}
	if f.json != "" {
		options = append(options, fmt.Sprintf("json_name = %q", f.json))
	}
	message := strings.HasPrefix(kind, "google.") || kind == "A" || kind == "B" || kind == "G"
	if kind == "G" {
		kind = "B"
		if f.label != "map" {
			options = append(options, "features.message_encoding = DELIMITED")
		}
	}
	switch f.label {
	case "repeated":
		label = "repeated "
	case "map":
		kind = fmt.Sprintf("map<%s, %s>", f.key, kind)
	case "required":
		options = append(options, "features.field_presence = LEGACY_REQUIRED")
	case "implicit":
		if !message && kind != "C" && !strings.HasPrefix(f.options, "default") {
			options = append(options, "features.field_presence = IMPLICIT")
		}
	}
	list := ""
	if len(options) > 0 {
		list = " [" + strings.Join(options, ", ") + "]"
	}
	return fmt.Sprintf("  %s%s %s = %d%s;\n", label, kind, f.name, f.number, list)
}

// TestPropertyWideProtobuf reads random events of random wide pairs, and demands
// that real decoding shows nothing that was not claimed. Long runs
// (EVCONTRACT_LONG=1) take more pairs.
func TestPropertyWideProtobuf(t *testing.T) {
	pairs, events := 20, 20
	if os.Getenv("EVCONTRACT_LONG") != "" {
		pairs, events = 4000, 100
	}
	counts := map[rule.Answer]int{}
	for seed := range pairs {
		wideSeed(t, int64(seed), events, counts)
		if t.Failed() {
			return
		}
	}
	t.Logf("%v", counts)
	if counts[rule.Refuted] == 0 || counts[rule.Holds] == 0 {
		t.Error("the pairs do not tell")
	}
}

// FuzzPropertyWideProtobuf lets the fuzzer choose the pairs.
func FuzzPropertyWideProtobuf(f *testing.F) {
	f.Add(int64(1_000_000))
	f.Fuzz(func(t *testing.T, seed int64) { wideSeed(t, seed, 20, map[rule.Answer]int{}) })
}

func wideSeed(t *testing.T, seed int64, events int, counts map[rule.Answer]int) {
	g := &wideGen{rand.New(rand.NewSource(seed))}
	old := g.schema()
	now := old.clone()
	for range 1 + g.Intn(3) {
		g.change(now)
	}
	a, b := old.String(), now.String()
	both := protoEvents(t, "t.M", a, b)
	for _, as := range propertyKinds() {
		for _, q := range []Question{{Reader: both[0], Writer: both[1], As: as}, {Reader: both[1], Writer: both[0], As: as}} {
			r := readProtobuf(q)
			counts[r.Answer]++
			if problem := wideRead(g, q, r, events); problem != "" {
				t.Errorf("seed %d %+v: %s\n%s%s\n-----\n%s", seed, q.As, problem, breakLines(r), wideChanged(a, b), a)
				return
			}
		}
	}
}

// wideChanged shows the lines that differ.
func wideChanged(a, b string) string {
	var out strings.Builder
	lines := [2][]string{strings.Split(a, "\n"), strings.Split(b, "\n")}
	for i, sign := range []string{"-", "+"} {
		for _, line := range lines[i] {
			if !slices.Contains(lines[1-i], line) {
				out.WriteString(sign + line + "\n")
			}
		}
	}
	return out.String()
}

// wideRead says what decoding shows and the read did not claim.
func wideRead(g *wideGen, q Question, r Result, events int) string {
	if r.Reason+r.Open != "" {
		return r.Reason + r.Open
	}
	if problem := unconfirmed(q, r); problem != "" {
		return problem
	}
	reader, writer := q.Reader.Schema.(*protobuf.Schema), q.Writer.Schema.(*protobuf.Schema)
	judge := protoReader{as: q.As, wire: wireOf(q.As.Encoding), reader: reader, writer: writer}
	for range events {
		m := dynamicpb.NewMessage(writer.Descriptor())
		g.event(writer, m, 0)
		out, err := judge.read(m)
		if err != nil {
			continue // there is no such event
		}
		if out.refused != "" && r.Answer == rule.Holds && !slices.ContainsFunc(r.Breaks, func(b Break) bool { return b.Rule == "parse-refused" }) {
			return fmt.Sprintf("holds, and the reader refuses %v: %s", m, out.refused)
		}
		if r.Answer == rule.Holds && !slices.ContainsFunc(r.Breaks, unpackable) {
			if second, err := independent(q, out.bytes); err != nil || second.spoiled() {
				return fmt.Sprintf("holds, and the oracle says %v%+v of %v", err, second, m)
			}
		}
		for _, d := range out.diffs {
			if out.refused == "" && !claimed(r, d) {
				return fmt.Sprintf("at %s the writer sent %s and the reader saw %s in %v", d.path, d.sent, d.seen, m)
			}
		}
	}
	return ""
}

// event fills a message with what its writer may send, well-known types with
// what they can mean.
func (g *wideGen) event(s *protobuf.Schema, m protoreflect.Message, depth int) {
	if g.wellKnown(s, m, depth) {
		return
	}
	for _, f := range fieldsOf(s, m.Descriptor()) {
		if f.Cardinality() != protoreflect.Required && (g.Intn(3) == 0 || depth > 4) || f.Message() != nil && endless(f.Message()) {
			continue
		}
		value := func(f protoreflect.FieldDescriptor, empty protoreflect.Value) protoreflect.Value {
			if f.Message() == nil {
				return randomScalar(g.Rand, f)
			}
			g.event(s, empty.Message(), depth+1)
			return empty
		}
		switch {
		case f.IsMap():
			values := m.Mutable(f).Map()
			for range g.Intn(3) {
				values.Set(randomScalar(g.Rand, f.MapKey()).MapKey(), value(f.MapValue(), values.NewValue()))
			}
		case f.IsList():
			list := m.Mutable(f).List()
			for range g.Intn(3) {
				list.Append(value(f, list.NewElement()))
			}
		default:
			m.Set(f, value(f, m.NewField(f)))
		}
	}
}

// wellKnown fills a message whose values are not free.
func (g *wideGen) wellKnown(s *protobuf.Schema, m protoreflect.Message, depth int) bool {
	set := func(name string, v any) {
		m.Set(m.Descriptor().Fields().ByName(protoreflect.Name(name)), protoreflect.ValueOf(v))
	}
	switch m.Descriptor().FullName() {
	case "google.protobuf.Timestamp":
		set("seconds", pick(g, []int64{0, 1, 1_700_000_000}))
		set("nanos", pick(g, []int32{0, 5, 500_000_000}))
	case "google.protobuf.Duration":
		set("seconds", pick(g, []int64{0, 1, 300}))
	case "google.protobuf.FieldMask":
		list := m.Mutable(m.Descriptor().Fields().ByNumber(1)).List()
		for range g.Intn(3) {
			list.Append(protoreflect.ValueOfString(pick(g, []string{"a", "foo_bar.x"})))
		}
	case "google.protobuf.Any":
		g.any(s, m, depth)
	case "google.protobuf.Value":
		switch g.Intn(5) {
		case 0:
			set("null_value", protoreflect.EnumNumber(0))
		case 1:
			set("number_value", pick(g, []float64{0, 1, 1.5}))
		case 2:
			set("string_value", pick(g, []string{"", "x"}))
		case 3:
			set("bool_value", true)
		case 4:
			g.event(s, m.Mutable(m.Descriptor().Fields().ByName("struct_value")).Message(), depth+2)
		}
	default:
		return false
	}
	return true
}

func (g *wideGen) any(s *protobuf.Schema, m protoreflect.Message, depth int) {
	all := carried(s)
	if depth > 3 || len(all) == 0 {
		return
	}
	content := dynamicpb.NewMessage(pick(g, all))
	g.event(s, content, depth+1)
	if proto.CheckInitialized(content) == nil {
		packAny(m, content)
	}
}
