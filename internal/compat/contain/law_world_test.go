package contain

import "testing"

// world is a small set of instances, all of them, and schemas that tell them apart.
type world struct {
	name      string
	instances []any
	part      func(r random, s map[string]any, depth int)
}

var worlds = []world{
	{"numbers", numbersWorld(), func(r random, s map[string]any, _ int) { numberPart(r, s, 0) }},
	{"strings", stringsWorld(), func(r random, s map[string]any, _ int) {
		if r.IntN(4) == 0 {
			s["enum"] = []any{pick(r, shortStrings), pick(r, shortStrings)}
			return
		}
		stringPart(r, s, 0)
	}},
	{"arrays", arraysWorld(), arrayPart},
	{"objects", objectsWorld(), objectPart},
}

var shortStrings = []string{"", "a", "b", "ab", "ba", "aa", "bb", "c", "aaa"}

func numbersWorld() []any {
	var out []any
	for i := -8; i <= 26; i++ {
		out = append(out, float64(i)/2)
	}
	return append(out, 0.25, 1.1, 1000)
}

func stringsWorld() []any {
	var out []any
	level := []string{""}
	for range 5 {
		var next []string
		for _, s := range level {
			out = append(out, s)
			for _, l := range []string{"a", "b", "c"} {
				next = append(next, s+l)
			}
		}
		level = next
	}
	return out
}

func arraysWorld() []any {
	items := []any{nil, true, 0, 1, "", "a"}
	out := []any{[]any{}}
	for from := 0; len(out) < 600; from++ {
		for _, e := range items {
			short := out[from].([]any)
			out = append(out, append(short[:len(short):len(short)], e))
		}
	}
	return out
}

func objectsWorld() []any {
	values := []any{nil, 0, "a"}
	out := []any{map[string]any{}}
	for _, k := range []string{"", "a", "b", "ab", "c", "bb"} {
		for _, m := range out {
			if len(m.(map[string]any)) >= 3 {
				continue
			}
			for _, v := range values {
				more := map[string]any{k: v}
				for k, v := range m.(map[string]any) {
					more[k] = v
				}
				out = append(out, more)
			}
		}
	}
	return out
}

// schema of a world: its keywords, combined.
func (w world) schema(r random, depth int) any {
	s := map[string]any{}
	if depth == 0 || r.IntN(3) > 0 {
		for range 1 + r.IntN(3) {
			w.part(r, s, 1)
		}
		return s
	}
	list := []any{w.schema(r, depth-1), w.schema(r, depth-1)}
	switch r.IntN(5) {
	case 0:
		return wrap("anyOf", list...)
	case 1:
		return wrap("oneOf", list...)
	case 2:
		return wrap("allOf", list...)
	case 3:
		return not1(list[0])
	}
	s["if"], s["then"] = list[0], list[1]
	return s
}

// TestLawSmallWorlds asks every instance of a small world whether it contradicts
// what holds, and whether a refusal was missed.
func TestLawSmallWorlds(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			texts := make([][]byte, len(w.instances))
			for i, v := range w.instances {
				texts[i] = []byte(text(v))
			}
			var count [3]int
			for seed := range rounds(100) {
				r := newRandom(uint64(seed) + 3e6)
				a, b := w.schema(r, 2), w.schema(r, 2)
				q := Question{Writer: compileOrSkip(t, a), Reader: compileOrSkip(t, b)}
				if q.Writer == nil || q.Reader == nil {
					continue
				}
				answer := Ask(q)
				count[answer.Verdict]++
				checkAnswer(t, q, answer)
				if v := contradiction(q, texts); v != nil && answer.Verdict == Holds {
					t.Errorf("holds is contradicted by %s", v)
				}
				if t.Failed() {
					t.Fatalf("seed %d: writer %s\nreader %s", seed, text(a), text(b))
				}
			}
			t.Logf("unknown %d, holds %d, refuted %d", count[Unknown], count[Holds], count[Refuted])
		})
	}
}

func contradiction(q Question, texts [][]byte) []byte {
	for _, v := range texts {
		if q.Writer.Validate(v) == nil && q.Reader.Validate(v) != nil {
			return v
		}
	}
	return nil
}
