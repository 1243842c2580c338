package source

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEditSet(t *testing.T) {
	for _, c := range []struct{ name, text, key, value, want string }{
		{"an empty file", "", "orders", "v1", "orders: v1\n"},
		{"only comments", "# what runs\n", "orders", "v1", "# what runs\norders: v1\n"},
		{"a scalar", "orders: v1 # since May\nloyalty: v2\n", "orders", "v3", "orders: v3 # since May\nloyalty: v2\n"},
		{"without a last line feed", "orders: v1", "orders", "v2", "orders: v2\n"},
		{"a new key", "orders: v1\n\n# end\n", "loyalty", "[v1, v2]", "orders: v1\n\n# end\nloyalty: [v1, v2]\n"},
		{"a list in brackets", "a: [v1,\n  v2] # two\nb: v3\n", "a", "v4", "a: v4 # two\nb: v3\n"},
		{"a list of lines", "a:\n  - v1\n  # then\n  - v2\n\n# of b\nb: v3\n", "a", "v4", "a: v4\n\n# of b\nb: v3\n"},
		{"the last of them", "b: v3\na:\n  - v1\n# end\n", "a", "v4", "b: v3\na: v4\n# end\n"},
		{"a quoted value with a sign", "a: \"v#1\" # c\n", "a", "v2", "a: v2 # c\n"},
		{"a sign inside a word", "a: v#1 # c\n", "a", "v2", "a: v2 # c\n"},
		{"a map in braces", "a: {repo: x, runs: ['}', v1]}   # c\nb: v1\n", "a", "{repo: x, runs: v2}", "a: {repo: x, runs: v2}   # c\nb: v1\n"},
		{"Windows", "a: v1\r\nb: v2\r\n", "a", "v3", "a: v3\r\nb: v2\r\n"},
		{"removed", "a: v1\nb: v2\n", "a", "", "b: v2\n"},
		{"the only one removed", "# c\na: v1\n", "a", "", "# c\n"},
		{"removed where it is not", "a: v1\n", "b", "", "a: v1\n"},
		{"a quoted key", "\"a b\": v1\n", "a b", "v2", "a b: v2\n"},
		{"an odd key", "", "a: b", "v2", "\"a: b\": v2\n"},
	} {
		got, err := edited(t, c.text, func(e *Edit) ([]byte, *Error) { return e.Set(c.key, c.value) })
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestEditAppend(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no list", "a: 1 # c\n", "a: 1 # c\nw:\n  - {x: 1}\n"},
		{"an empty list", "w: [] # c\na: 1\n", "w: # c\n  - {x: 1}\na: 1\n"},
		{"a list of lines", "w:\n  - {x: 0} # c\n\n# of a\na: 1\n", "w:\n  - {x: 0} # c\n  - {x: 1}\n\n# of a\na: 1\n"},
		{"not indented", "w:\n- x: 0\n  y: 1\na: 1\n", "w:\n- x: 0\n  y: 1\n- {x: 1}\na: 1\n"},
		{"indented by four", "w:\n    - x: 0\n", "w:\n    - x: 0\n    - {x: 1}\n"},
		{"at the end without a line feed", "w:\n  - x: 0", "w:\n  - x: 0\n  - {x: 1}\n"},
		{"in brackets", "w: [{x: ']'}] # c\na: 1\n", "w: [{x: ']'}, {x: 1}] # c\na: 1\n"},
		{"in brackets over lines", "w: [\n  {x: 0}, # it's\n]\n", ""},
		{"in brackets over lines, no comment", "w: [\n  {x: 0},\n]\n", "w: [\n  {x: 0}, {x: 1}]\n"},
	} {
		got, err := edited(t, c.text, func(e *Edit) ([]byte, *Error) { return e.Append("w", "{x: 1}") })
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "by hand") {
				t.Errorf("%s: %q, %v, want it refused", c.name, got, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{a: v1}\n":         "between braces",
		"- a\n":             "want a map",
		"a: [\n":            "m.yaml",
		"a: v1\n...\n":      "by hand",
		"w: x\n":            "w: want a list",
		"a: &x v1\nw: *x\n": "w: want a list",
	} {
		_, err := edited(t, text, func(e *Edit) ([]byte, *Error) { return e.Append("w", "1") })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func edited(t *testing.T, text string, change func(*Edit) ([]byte, *Error)) (string, *Error) {
	t.Helper()
	e, err := NewEdit("m.yaml", []byte(text))
	if err != nil {
		return "", err
	}
	out, err := change(e)
	return string(out), err
}

func TestScalar(t *testing.T) {
	for text, want := range map[string]string{
		"v1.4.0": "v1.4.0", "1.0": `"1.0"`, "no": "no", "true": `"true"`, "": `""`, "a: b": `"a: b"`, "a #b": `"a #b"`,
		"never filled": "never filled", "it's": `"it's"`, "a\nb": `"a\nb"`, "<b>": "<b>", "null": `"null"`, "- x": `"- x"`, "2027-01-31": "2027-01-31", "*x": `"*x"`,
	} {
		if got := Scalar(text); got != want {
			t.Errorf("Scalar(%q) = %s, want %s", text, got, want)
		}
	}
}

// FuzzEdit holds every edit that is made to its law: the key has the new value,
// every other key the old one, and lines that were not its own are untouched.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{"", "a: v1\nb: [x, 'y#'] # c\n", "b:\n  - 1\n  - 2\n# end", "{a: 1}", "a: |\n  text\nb: 2\n", "? a\n: b\n", "a: &x [1]\nb: *x\n"} {
		f.Add([]byte(text), "b", "v9")
	}
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		e, problem := NewEdit("m.yaml", data)
		if problem != nil || !utf8.ValidString(key+value) {
			return
		}
		out, problem := e.Set(key, Scalar(value))
		if problem != nil {
			return
		}
		root, problems := ParseYAML("m.yaml", out)
		if len(problems) > 0 || root.Get(key) == nil || root.Get(key).Text != value {
			t.Fatalf("%q=%q in %q: %q", key, value, data, out)
		}
		if e.root == nil {
			return
		}
		for _, m := range e.root.Members {
			if m.Key != key && !bytes.Equal(m.Value.JSON(), root.Get(m.Key).JSON()) {
				t.Fatalf("%q changed: %q to %q", m.Key, data, out)
			}
		}
	})
}
