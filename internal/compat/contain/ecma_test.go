package contain

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
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

// TestRegularParts: what an engine with lookaround takes satisfies the parts of
// its pattern, and nothing else does where they are exact.
func TestRegularParts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for p, exact := range map[string]bool{
		`^(?=.{2,40}$)(?=.*[a-c])(?=.*\d)(?!.*--)`: true, `^(?=a|b$)(?!x\b).*$`: true, `^(?!(?=a)b)[ab]`: false, `^(?=(?!a)[ab]).b`: false,
		`a(?!b)`: false, `(?<!a)b(?=$|-)`: false, `^(a|b)\1$`: false, `(?<n>a|b)-\k<n>`: false, `(?:(?=a))*b`: false, `[(?=a]\b(?<=b)[]|-`: false, `x(?!\))`: false,
	} {
		e := newECMA(p)
		if e == nil || len(e.parts) == 0 || e.exact != exact {
			t.Fatalf("%s: %+v, want exact %v", p, e, exact)
		}
		slow := regexp2.MustCompile(p, regexp2.ECMAScript)
		for range 3000 {
			s := randomText(r)
			want, err := slow.MatchString(s)
			if err == nil && (e.match(s) == yes) != want {
				t.Errorf("%s on %q: %v, want %v", p, s, e.match(s), want)
				break
			}
		}
	}
}

// TestWordBoundaries compares the automata with Go's engine, which knows words as ECMA-262 does.
func TestWordBoundaries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, p := range []string{`\b`, `\B`, `\ba`, `a\b`, `\Ba`, `^\b`, `^\B`, `\b$`, `\B$`, `^\B$`, `a\bb`, `(?:\b|1)a`, `\b\b-`, `^(?:\w+\b-?)*$`, `(?:a|\B)*\bx`, `-\B-|1\b`} {
		a, re := newAutomaton(p), regexp.MustCompile(p)
		if a.broken {
			t.Fatalf("%s has no automaton", p)
		}
		for range 3000 {
			s, at := randomText(r), 0
			for _, c := range s {
				at = a.step(at, c)
			}
			if got, want := a.states[at].ends, re.MatchString(s); got != want {
				t.Errorf("%s on %q: %v, want %v", p, s, got, want)
				break
			}
		}
	}
}

func randomText(r *rand.Rand) string {
	var s []byte
	for range r.IntN(7) {
		s = append(s, "xab-1( "[r.IntN(7)])
	}
	return string(s)
}
