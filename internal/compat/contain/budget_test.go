package contain

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestBudget holds that no schema keeps the prover busy: a step budget ends it.
func TestBudget(t *testing.T) {
	var enum, wide strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&enum, `"v%d",`, i)
	}
	for i := range 60 {
		fmt.Fprintf(&wide, `{"properties":{"p%d":{"type":"string","minLength":%d}}},`, i, i+1)
	}
	nest := func(keyword string, depth int) string {
		s := `{"minLength":1}`
		for i := range depth {
			s = fmt.Sprintf(`{"%s":[%s,{"properties":{"k%d":%s}},{"minimum":%d}]}`, keyword, s, i, s, i)
			if len(s) > 200_000 {
				break
			}
		}
		return s
	}
	for _, c := range []struct{ name, writer, reader string }{
		{"oneOf in oneOf", nest("oneOf", 7), nest("oneOf", 8)},
		{"anyOf in anyOf", nest("anyOf", 8), nest("oneOf", 7)},
		{"a wide oneOf", `{"oneOf":[` + strings.TrimSuffix(wide.String(), ",") + `]}`, `{"oneOf":[{"minProperties":1},` + strings.TrimSuffix(wide.String(), ",") + `]}`},
		{"exponential states", `{"pattern":"^(a|b)*a(a|b){30}$"}`, `{"pattern":"^(a|b)*b(a|b){29}$"}`},
		{"exponential states, one side", `{"type":"string"}`, `{"pattern":"^(a|b)*a(a|b){30}$"}`},
		{"large enums", `{"enum":[` + enum.String() + `"x"]}`, `{"enum":[` + enum.String() + `"y"]}`},
		{"a large enum excluded", `{"type":"string"}`, `{"not":{"enum":[` + enum.String() + `"y"]}}`},
		{"long strings", `{"type":"string","minLength":1000000}`, `{"type":"string","maxLength":5}`},
		{"long strings with a pattern", `{"type":"string","minLength":1000000,"pattern":"^a*$"}`, `{"type":"string","maxLength":5}`},
		{"long arrays", `{"type":"array","minItems":1000000}`, `{"type":"array","maxItems":5}`},
		{"a huge bound", `{"maxLength":1e30,"minItems":1e30}`, `{"maxLength":3}`},
		{"many properties", `{"type":"object","minProperties":1000000}`, `{"maxProperties":1}`},
		{"many contains", `{"type":"array","contains":{"minimum":1},"minContains":1000}`, `{"maxItems":3}`},
		{"many unique booleans", `{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":50}`, `false`},
		{"lattices", `{"type":"number","multipleOf":0.0000001,"minimum":0.5}`, `{"multipleOf":0.00000013}`},
		{"many patterns", `{"patternProperties":{"a.*b":{"type":"string"},"b.*c":{"type":"string"},"c.*d":{"minLength":1},"d.*e":{},"e.*f":{"maxLength":3},"f.*g":{"type":"string"},"g.*h":{"type":"string"},"h.*i":{"type":"string"}}}`,
			`{"patternProperties":{"a.*c":{"type":"integer"},"i.*j":{"type":"integer"}},"additionalProperties":false}`},
		{"never ending recursion", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"n":{"$ref":"#/$defs/a"}},"required":["n"]}}}`, `false`},
		{"wide recursion", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"items":{"$ref":"#/$defs/a"}},{"properties":{"l":{"$ref":"#/$defs/a"},"r":{"$ref":"#/$defs/a"}}}]}}}`,
			`{"$ref":"#/$defs/a","$defs":{"a":{"oneOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/a"}},{"properties":{"r":{"$ref":"#/$defs/a"},"l":{"not":{"$ref":"#/$defs/a"}}}}]}}}`},
	} {
		w, err := compileText(Draft2020, c.writer)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r, err := compileText(Draft2020, c.reader)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		start := time.Now()
		a := Ask(Question{Writer: w, Reader: r})
		b := Ask(Question{Writer: r, Reader: w})
		took := time.Since(start)
		t.Logf("%-30s %v/%v %v %.60q", c.name, a.Verdict, b.Verdict, took.Round(time.Millisecond), a.Reason)
		for _, answer := range []Answer{a, b} { // that it ends at all is what the test is for
			if answer.Verdict == Unknown && (answer.Reason.Keyword == "" || answer.Reason.At == (Location{})) {
				t.Errorf("%s is unknown, and the reason has no keyword or no place: %v", c.name, answer.Reason)
			}
		}
	}
}
