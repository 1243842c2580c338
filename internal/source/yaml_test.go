package source

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestParseYAMLValues(t *testing.T) {
	for text, want := range map[string]string{
		"a: no":                      `{"a":"no"}`,
		"on: yes":                    `{"on":"yes"}`,
		"a: [y, N, off]":             `{"a":["y","N","off"]}`,
		"a: [true, True, FALSE]":     `{"a":[true,true,false]}`,
		"a: [~, null, Null, , '']":   "",
		"a: [~, null, NULL, '']":     `{"a":[null,null,null,""]}`,
		"a:":                         `{"a":null}`,
		"a: [0o17, 0x1F, +5, -5]":    `{"a":[15,31,5,-5]}`,
		"a: [.5, 5., +.5e3, -.5]":    `{"a":[0.5,5,0.5e3,-0.5]}`,
		"a: [1.0, 1.50, 1e3]":        `{"a":[1.0,1.50,1e3]}`,
		"a: 12345678901234567890123": `{"a":12345678901234567890123}`,
		"a: [1_000, 0b1, 12:30:45]":  `{"a":["1_000","0b1","12:30:45"]}`,
		"a: 2026-11-01":              `{"a":"2026-11-01"}`,
		"a: [v1.0, 1.2.3, -]":        "",
		"a: [v1.0, 1.2.3, 1h]":       `{"a":["v1.0","1.2.3","1h"]}`,
		"200: {true: x}":             `{"200":{"true":"x"}}`,
		"a: !!str 5":                 `{"a":"5"}`,
		"a: !!int '5'":               `{"a":5}`,
		"a: |\n  x\n  y\n":           `{"a":"x\ny\n"}`,
		"'<<': 1":                    `{"<<":1}`,
		"a: &x {b: 1}\nc: *x":        `{"a":{"b":1},"c":{"b":1}}`,
		"\ufeffa: 1":                 `{"a":1}`,
		"--- \na: 1\n...\n":          `{"a":1}`,
		"%YAML 1.2\n---\na: 1":       "",
		`{"a": "\u00e9", "b": [1]}`:  `{"a":"é","b":[1]}`,
	} {
		n, errs := ParseYAML("f.yaml", []byte(text))
		if want == "" {
			continue // only that it does not panic
		}
		if got := string(n.JSON()); len(errs) > 0 || got != want {
			t.Errorf("%q: got %s, want %s\n%s", text, got, want, texts(errs))
		}
	}
}

func TestParseYAMLErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{"f.yaml: the file is empty"}},
		{"# only a comment\n", []string{"f.yaml: the file is empty"}},
		{"a: 1\nb: 2\na: 3\n", []string{`f.yaml:3:1: the key "a" is already there in line 1`}},
		{"a: 1\n---\nb: 2\n", []string{"f.yaml:2:1: a second document"}},
		{"a: &x {b: 1}\nc:\n  <<: *x\n", []string{"f.yaml:3:3: merge keys"}},
		{"é: !mine 5\nb: !!binary aGk=\n", []string{"f.yaml:1:4: the tag !mine is not known", "f.yaml:2:4: the tag !!binary"}},
		{"a: !!int x", []string{`f.yaml:1:4: "x" is not what its tag !!int says`}},
		{"a: [012, .inf, .NaN]", []string{"f.yaml:1:5: 012 begins with a zero", "f.yaml:1:10: .inf is no number", "f.yaml:1:16: .NaN"}},
		{"? [a]\n: 1\n~: 2\n", []string{"f.yaml:1:3: a key that is a list", "f.yaml:3:1: a key without a name"}},
		{"a: &x [*x]", []string{"f.yaml:1:8: the alias *x stands inside its own anchor"}},
		{"x: 1\na: *nobody\n", []string{"f.yaml:2: an alias of an anchor that does not stand before it"}},
		{"a: 1\n\tb: 2\n", []string{"f.yaml:2: "}},
		{"a: b: c\n", []string{"f.yaml:1: a colon where no key can stand"}},
		{"x: 1\ny:\n  a: 1\n  'b'c: 2\nd: 3\n", []string{"f.yaml:4: this fits neither"}},
		{"a:\n  b: 1\n c: 2\nd: 3\n", []string{"f.yaml:3: this fits neither"}},
		{"a: x\nb\nc: 3\nd: 4\n", []string{"f.yaml:2: a key without a colon"}},
		{"a: 1\nb: @x\nc: 3\n", []string{"f.yaml:2: a value cannot begin like this"}},
		{"a: 1\n---\nb: [\nc: 2\n", []string{"f.yaml:4: a list in []"}},
		{"x: 1\na: \"b\nc: 1\n", []string{"f.yaml:2: a quote"}},
		{"x: 1\na: \"b\n", []string{"f.yaml:2: a quote"}},
		{"a: [1,\nb: 2\n", []string{"f.yaml:2: a list in []"}},
		{"a: \xff", []string{"f.yaml:1:4: a byte that is not UTF-8"}},
		{strings.Repeat("[", 600) + strings.Repeat("]", 600), []string{"f.yaml:1:513: more than 512"}},
		{bomb(), []string{"f.yaml:1:"}},
	} {
		_, errs := ParseYAML("f.yaml", []byte(c.text))
		t.Run(fmt.Sprintf("%.20q", c.text), func(t *testing.T) { wantErrors(t, errs, c.want...) })
	}
}

// bomb is the billion laughs.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), i-1)
	}
	return b.String()
}

func TestParseYAMLPlaces(t *testing.T) {
	n, errs := ParseYAML("f.yaml", []byte("日本: {é: 1}\nlist:\n  - a\n  - &x {b: 2}\n  - *x\n"))
	wantErrors(t, errs)
	for pointer, want := range map[string]string{
		"": "1:1", "/日本": "1:5", "/日本/é": "1:9", "/list/0": "3:5", "/list/2": "5:5", "/list/2/b": "4:12",
	} {
		if got := n.Find(pointer).Pos.String(); got != "f.yaml:"+want {
			t.Errorf("%s stands at %s, want %s", pointer, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	n, _ := ParseYAML("f.yaml", []byte("a/b: {~c: [x, y]}\n'': 1\n"))
	for pointer, want := range map[string]string{
		"": "1:1", "/a~1b": "1:1", "/a~1b/~0c": "1:7", "/a~1b/~0c/1": "1:15", "/": "2:1",
		"/nope": "", "/a~1b/~0c/2": "", "/a~1b/~0c/01": "", "/a~1b/~0c/-": "", "x": "",
	} {
		got := n.KeyPos(pointer)
		if want == "" {
			if n.Find(pointer) != nil || !got.IsZero() {
				t.Errorf("%q was found at %s", pointer, got)
			}
		} else if got.String() != "f.yaml:"+want {
			t.Errorf("the key of %q stands at %s, want %s", pointer, got, want)
		}
	}
}

func TestParseByName(t *testing.T) {
	if n, errs := Parse("a.json", []byte(`{"a": "\/"}`)); len(errs) > 0 || n.Get("a").Text != "/" {
		t.Errorf("a.json: %s", texts(errs))
	}
	if _, errs := Parse("a.YML", []byte("a: b")); len(errs) > 0 {
		t.Errorf("a.YML: %s", texts(errs))
	}
	_, errs := Parse("a.txt", nil)
	wantErrors(t, errs, "a.txt: neither .json nor .yaml")
}

// FuzzParseYAML looks for panics and for nodes that cannot be written as JSON.
func FuzzParseYAML(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb: [x, 'y', \"z\"]\n", "a: &x {b: *x}", bomb(), "? a\n: - b\n", "a: !!int 0x1F", "a: |\n  x\n", "--- 1\n--- 2\n", "<<: {a: 1}", "# c\na: # d\n  - 1 # e\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, errs := ParseYAML("f.yaml", data)
		if n == nil {
			if len(errs) == 0 {
				t.Fatal("no node and no error")
			}
			return
		}
		text := n.JSON()
		if !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		if again, errs := ParseJSON("f.json", text); len(errs) == 0 && string(again.JSON()) != string(text) {
			t.Fatalf("%s became %s", text, again.JSON())
		}
	})
}
