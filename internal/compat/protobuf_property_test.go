package compat

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// protoEvents loads one message of each of several sources, as files of one tree.
func protoEvents(t testing.TB, root string, sources ...string) []*contract.Event {
	t.Helper()
	dir := t.TempDir()
	for i, text := range sources {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("v%d.proto", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	loader := protobuf.NewLoader(tree, protobuf.Options{ProtoPaths: []string{"."}})
	var events []*contract.Event
	for i := range sources {
		s, problems := loader.Load(fmt.Sprintf("v%d.proto#%s", i, root))
		if s == nil {
			t.Fatalf("%v\n%s", problems[0], sources[i])
		}
		events = append(events, &contract.Event{Manifest: &contract.Manifest{}, Schema: s})
	}
	return events
}

// randomEvent fills a message with what its writer may send.
func randomEvent(g *rand.Rand, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.Cardinality() != protoreflect.Required && g.Intn(3) == 0 || depth > 4 {
			continue
		}
		switch {
		case f.IsMap():
			for range g.Intn(3) {
				values := m.Mutable(f).Map()
				v := values.NewValue()
				if f.MapValue().Message() != nil {
					randomEvent(g, v.Message(), depth+1)
				} else {
					v = randomScalar(g, f.MapValue())
				}
				values.Set(randomScalar(g, f.MapKey()).MapKey(), v)
			}
		case f.IsList():
			for range g.Intn(3) {
				if f.Message() != nil {
					randomEvent(g, m.Mutable(f).List().AppendMutable().Message(), depth+1)
				} else {
					m.Mutable(f).List().Append(randomScalar(g, f))
				}
			}
		case f.Message() != nil:
			randomEvent(g, m.Mutable(f).Message(), depth+1)
		default:
			m.Set(f, randomScalar(g, f))
		}
	}
}

func randomScalar(g *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	if f.Enum() != nil {
		return protoreflect.ValueOfEnum(f.Enum().Values().Get(g.Intn(f.Enum().Values().Len())).Number())
	}
	switch f.Kind() {
	case protoreflect.StringKind:
		if !checksUTF8(f) && g.Intn(3) == 0 {
			return protoreflect.ValueOfString("\xff")
		}
		return protoreflect.ValueOfString([]string{"", "x", "hello", "7", "text", "é"}[g.Intn(6)])
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte([]string{"", "x", "\xff\xfe", "hello"}[g.Intn(4)]))
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return floatValue(f.Kind(), []float64{0, 1, 1.5, -2, 1e30, 0.1}[g.Intn(6)])
	}
	numbers := numbersOf(f)
	return intValue(f.Kind(), numbers[g.Intn(len(numbers))])
}

// propertyKinds are the readers that random pairs are judged for.
func propertyKinds() []Assumptions {
	var all []Assumptions
	for _, e := range []contract.Encoding{contract.Protobuf, contract.JSON} {
		for _, f := range []contract.Treatment{contract.Ignore, contract.Reject} {
			for _, u := range []contract.Treatment{"", contract.Ignore, contract.Reject} {
				all = append(all, Assumptions{Encoding: e, UnknownFields: f, UnknownEnums: u})
			}
		}
	}
	return all
}

// TestPropertyProtobuf reads random events of random pairs and demands that a
// read that holds never spoils one, and that every claim was proved. Long runs
// (EVCONTRACT_LONG=1) take more pairs.
func TestPropertyProtobuf(t *testing.T) {
	pairs, events := 15, 200
	if os.Getenv("EVCONTRACT_LONG") != "" {
		pairs = 2500
	}
	counts := map[rule.Answer]int{}
	for seed := range pairs {
		propertySeed(t, int64(seed), events, counts)
		if t.Failed() {
			return
		}
	}
	t.Logf("%v", counts)
}

// FuzzPropertyProtobuf lets the fuzzer choose the pairs.
func FuzzPropertyProtobuf(f *testing.F) {
	f.Add(int64(100_000))
	f.Add(int64(99837))  // a map that is read as a list of bytes
	f.Add(int64(99629))  // a list of messages that is read as a map
	f.Add(int64(1216))   // numbers of which a closed enum in JSON knows some
	f.Add(int64(100209)) // a message that is read as an entry, whose value requires a field
	f.Fuzz(func(t *testing.T, seed int64) { propertySeed(t, seed, 20, map[rule.Answer]int{}) })
}

// propertySeed judges one pair for every kind of reader, both ways.
func propertySeed(t *testing.T, seed int64, events int, counts map[rule.Answer]int) {
	g := &protoGen{Rand: rand.New(rand.NewSource(seed))}
	a, b := g.pair()
	both := protoEvents(t, "t.M", a, b)
	for _, as := range propertyKinds() {
		for _, q := range []Question{{Reader: both[0], Writer: both[1], As: as}, {Reader: both[1], Writer: both[0], As: as}} {
			counts[propertyRead(t, g.Rand, q, seed, events, a+"\n-----\n"+b)]++
		}
	}
}

func propertyRead(t *testing.T, g *rand.Rand, q Question, seed int64, events int, sources string) rule.Answer {
	r := readProtobuf(q)
	if r.Reason+r.Open != "" {
		t.Errorf("seed %d %+v: %s %s\n%s", seed, q.As, r.Reason, r.Open, sources)
		return r.Answer
	}
	reader, writer := q.Reader.Schema.(*protobuf.Schema), q.Writer.Schema.(*protobuf.Schema)
	if !confirmed(t, q, r, reader.Descriptor(), writer.Descriptor()) {
		t.Logf("seed %d %+v\n%s\n%s", seed, q.As, breakLines(r), sources)
		return r.Answer
	}
	judge := protoReader{as: q.As, wire: wireOf(q.As.Encoding), reader: reader, writer: writer}
	for range events {
		m := dynamicpb.NewMessage(writer.Descriptor())
		randomEvent(g, m, 0)
		out, err := judge.read(m)
		if err != nil {
			continue // not UTF-8 in JSON: no such event
		}
		second, err := opine(q.As, reader.Descriptor(), writer.Descriptor(), out.bytes)
		if err != nil || second.spoiled() && r.Answer == rule.Holds {
			t.Errorf("seed %d %+v: %s, and the oracle says %v%+v of %v\n%s", seed, q.As, r.Answer, err, second, m, sources)
			return r.Answer
		}
		if out.refused != "" && r.Answer == rule.Holds {
			t.Errorf("seed %d %+v: holds, and the reader refuses %v: %s\n%s", seed, q.As, m, out.refused, sources)
			return r.Answer
		}
		for _, d := range out.diffs {
			if out.refused == "" && !claimed(r, d) {
				t.Errorf("seed %d %+v: at %s the writer sent %s and the reader saw %s\n%v\n%s\n%s", seed, q.As, d.path, d.sent, d.seen, m, breakLines(r), sources)
				return r.Answer
			}
		}
	}
	return r.Answer
}

// confirmed holds that the oracle finds something wrong in the witness of every
// break.
func confirmed(t *testing.T, q Question, r Result, reader, writer protoreflect.MessageDescriptor) bool {
	for _, b := range r.Breaks {
		if b.Severity < rule.Error || b.Witness == nil || b.Rule == "meaning-changed" {
			continue
		}
		data := b.Witness.Bytes
		if q.As.Encoding == contract.JSON {
			data = b.Witness.Event
		}
		second, err := opine(q.As, reader, writer, data)
		if err != nil || !second.spoiled() {
			t.Errorf("%s at %s: the oracle finds nothing wrong with its witness %s (%v)", b.Rule, b.Path, b.Witness.Text, err)
			return false
		}
	}
	return true
}

// claimed reports whether a break accounts for a diff. A pair of types is claimed
// once, wherever it is met, so the last name of the path counts.
func claimed(r Result, d diff) bool {
	for _, b := range r.Breaks {
		if b.Severity < rule.Error && d.kind != unnamed {
			continue
		}
		if b.Path.HasPrefix(d.path) || lastName(b.Path) == lastName(d.path) || strings.Contains(b.Message, "enum") || enumRule(b) {
			return true
		}
		for n := range d.path {
			if d.path[n].Kind == contract.FieldStep && d.path[n].Name == lastName(b.Path) {
				return true
			}
		}
	}
	return false
}

func enumRule(b Break) bool { return strings.Contains(b.Message, " does not have: ") }

func lastName(p contract.Path) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Kind == contract.FieldStep {
			return p[i].Name
		}
	}
	return ""
}
