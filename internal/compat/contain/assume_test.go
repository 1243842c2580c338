package contain

import "testing"

func TestAssumptions(t *testing.T) {
	closed, tolerant, enums := Assumptions{ClosedWriter: true}, Assumptions{IgnoreUnknown: true}, Assumptions{IgnoreEnums: true}
	for _, c := range []struct {
		name           string
		assume         Assumptions
		writer, reader string
		want           Verdict
	}{
		{"a new optional property", Assumptions{}, `{"type":"object","properties":{"a":{}}}`, `{"properties":{"b":{"type":"string"}}}`, Refuted},
		{"a new optional property", closed, `{"type":"object","properties":{"a":{}}}`, `{"properties":{"b":{"type":"string"}}}`, Holds},
		{"a new required property", closed, `{"type":"object","properties":{"a":{}}}`, `{"properties":{"b":{}},"required":["b"]}`, Refuted},
		{"keys named beside, in allOf", closed, `{"type":"object","allOf":[{"properties":{"a":{}}}],"properties":{"b":{}}}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, Holds},
		{"keys named in an arm", closed, `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{}}}]}`, `{"properties":{"a":{"type":"string"}}}`, Holds}, // with another value no arm that applies names a
		{"keys of a map", closed, `{"type":"object","additionalProperties":{"type":"string"}}`, `{"properties":{"a":{"type":"integer"}}}`, Refuted},
		{"nested", closed, `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{}}}}}`, `{"properties":{"o":{"properties":{"x":{"type":"string"}}}}}`, Holds},

		{"an unknown key", Assumptions{}, `{"type":"object","properties":{"a":{}}}`, `{"properties":{},"additionalProperties":false}`, Refuted},
		{"an unknown key", tolerant, `{"type":"object","properties":{"a":{}}}`, `{"properties":{},"additionalProperties":false}`, Holds},
		{"oneOf reads as anyOf", tolerant, `{"type":"object","required":["a","b"]}`,
			`{"oneOf":[{"required":["a"],"properties":{"a":{}},"additionalProperties":false},{"required":["b"],"properties":{"b":{}},"additionalProperties":false}]}`, Holds},
		{"a map stays", tolerant, `{"type":"object"}`, `{"additionalProperties":{"type":"string"}}`, Refuted},

		{"an unknown enum value", Assumptions{}, `{"enum":["a","b"]}`, `{"enum":["a"]}`, Refuted},
		{"an unknown enum value", enums, `{"enum":["a","b"]}`, `{"enum":["a"]}`, Holds},
		{"not of another type", enums, `{"enum":["a",1]}`, `{"enum":["a"]}`, Refuted},

		{"a field that is read", Assumptions{Fields: [][]string{{"a"}}}, `{"type":"object"}`, `{"properties":{"a":{"type":"string"}}}`, Refuted},
		{"a field that is skipped", Assumptions{Fields: [][]string{{"a"}}}, `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`, Holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := Question{Writer: mustCompile(t, 0, c.writer), Reader: mustCompile(t, 0, c.reader), Assume: c.assume}
			a := Ask(q)
			checkAnswer(t, q, a)
			if a.Verdict != c.want {
				t.Fatalf("%v (%v), not %v\nwriter %s\nreader %s %s", a.Verdict, a.Reason, c.want, c.writer, c.reader, firstWitness(a))
			}
		})
	}
}
