package codegen

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/event"
)

// TestRuns holds simple patterns against the regexp package.
// TestPatternsMeanTheSame: what ECMA-262 and Go read differently is rewritten.
func TestPatternsMeanTheSame(t *testing.T) {
	for pattern, want := range map[string]string{
		`^[A-Z]{3}$`:   `event.Pattern{{Set: "AZ", Min: 3, Max: 3}} // ^[A-Z]{3}$`,
		`^(?!x)[a-z]$`: `event.Pattern{{Set: "awyz", Min: 1, Max: 1}} // ^(?!x)[a-z]$`,
		`^a.c`:         "regexp.MustCompile(`^a[^\\n\\r\\x{2028}\\x{2029}]c`) // ^a.c",
		`\cJ`:          "regexp.MustCompile(`\\x0a`) // \\cJ",
	} {
		if got := patternCode(pattern); got != want {
			t.Errorf("%s: got  %s\nwant %s", pattern, got, want)
		}
	}
}

func TestRuns(t *testing.T) {
	for pattern, simple := range map[string]bool{
		`^[A-Z]{3}$`: true, `^[A-Z]+-[0-9]+$`: true, `^ab?c*$`: true, `^$`: true, `^[a-f0-9]{2,4}x?$`: true, `^[a-z][a-z0-9]*$`: true,
		`^[a-z]*[a-z]$`: false, `[a-z]`: false, `^[a-z]`: false, `^(a|bc)$`: false, `^[^,]+$`: false, `^.$`: false, `^a*b?a$`: false,
		`(?i)^a$`: false, `^é$`: false, `^a{2}{3}$`: false, `^\d{4}-\d{2}$`: true, `^a|b$`: false,
	} {
		list, ok := runs(pattern)
		if ok != simple {
			t.Errorf("%s: simple %t, want %t", pattern, ok, simple)
			continue
		}
		if !ok {
			continue
		}
		var p event.Pattern
		for _, r := range list {
			p = append(p, event.Run{Set: string(r.set), Min: r.min, Max: r.max})
		}
		re := regexp.MustCompile(pattern)
		random := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			var b strings.Builder
			for range random.IntN(8) {
				b.WriteByte("AZabcfxz019-é"[random.IntN(13)])
			}
			if text := b.String(); p.MatchString(text) != re.MatchString(text) {
				t.Errorf("%s on %q: %t", pattern, text, p.MatchString(text))
			}
		}
	}
}
