package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// texts joins errors as the tests write them: one a line.
func texts(errs []*Error) string {
	var lines []string
	for _, err := range errs {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// wantErrors compares errors with one expectation a line, each the beginning of
// an error's text.
func wantErrors(t *testing.T, errs []*Error, want ...string) {
	t.Helper()
	if len(errs) != len(want) {
		t.Fatalf("got %d errors, want %d:\n%s", len(errs), len(want), texts(errs))
	}
	for i, err := range errs {
		if !strings.HasPrefix(err.Error(), want[i]) {
			t.Errorf("error %d:\n got %s\nwant %s…", i, err, want[i])
		}
	}
}

func TestParseJSONErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{``, []string{"f.json: the file is empty"}},
		{" \n ", []string{"f.json: the file is empty"}},
		{`{"a":1,"a":2}`, []string{`f.json:1:8: the key "a" is already there in line 1`}},
		{"{\"é\": \"日本\", x: 1}", []string{`f.json:1:13: the key x stands without quotes: write "x"`}},
		{"[1,\n 2,]", []string{"f.json:2:3: a comma after the last element"}},
		{"[1 2,\n3 4]", []string{"f.json:1:4: a comma is missing", "f.json:2:3: a comma is missing"}},
		{`[01, .5, 1., +1, 1e, 0x1F, -Infinity, NaN]`, []string{
			"f.json:1:2: 01 is not a JSON number", "f.json:1:6: .5 is not a JSON value", "f.json:1:10: 1. is not", "f.json:1:14: +1 is not",
			"f.json:1:18: 1e is not", "f.json:1:22: 0x1F is not", "f.json:1:28: -Infinity is not", "f.json:1:39: NaN is not",
		}},
		{`{"a": True}`, []string{"f.json:1:7: True is not JSON: write true"}},
		{`{"a": 'x'}`, []string{"f.json:1:7: a single quote"}},
		{`{"a" 1}`, []string{`f.json:1:6: a colon is missing after the key "a"`}},
		{`{"a": }`, []string{`f.json:1:7: a value is missing before '}'`}},
		{`{"a": {"b": [1`, []string{"f.json:1:13: a list that is never closed"}},
		{`["x`, []string{"f.json:1:2: a string that is never closed"}},
		{"[\"x\ny\"]", []string{"f.json:1:2: a string that is not closed in its line"}},
		{"[\"x\ty\\q\\u12\"]", []string{`f.json:1:4: a control character in a string: write \u0009`, "f.json:1:6: an unknown escape", `f.json:1:8: \u wants four`}},
		{`{} []`, []string{"f.json:1:4: something follows the end"}},
		{`[1]]`, []string{"f.json:1:4: something follows the end"}},
		{`[1}`, []string{`f.json:1:3: '}' closes nothing`}},
		{"// c\n{/* é */ \"a\": 1,, }", []string{"f.json:1:1: a comment", "f.json:2:2: a comment", "f.json:2:17: ',' where a key"}},
		{"\ufeff{}", []string{"f.json:1:1: a byte order mark"}},
		{"\xff\xfe{\x00}\x00", []string{"f.json: is UTF-16"}},
		{"{\n \"é\": \"\xff\"}", []string{"f.json:2:8: a byte that is not UTF-8"}},
		{strings.Repeat("[", MaxDepth+1), []string{"f.json:1:513: more than 512 lists and maps"}},
		{"\x00", []string{`f.json:1:1: '\x00' where a value`}},
	} {
		_, errs := ParseJSON("f.json", []byte(c.text))
		t.Run(fmt.Sprintf("%.20q", c.text), func(t *testing.T) { wantErrors(t, errs, c.want...) })
	}
}

func TestParseJSONTooLarge(t *testing.T) {
	data := bytes.Repeat([]byte(" "), MaxJSON+1)
	_, errs := ParseJSON("f.json", data)
	wantErrors(t, errs, "f.json: holds 67108865 bytes, more than the 64 MiB")
}

func TestParseJSONManyErrors(t *testing.T) {
	n, errs := ParseJSON("f.json", []byte(`{"a":1`+strings.Repeat(`,"a":1`, 1000)+`}`))
	if n != nil || len(errs) != maxErrors {
		t.Fatalf("got node %v and %d errors, want none and %d", n, len(errs), maxErrors)
	}
}

func TestParseJSONPlaces(t *testing.T) {
	n, errs := ParseJSON("f.json", []byte("{\n  \"日本\": [1, \"\\u00e9\\ud83d\\ude00\\ud800\"],\r\n\t\"b\": {\"c\": null}\n}"))
	wantErrors(t, errs)
	for pointer, want := range map[string]string{
		"": "1:1", "/日本": "2:9", "/日本/1": "2:13", "/b/c": "3:13",
	} {
		if got := n.Find(pointer).Pos.String(); got != "f.json:"+want {
			t.Errorf("%s stands at %s, want %s", pointer, got, want)
		}
	}
	if got := n.Find("/日本/1").Text; got != "é😀\ufffd" {
		t.Errorf("escapes gave %q", got)
	}
}

func TestParseJSONManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, `,"k%d":%d`, i, i)
	}
	_, errs := ParseJSON("f.json", []byte("{"+b.String()[1:]+`,"k3":0,"k49":0}`))
	wantErrors(t, errs, `f.json:1:432: the key "k3"`, `f.json:1:439: the key "k49"`)
}

func TestJSONKeepsLiterals(t *testing.T) {
	const text = `{"z":[1.50,-0,1e400,12345678901234567890123],"a":"\"\\\n\u0001<é","b":{},"c":[],"d":null,"e":false}`
	n, errs := ParseJSON("f.json", []byte(text))
	wantErrors(t, errs)
	if got := string(n.JSON()); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
}

// FuzzParseJSON compares with encoding/json: the same texts are valid and mean
// the same, but for what this package refuses on purpose.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e-3,true,null,"x\ud83d\ude00\n"]}`, `[[],{}]`, `"\ud800"`, ` 1 `, `{"a":1,"a":2}`, `[1,]`, `{a:1}`, "\ufeff1", "// c\n1", `-`, `0.`, `"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, errs := ParseJSON("f.json", data)
		for _, err := range errs {
			if err.Pos.Line > 1+bytes.Count(data, []byte("\n")) {
				t.Errorf("place outside the file: %s", err)
			}
		}
		if n == nil {
			if len(errs) == 0 {
				t.Fatal("no node and no error")
			}
			if json.Valid(data) && !refusedOnPurpose(errs) {
				t.Fatalf("valid for encoding/json, refused here: %s", texts(errs))
			}
			return
		}
		if !json.Valid(data) {
			t.Fatal("refused by encoding/json, valid here")
		}
		if len(errs) == 0 {
			sameAsStandard(t, n, data)
		}
	})
}

func refusedOnPurpose(errs []*Error) bool {
	all := texts(errs)
	return strings.Contains(all, "not UTF-8") || strings.Contains(all, "inside each other") ||
		strings.Contains(all, "UTF-16") || len(errs) == maxErrors
}

func sameAsStandard(t *testing.T, n *Node, data []byte) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var want, again any
	if err := dec.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if got := n.Any(); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %#v, want %#v", got, want)
	}
	dec = json.NewDecoder(bytes.NewReader(n.JSON()))
	dec.UseNumber()
	if err := dec.Decode(&again); err != nil || !reflect.DeepEqual(again, want) {
		t.Fatalf("written again: %s, %v", n.JSON(), err)
	}
}

// TestJSONTwice: readers of JSON take the last of two values of a key.
func TestJSONTwice(t *testing.T) {
	many := `{"k0":0,"k1":0,"k2":0,"k3":0,"k4":0,"k5":0,"k6":0,"k7":0,"k8":0,"k9":0,"k10":0,"k11":0,"k12":0,"k13":0,"a":1,"b":{"a":5},"a":2,"a":3}`
	for _, text := range []string{`{"a":1,"b":{"a":5},"a":2,"a":3}`, many} {
		n, errs := ParseJSON("f.json", []byte(text))
		var want map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got := n.Get("a"); got == nil || got.Text != "3" || n.Get("b").Get("a").Text != "5" || len(n.Members) != len(want) || len(errs) != 2 {
			t.Errorf("%s: a is %v of %d, %v", text, got, len(n.Members), errs)
		}
	}
}
