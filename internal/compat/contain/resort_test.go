package contain

import "testing"

// TestLastResort decides what the search itself cannot.
func TestLastResort(t *testing.T) {
	dynamic := `{"$id":"https://example.com/main","$defs":{"inner":{"$id":"inner","$dynamicAnchor":"foo","additionalProperties":{"$dynamicRef":"#foo"}}},
		"if":{"propertyNames":{"pattern":"^[a-m]"}},"then":{"$id":"any","$dynamicAnchor":"foo","$ref":"main#/$defs/inner"},
		"else":{"$id":"integer","$dynamicAnchor":"foo","type":["object","integer"],"$ref":"main#/$defs/inner"}}`
	for _, c := range []struct {
		writer, reader string
		want           Verdict
	}{
		{`{"const":{"alpha":1.1}}`, dynamic, Holds},
		{`{"enum":[{"november":1.1},{"alpha":1}]}`, dynamic, Refuted},
		{`{"type":"string","minLength":3}`, `{"pattern":"(a)\\1"}`, Refuted},
	} {
		q := Question{Writer: mustCompile(t, 0, c.writer), Reader: mustCompile(t, 0, c.reader)}
		a := Ask(q)
		checkAnswer(t, q, a)
		if a.Verdict != c.want {
			t.Errorf("%s: %v (%v), want %v", c.writer, a.Verdict, a.Reason, c.want)
		}
	}
}
