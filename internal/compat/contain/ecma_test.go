package contain

import (
	"strings"
	"testing"
)

// TestBacktracking: a pattern that the engine gives up on makes a value neither
// valid nor invalid, and an answer that depends on it unknown.
func TestBacktracking(t *testing.T) {
	s := mustCompile(t, Draft2020, `{"pattern":"^(?=(a+)+$)a*(?<!b)$"}`)
	for text, want := range map[string]string{`"aaa"`: "", `"aab"`: "does not match", `"` + strings.Repeat("a", 5000) + `"`: "takes too long"} {
		err := s.Validate([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", text, err, want)
		}
	}
	long := mustCompile(t, Draft2020, `{"const":"`+strings.Repeat("a", 5000)+`"}`)
	for _, q := range []Question{{Writer: long, Reader: s}, {Writer: long, Reader: mustCompile(t, Draft2020, `{"not":{"pattern":"^(?=(a+)+$)a*(?<!b)$"}}`)}} {
		if a := Ask(q); a.Verdict != Unknown || a.Reason.Keyword != "pattern" {
			t.Errorf("%v, %v", a.Verdict, a.Reason)
		}
	}
}
