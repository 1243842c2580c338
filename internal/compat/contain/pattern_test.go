package contain

import "testing"

// TestPatternPlaces: rewritten patterns are shown as the user wrote them.
func TestPatternPlaces(t *testing.T) {
	w := mustCompile(t, Draft2020, `{"type":"object"}`)
	r := mustCompile(t, Draft2020, `{"patternProperties":{"^(?!x-)\\w+$":{"type":"string","pattern":"^\\S+/$"}}}`)
	a := Ask(Question{Writer: w, Reader: r})
	checkAnswer(t, Question{Writer: w, Reader: r}, a)
	if len(a.Breaks) != 2 {
		t.Fatalf("%d breaks", len(a.Breaks))
	}
	for i, want := range []string{`/patternProperties/^(?!x-)\w+$/type`, `/patternProperties/^(?!x-)\w+$/pattern`} {
		if a.Breaks[i].Reader.Pointer != want {
			t.Errorf("%s, want %s", a.Breaks[i].Reader.Pointer, want)
		}
	}
	if a.Breaks[1].Detail != `^\S+/$` {
		t.Errorf("detail %s", a.Breaks[1].Detail)
	}
}

func TestRE2(t *testing.T) {
	for ecma, want := range map[string]string{
		`^\d+$`:        `^\d+$`,
		`a.b`:          `a[^\n\r\x{2028}\x{2029}]b`,
		`[[a]`:         `[\[a]`,
		`\u00e9\x41\/`: `\x{e9}\x{41}\/`,
		`\ud83d\udc32`: `\x{1f432}`,
		`[^]`:          `[\x00-\x{10ffff}]`,
		`\cJ`:          `\x0a`,
		`\p{Letter}`:   `\p{L}`,
		`\a\-`:         `a\-`,
		`é+`:           `é+`,
	} {
		if got, err := RE2(ecma); got != want || err != nil {
			t.Errorf("%s: %s %v, want %s", ecma, got, err, want)
		}
	}
}
