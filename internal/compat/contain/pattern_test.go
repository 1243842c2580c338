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

// TestProperties: a property is spelled out exactly, also where RE2 has no name for it.
func TestProperties(t *testing.T) {
	for _, c := range []struct{ pattern, takes, refuses string }{
		{`^\p{Alphabetic}$`, "aéΩⅧ\u0345", "1 _-"},
		{`^\P{Alphabetic}$`, "1 _-", "aéΩⅧ\u0345"},
		{`^[\p{Lowercase}\d]$`, "aª7", "A "},
		{`^[^\p{Upper}]$`, "aª7", "AⅧ"},
		{`^\p{White_Space}$`, " \u0085\u3000", "a\ufeff"},
		{`^\p{Any}$`, "a\n😀", ""},
		{`^\P{Any}$`, "", "a\n😀"},
		{`^\p{Script=Grek}$`, "Ω", "O"},
		{`^\p{Lu}$`, "AΩ", "a"},
	} {
		s := mustCompile(t, Draft2020, text(map[string]any{"pattern": c.pattern}))
		for _, r := range c.takes {
			if err := s.Validate([]byte(text(string(r)))); err != nil {
				t.Errorf("%s refuses %q: %v", c.pattern, r, err)
			}
		}
		for _, r := range c.refuses {
			if s.Validate([]byte(text(string(r)))) == nil {
				t.Errorf("%s takes %q", c.pattern, r)
			}
		}
	}
}
