package compat

import (
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// TestBetweenProtobuf holds that what was released between two revisions tells a
// number that was used again from one that was renamed, both ways.
func TestBetweenProtobuf(t *testing.T) {
	for _, c := range []struct {
		name, old, between, new string
		want                    string
		renamed                 bool
	}{
		{
			name: "used again", old: "message M { int64 price = 1; string s = 2; }", between: "message M { string s = 2; }",
			new: "message M { int64 discount = 1; string s = 2; }", want: "meaning-changed discount",
		},
		{
			name: "used again after it was reserved", old: "message M { int64 price = 1; string s = 2; }", between: "message M { reserved 1; string s = 2; }",
			new: "message M { int64 discount = 1; string s = 2; }", want: "meaning-changed discount",
		},
		{
			name: "renamed before", old: "message M { int64 price = 1; }", between: "message M { int64 amount = 1; }",
			new: "message M { int64 discount = 1; }", want: "[meaning-changed discount]",
		},
		{
			name: "the same again", old: "message M { int64 price = 1; string s = 2; }", between: "message M { string s = 2; }",
			new: "message M { int64 price = 1; string s = 2; }",
		},
		{
			name: "the manifest says it is one field", old: "message M { int64 price = 1; string s = 2; }", between: "message M { string s = 2; }",
			new: "message M { int64 discount = 1; string s = 2; }", renamed: true,
		},
		{
			name: "below a list and a map", old: "message P { int64 price = 1; string s = 2; } message Q { map<string, P> ps = 3; } message M { repeated Q qs = 1; }",
			between: "message P { string s = 2; } message R { map<string, P> ps = 3; } message M { repeated R rs = 1; }",
			new:     "message P { int64 discount = 1; string s = 2; } message Q { map<string, P> ps = 3; } message M { repeated Q qs = 1; }",
			want:    "meaning-changed qs[].ps{}.discount",
		},
		{
			name: "the place itself was gone", old: "message P { int64 price = 1; } message M { P p = 1; string s = 2; }", between: "message M { string s = 2; }",
			new: "message P { int64 discount = 1; } message M { P p = 1; string s = 2; }", want: "[meaning-changed p.discount]",
		},
		{
			name: "a value used again", old: "enum E { Z = 0; A = 1; B = 2; } message M { repeated E e = 1; }", between: "enum E { Z = 0; A = 1; } message M { repeated E e = 1; }",
			new: "enum E { Z = 0; A = 1; C = 2; } message M { repeated E e = 1; }", want: "meaning-changed e[]",
		},
		{
			name: "a value used again in a map", old: "enum E { Z = 0; A = 1; B = 2; } message M { map<string, E> e = 1; }", between: "enum E { Z = 0; A = 1; } message M { map<string, E> e = 1; }",
			new: "enum E { Z = 0; A = 1; C = 2; } message M { map<string, E> e = 1; }", want: "meaning-changed e{}",
		},
		{
			name: "a value renamed", old: "enum E { Z = 0; A = 1; B = 2; } message M { E e = 1; }", between: "enum E { Z = 0; A = 1; B = 2; X = 3; } message M { E e = 1; }",
			new: "enum E { Z = 0; A = 1; C = 2; } message M { E e = 1; }", want: "[meaning-changed e]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			events := protoEvents(t, "M", protoFile(c.old), protoFile(c.between), protoFile(c.new))
			if c.renamed {
				events[2].Renamed = map[string]source.At[contract.Path]{"discount": {Value: contract.Path{}.Field("price")}}
			}
			q := Question{Reader: events[0], Writer: events[2], Between: []Release{{"v2", events[1]}}}
			if got := breakNames(readProtobuf(q)); got != c.want {
				t.Errorf("forward: got %q, want %q", got, c.want)
			}
			q.Reader, q.Writer = q.Writer, q.Reader
			backward := readProtobuf(q)
			if forward := (c.want != "" && c.want[0] != '['); forward != (len(backward.Breaks) > 0 && backward.Answer == "refuted") {
				t.Errorf("backward: %s", breakLines(backward))
			}
		})
	}
}

// TestBetweenMemory holds that an answer is not remembered for other releases in
// between, nor for a reader that reserves what another does not.
func TestBetweenMemory(t *testing.T) {
	events := protoEvents(t, "M", protoFile("message M { int64 price = 1; string s = 2; }"), protoFile("message M { string s = 2; }"),
		protoFile("message M { int64 discount = 1; string s = 2; }"), protoFile("message M { reserved 1; reserved \"price\"; string s = 2; }"))
	var m Memory
	for i, c := range []struct {
		q    Question
		want string
	}{
		{Question{Reader: events[0], Writer: events[2]}, "[meaning-changed discount]"},
		{Question{Reader: events[0], Writer: events[2], Between: []Release{{"v0", events[0]}, {"v2", events[2]}}}, "[meaning-changed discount]"},
		{Question{Reader: events[0], Writer: events[2], Between: []Release{{"v1", events[1]}}}, "meaning-changed discount"},
		{Question{Reader: events[1], Writer: events[2]}, ""},
		{Question{Reader: events[3], Writer: events[2]}, "meaning-changed discount"},
	} {
		if got := breakNames(m.Read(c.q)); got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}
	if m.Pairs() != 4 {
		t.Errorf("%d questions, want 4", m.Pairs())
	}
}
