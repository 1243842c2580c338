package contain

import "testing"

// linkPool are assertions that lead from one definition to another.
var linkPool = []string{
	`{"properties":{"a":REF}}`, `{"properties":{"b":REF},"required":["b"]}`, `{"items":REF}`, `{"items":REF,"minItems":1}`, `{"additionalProperties":REF}`,
	`{"contains":REF}`, `{"properties":{"a":{"not":REF}}}`, `{"properties":{"a":REF,"b":REF},"additionalProperties":false}`, `{"patternProperties":{"^a":REF}}`,
	`{"items":{"not":REF}}`, `{"prefixItems":[REF,REF]}`, `{"properties":{"a":{"anyOf":[{"type":"null"},REF]}},"required":["a"]}`,
}

func (r random) links(depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		if r.IntN(3) == 0 {
			return pick(r, atomPool)
		}
		ref := `{"$ref":"#/$defs/` + pick(r, []string{"a", "b"}) + `"}`
		out := ""
		for i, l := 0, pick(r, linkPool); i < len(l); i++ {
			if len(l)-i >= 3 && l[i:i+3] == "REF" {
				out += ref
				i += 2
				continue
			}
			out += l[i : i+1]
		}
		return out
	}
	sub := func() string { return r.links(depth - 1) }
	switch r.IntN(4) {
	case 0:
		return `{"not":` + sub() + `}`
	case 1:
		return `{"anyOf":[` + sub() + `,` + sub() + `]}`
	case 2:
		return `{"oneOf":[` + sub() + `,` + sub() + `]}`
	}
	return `{"allOf":[` + sub() + `,` + sub() + `]}`
}

func (r random) recursive() string {
	return `{"$ref":"#/$defs/a","$defs":{"a":` + r.links(2) + `,"b":` + r.links(2) + `}}`
}

// TestLawRecursion: definitions that lead to each other, on every small value.
func TestLawRecursion(t *testing.T) {
	values := universe()
	var count [3]int
	for seed := range rounds(1000) {
		r := newRandom(uint64(seed) + 7e6)
		a, b := r.recursive(), r.recursive()
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
