package contain

import (
	"errors"
	"iter"
	"os"
	"strconv"
	"testing"
)

// rounds are the seeds of the random cases that a law sees: many more where
// EVCONTRACT_LONG is set, or as many as CONTAIN_ROUNDS says; and others, from
// CONTAIN_FROM on.
func rounds(n int) iter.Seq[int] {
	if os.Getenv("EVCONTRACT_LONG") != "" {
		n *= 10
	}
	if more, err := strconv.Atoi(os.Getenv("CONTAIN_ROUNDS")); err == nil {
		n = more
	}
	from, _ := strconv.Atoi(os.Getenv("CONTAIN_FROM"))
	return func(yield func(int) bool) {
		for seed := from; seed < from+n && yield(seed); seed++ {
		}
	}
}

// compileOrSkip gives nil for a schema that the validator refuses, such as one
// that refers to nothing.
func compileOrSkip(t *testing.T, v any) *Schema {
	s, err := compileText(Draft2020, text(v))
	var own *Error
	if err != nil && !errors.As(err, &own) {
		t.Errorf("%s: an error of type %T", text(v), err)
	}
	return s
}

// TestLawRandomPairs attacks whatever holds and replays whatever is refuted.
func TestLawRandomPairs(t *testing.T) {
	var count [3]int
	for seed := range rounds(1500) {
		r := newRandom(uint64(seed))
		a, b := r.schema(3), r.schema(3)
		if r.IntN(2) == 0 {
			b = r.mutate(a)
		}
		writer, reader := compileOrSkip(t, a), compileOrSkip(t, b)
		if writer == nil || reader == nil {
			continue
		}
		q := Question{Writer: writer, Reader: reader}
		answer := Ask(q)
		count[answer.Verdict]++
		checkAnswer(t, q, answer)
		if answer.Verdict == Holds {
			attack(t, r, q)
		}
		if t.Failed() {
			t.Fatalf("seed %d: writer %s\nreader %s", seed, text(a), text(b))
		}
	}
	t.Logf("unknown %d, holds %d, refuted %d", count[Unknown], count[Holds], count[Refuted])
}

// attack looks for an instance that contradicts "holds".
func attack(t *testing.T, r random, q Question) {
	t.Helper()
	for range 150 {
		v := []byte(text(r.value(3)))
		if q.Writer.Validate(v) == nil && q.Reader.Validate(v) != nil {
			t.Errorf("holds is contradicted by %s", v)
			return
		}
	}
}

// mutate copies a schema with a keyword dropped, exchanged or added somewhere.
func (r random) mutate(v any) any {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return r.schema(1)
	}
	out := map[string]any{}
	for _, k := range sortedKeys(m) {
		out[k] = m[k]
	}
	k := pick(r, sortedKeys(out))
	switch sub := out[k].(type) {
	case map[string]any:
		if k != "properties" && k != "patternProperties" && k != "dependentRequired" {
			out[k] = r.mutate(sub)
			return out
		}
	}
	if r.IntN(2) == 0 {
		delete(out, k)
		return out
	}
	r.part(out, 1)
	return out
}

// metamorphic are pairs that hold by logic, whatever the schemas are.
var metamorphic = []struct {
	name           string
	writer, reader func(a, b any) any
}{
	{"S reads S", first, first},
	{"S reads S and X", func(a, b any) any { return wrap("allOf", a, b) }, first},
	{"S or X reads S", first, func(a, b any) any { return wrap("anyOf", a, b) }},
	{"a reference is its target", func(a, _ any) any { return map[string]any{"$ref": "#/$defs/a", "$defs": map[string]any{"a": a}} }, first},
	{"double negation", func(a, _ any) any { return not1(not1(a)) }, first},
	{"S reads double negation", first, func(a, _ any) any { return not1(not1(a)) }},
	{"one of S and not S is everything", second, func(a, _ any) any { return wrap("oneOf", a, not1(a)) }},
	{"if S then X else true, and S, is X", func(a, b any) any {
		return wrap("allOf", a, map[string]any{"if": a, "then": b})
	}, second},
	{"S and not S reads nothing", func(a, _ any) any { return wrap("allOf", a, not1(a)) }, func(any, any) any { return false }},
	{"an array of S reads an array of S and X", func(a, b any) any { return map[string]any{"items": wrap("allOf", a, b)} },
		func(a, _ any) any { return map[string]any{"items": a} }},
	{"a property S reads S and X", func(a, b any) any { return property(wrap("allOf", a, b)) }, func(a, _ any) any { return property(a) }},
}

func first(a, _ any) any  { return a }
func second(_, b any) any { return b }

func wrap(keyword string, list ...any) any { return map[string]any{keyword: list} }
func not1(a any) any                       { return map[string]any{"not": a} }
func property(a any) any                   { return map[string]any{"properties": map[string]any{"a": a}} }

func TestLawMetamorphic(t *testing.T) {
	for _, law := range metamorphic {
		unknown, n := 0, 0
		for seed := range rounds(150) {
			r := newRandom(uint64(seed) + 1e6)
			a, b := r.schema(2), r.schema(2)
			writer, reader := compileOrSkip(t, law.writer(a, b)), compileOrSkip(t, law.reader(a, b))
			if writer == nil || reader == nil {
				continue
			}
			n++
			answer := Ask(Question{Writer: writer, Reader: reader})
			if answer.Verdict == Refuted {
				t.Fatalf("%s: seed %d: %s and %s: %s", law.name, seed, text(a), text(b), firstWitness(answer))
			}
			if answer.Verdict == Unknown {
				unknown++
			}
		}
		t.Logf("%-42s unknown %d of %d", law.name, unknown, n)
	}
}

// TestLawAssumptions: assumptions only enlarge the reader and shrink the writer,
// so what holds still holds, and every refusal is one of the plain schemas.
func TestLawAssumptions(t *testing.T) {
	assumptions := []Assumptions{{ClosedWriter: true}, {IgnoreUnknown: true}, {IgnoreEnums: true}, {ClosedWriter: true, IgnoreUnknown: true, IgnoreEnums: true},
		{Fields: [][]string{{"a"}, {"b", "c"}}}}
	for seed := range rounds(500) {
		r := newRandom(uint64(seed) + 2e6)
		a := r.schema(3)
		b := r.mutate(a)
		writer, reader := compileOrSkip(t, a), compileOrSkip(t, b)
		if writer == nil || reader == nil {
			continue
		}
		plain := Ask(Question{Writer: writer, Reader: reader})
		for _, assume := range assumptions {
			q := Question{Writer: writer, Reader: reader, Assume: assume}
			answer := Ask(q)
			checkAnswer(t, q, answer)
			if plain.Verdict == Holds && answer.Verdict == Refuted {
				t.Errorf("holds, and with %+v is refuted by %s", assume, firstWitness(answer))
			}
			if t.Failed() {
				t.Fatalf("seed %d: writer %s\nreader %s", seed, text(a), text(b))
			}
		}
	}
}

// FuzzAsk looks for a panic and for a refusal that does not replay, on any two
// documents. The budget is small: what takes a second says nothing more, and
// the engine would spend its time on it.
func FuzzAsk(f *testing.F) {
	f.Add(`{"type":"integer"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"minimum":1}}}`)
	f.Add(`{"pattern":"(a|b)*a(a|b){30}"}`, `{"pattern":"^(?!a)"}`)
	f.Add(`{"$dynamicRef":"#x","$defs":{"a":{"$dynamicAnchor":"x"}}}`, `{"unevaluatedItems":false,"contains":true}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		writer, err := compileText(Draft2020, a)
		if err != nil {
			return
		}
		reader, err := compileText(Draft2020, b)
		if err != nil {
			return
		}
		q := Question{Writer: writer, Reader: reader, Budget: Budget{Steps: 2000, States: 500}}
		checkAnswer(t, q, Ask(q))
	})
}
