package contain

import (
	"encoding/json"
	"testing"
)

// universe is every small value over few atoms, keys and sizes.
func universe() []any {
	atoms := []any{nil, true, false, json.Number("0"), json.Number("1"), json.Number("1.5"), json.Number("-2"), "", "a", "ab", "b", "abc"}
	out := append([]any{[]any{}, map[string]any{}}, atoms...)
	small := []any{nil, true, json.Number("1"), "a", "ab", []any{}, map[string]any{}}
	keys := []string{"a", "b", "ab", "c", ""}
	for _, x := range atoms {
		out = append(out, []any{x})
		for _, k := range keys {
			out = append(out, map[string]any{k: x})
		}
		for _, y := range small {
			out = append(out, []any{x, y}, []any{x, y, x}, []any{y, y, x})
			for i, k := range keys {
				for _, l := range keys[i+1:] {
					out = append(out, map[string]any{k: x, l: y})
				}
			}
		}
	}
	for _, y := range small {
		out = append(out, map[string]any{"a": y, "b": y, "ab": y}, map[string]any{"a": map[string]any{"b": y}}, []any{map[string]any{"a": y}}, map[string]any{"a": []any{y}},
			map[string]any{"a": y, "c": y, "ab": json.Number("0"), "": y})
	}
	return out
}

// TestLawUniverse: on every small value the nodes say what the validator says,
// and no such value contradicts an answer.
func TestLawUniverse(t *testing.T) {
	values := universe()
	for seed := range rounds(600) {
		r := newRandom(uint64(seed) + 9e6)
		a, b := r.schema(3), r.schema(2)
		if r.IntN(2) == 0 {
			b = r.mutate(a)
		}
		writer, reader := compileOrSkip(t, a), compileOrSkip(t, b)
		if writer == nil || reader == nil {
			continue
		}
		holds := Ask(Question{Writer: writer, Reader: reader}).Verdict == Holds
		for i, v := range values {
			if (i+seed)%17 == 0 {
				if bad, err := writer.check(v); err == nil && (bad == nil) == (eval(writer.root, v) == no) {
					t.Fatalf("seed %d: the validator says %v of %s\n%s", seed, bad, encode(v), text(a))
				}
			}
			if holds && eval(writer.root, v) == yes && eval(reader.root, v) == no {
				t.Fatalf("seed %d: holds is contradicted by %s\nwriter %s\nreader %s", seed, encode(v), text(a), text(b))
			}
		}
	}
}

// atomPool are assertions that get in each other's way.
var atomPool = []string{
	`{"type":"object"}`, `{"type":"array"}`, `{"type":["string","null"]}`, `{"required":["a"]}`, `{"required":["b"]}`, `{"minProperties":1}`, `{"minProperties":2}`,
	`{"maxProperties":1}`, `{"maxProperties":2}`, `{"properties":{"a":{"type":"null"}}}`, `{"properties":{"a":false}}`, `{"properties":{"ab":{"type":"string"}}}`,
	`{"patternProperties":{"^a":{"type":"string"}}}`, `{"patternProperties":{"b$":{"type":"number"}}}`, `{"patternProperties":{"^a":false}}`, `{"patternProperties":{"b":false}}`,
	`{"properties":{"a":true},"additionalProperties":false}`, `{"properties":{"b":true},"additionalProperties":{"type":"string"}}`, `{"patternProperties":{"^a":true},"additionalProperties":false}`,
	`{"propertyNames":{"pattern":"b"}}`, `{"propertyNames":{"maxLength":1}}`, `{"propertyNames":{"enum":["a","b","c"]}}`, `{"dependentRequired":{"a":["b"]}}`,
	`{"minItems":1}`, `{"minItems":2}`, `{"maxItems":2}`, `{"maxItems":1}`, `{"uniqueItems":true}`, `{"items":{"type":["string","null"]}}`, `{"prefixItems":[{"type":"string"}]}`,
	`{"prefixItems":[true,{"type":"null"}]}`, `{"prefixItems":[true],"items":{"enum":["a","ab"]}}`, `{"contains":{"type":"string"}}`, `{"contains":{"type":"null"},"minContains":2}`,
	`{"contains":{"const":"a"},"maxContains":1}`, `{"contains":{"type":"string"},"minContains":0,"maxContains":1}`, `{"items":{"type":"boolean"}}`, `{"items":{"enum":[null,true]}}`,
	`{"unevaluatedProperties":false,"properties":{"a":true}}`, `{"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{"type":"null"}}},{"properties":{"b":true}}]}`,
	`{"unevaluatedItems":false,"prefixItems":[true]}`, `{"unevaluatedItems":{"type":"null"},"contains":{"type":"string"}}`, `{"const":{"a":null}}`, `{"enum":[["a"],["a","ab"],{}]}`,
}

func (r random) tangle(depth int) string {
	if depth == 0 || r.IntN(5) == 0 {
		return pick(r, atomPool)
	}
	sub := func() string { return r.tangle(depth - 1) }
	switch r.IntN(6) {
	case 0:
		return `{"not":` + sub() + `}`
	case 1:
		return `{"anyOf":[` + sub() + `,` + sub() + `]}`
	case 2:
		return `{"oneOf":[` + sub() + `,` + sub() + `,` + sub() + `]}`
	case 3:
		return `{"if":` + sub() + `,"then":` + sub() + `,"else":` + sub() + `}`
	}
	return `{"allOf":[` + sub() + `,` + sub() + `,` + sub() + `]}`
}

// TestLawTangle: Boolean combinations of assertions that compete for the same few keys and items.
func TestLawTangle(t *testing.T) {
	values := universe()
	var count [3]int
	for seed := range rounds(1500) {
		r := newRandom(uint64(seed) + 5e6)
		a, b := r.tangle(2), r.tangle(1+r.IntN(2))
		writer, reader := mustCompile(t, Draft2020, a), mustCompile(t, Draft2020, b)
		q := Question{Writer: writer, Reader: reader}
		answer := Ask(q)
		count[answer.Verdict]++
		checkAnswer(t, q, answer)
		for _, v := range values {
			if answer.Verdict != Refuted && eval(writer.root, v) == yes && eval(reader.root, v) == no {
				t.Fatalf("seed %d: %v (%v), yet %s\nwriter %s\nreader %s", seed, answer.Verdict, answer.Reason, encode(v), a, b)
			}
		}
	}
	t.Logf("unknown %d, holds %d, refuted %d", count[Unknown], count[Holds], count[Refuted])
}
