package contain

import (
	"regexp"
	"strings"
	"testing"
)

func TestLargeCounts(t *testing.T) {
	for _, c := range []struct {
		ecma      string
		low, high int // of the letter a; high < 0: no bound
	}{
		{`^a{1,2048}$`, 1, 2048}, {`^a{1500}$`, 1500, 1500}, {`^a{0,3000}?$`, 0, 3000}, {`^a{1001,}$`, 1001, -1}, {`^(?:a){999,1001}$`, 999, 1001},
		{`^[a]{0,1000}$`, 0, 1000}, {`^\u0061{2000,4000}$`, 2000, 4000},
	} {
		text, err := RE2(c.ecma)
		if err != nil {
			t.Errorf("%s: %v", c.ecma, err)
			continue
		}
		re := regexp.MustCompile(text)
		for _, n := range []int{0, 1, 999, 1000, 1001, 1499, 1500, 1501, 1999, 2000, 2001, 2047, 2048, 2049, 3000, 3001, 4000, 4001} {
			want := n >= c.low && (c.high < 0 || n <= c.high)
			if re.MatchString(strings.Repeat("a", n)) != want {
				t.Errorf("%s on %d letters is %v", c.ecma, n, !want)
			}
		}
	}
	q := Question{Writer: mustCompile(t, 0, `{"type":"string","pattern":"^.{1,2048}$"}`), Reader: mustCompile(t, 0, `{"maxLength":2048,"minLength":1}`)}
	if a := Ask(q); a.Verdict != Holds {
		t.Errorf("%v %v", a.Verdict, a.Reason)
	}
	for _, beyond := range []string{`^é{1,20000}$`, `^(a{1,100}){1,200}$`, `^(a{1,100}){1,2000}$`} {
		s, err := compileText(0, text(map[string]any{"pattern": beyond}))
		if err != nil {
			t.Errorf("%s: %v", beyond, err)
			continue
		}
		if a := Ask(Question{Writer: s, Reader: s}); a.Verdict != Holds {
			t.Errorf("%s does not read itself: %v", beyond, a.Verdict)
		}
	}
}
