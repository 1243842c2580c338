package contain

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/dlclark/regexp2"
)

// TestLookahead compares with an engine that has lookahead, on random strings.
func TestLookahead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, p := range []string{`^(?!x-)`, `^(?!x-).*$`, `^(?!bundle::)(?!with$).*`, `^(?=x$)x$`, `^(?!a|b$)[ab-]+$`, `^(?!.*--)[a-x-]+(?:b)?$`,
		`^(?!aliases|audio|date).+$`, `^(?=.*[0-9])(?=.*[a-z]).{2,5}$`, `^(?!$)`} {
		re2, err := RE2(p)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		fast, slow := regexp.MustCompile(re2), regexp2.MustCompile(p, regexp2.ECMAScript)
		for range 3000 {
			var s []byte
			for range r.IntN(7) {
				s = append(s, "xab-w0i:"[r.IntN(8)])
			}
			want, err := slow.MatchString(string(s))
			if err == nil && fast.MatchString(string(s)) != want {
				t.Errorf("%s on %q: %v, want %v", p, s, !want, want)
				break
			}
		}
	}
	for _, p := range []string{`(?!x)y`, `^(?!x)y|z`, `^a(?!x)`, `(a)\1`, `^(?!(?=a)b)c`} {
		if _, err := RE2(p); err == nil {
			t.Errorf("%s should not be taken for regular", p)
		}
	}
}
