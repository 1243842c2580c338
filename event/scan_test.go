package event

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScannerTakesWhatJSONIs(t *testing.T) {
	for _, text := range []string{
		`null`, ` true `, `false`, `0`, `-0`, `-1.5e+10`, `1E5`, `""`, `"aA\n\/😀"`, `"\ud83d\ude00"`, `"\ud800"`,
		`[]`, `[1,[2,{}],"x"]`, `{}`, `{"a":1,"b":{"c":[null]}}`, "\t{ \"a\" :\r\n1 }",
	} {
		s := NewScanner([]byte(text))
		if s.Skip(); s.End() != nil {
			t.Errorf("%s: %v", text, s.Err())
		}
	}
}

func TestScannerNamesTheOffence(t *testing.T) {
	for text, want := range map[string]string{
		``:                       "not JSON: the text ends where a value should stand",
		`{`:                      "not JSON: the text ends where a member's name should stand",
		`{"a"`:                   "not JSON: the text ends where a colon should stand",
		`{"a":}`:                 "a: not JSON: '}' at byte 5, where a value should stand",
		`{"a":1,}`:               "a: not JSON: '}' at byte 7, where a member's name should stand",
		`{"a":1 "b":2}`:          "a: not JSON: '\"' at byte 7, where a comma or '}' should stand",
		`[1,]`:                   "[1]: not JSON: ']' at byte 3, where an element should stand",
		`{"a":[0,{"b c":x`:       `a[1]."b c": not JSON: 'x' at byte 15, where a value should stand`,
		`01`:                     `not JSON: "01" is not a number`,
		`1 2`:                    "something follows the end of the JSON document",
		`nul`:                    "not JSON: 'n' at byte 0, where null should stand",
		`"a`:                     "not JSON: the text ends where the quote that closes a string should stand",
		`"\x"`:                   "not JSON: an unknown escape in a string",
		"\"\xff\"":               "not JSON: a string that is not UTF-8",
		"\"\n\"":                 "not JSON: a control character in a string",
		strings.Repeat("[", 600): "more than 512 objects and lists inside each other",
	} {
		s := NewScanner([]byte(text))
		s.Skip()
		if err := s.End(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}

func TestScannerIntegers(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "-0": 0, "1.0": 1, "12e2": 1200, "1200e-2": 12, "-9223372036854775808": -1 << 63, "0e99999999999999999999": 0} {
		s := NewScanner([]byte(text))
		if got := s.Int(); got != want || s.End() != nil {
			t.Errorf("%s = %d, %v", text, got, s.Err())
		}
	}
	for _, text := range []string{"1.5", "1e-1", "9223372036854775808", "1e1000000000000", `"1"`} {
		s := NewScanner([]byte(text))
		if got := s.Int(); s.End() == nil {
			t.Errorf("%s = %d, want an offence", text, got)
		}
	}
}

func TestNumbersAreExact(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1", "1.0", 0}, {"0", "-0.0e5", 0}, {"0.1", "1e-1", 0}, {"9007199254740993", "9007199254740992", 1},
		{"-2", "1", -1}, {"-2", "-3", 1}, {"1e100000000000000", "1", 1}, {"0.10000000000000000001", "0.1", 1}, {"99", "100", -1},
	} {
		if got := CompareNumbers(c.a, c.b); got != c.want {
			t.Errorf("CompareNumbers(%s, %s) = %d", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		n, of string
		want  bool
	}{
		{"0.3", "0.1", true}, {"0.35", "0.1", false}, {"1e1000000000", "3", false}, {"3e1000000000", "3", true},
		{"0", "7", true}, {"1e-1000000000", "1", false}, {"4.5", "1.5", true}, {"-10", "5", true},
	} {
		if got := IsMultiple(c.n, c.of); got != c.want {
			t.Errorf("IsMultiple(%s, %s) = %t", c.n, c.of, got)
		}
	}
}

func TestParseTime(t *testing.T) {
	for _, good := range []string{"2026-11-29T12:00:00Z", "2026-11-29t12:00:00.123456z", "2026-11-29T12:00:00+01:00", "1998-12-31T23:59:60Z"} {
		if _, ok := ParseTime(good); !ok {
			t.Errorf("%s is refused", good)
		}
	}
	for _, bad := range []string{"", "2026-11-29", "2026-11-29 12:00:00Z", "2026-11-29T12:00:00", "2026-02-30T12:00:00Z", "2026-11-29T12:00:00,5Z", "2026-11-29T12:00:60Z"} {
		if _, ok := ParseTime(bad); ok {
			t.Errorf("%s is taken", bad)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\u00e9",null]}`, `[[],{}]`, `1e5`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewScanner(data)
		raw := s.Raw()
		err := s.End()
		if utf8.Valid(data) && len(data) < 400 && json.Valid(data) != (err == nil) {
			t.Fatalf("%q: %v, json.Valid = %t", data, err, json.Valid(data))
		}
		if err == nil && !json.Valid(raw) {
			t.Fatalf("%q: raw %q", data, raw)
		}
		var text string
		if err == nil && json.Unmarshal(data, &text) == nil && string(raw[:1]) == `"` {
			s = NewScanner(data)
			if got := s.String(); got != text {
				t.Fatalf("%q = %q, want %q", data, got, text)
			}
			s = NewScanner(AppendJSON(nil, text))
			if got := s.String(); got != text || s.End() != nil {
				t.Fatalf("%q comes back as %q, %v", text, got, s.Err())
			}
		}
	})
}

// TestScannerStrings: strings of every length, with escapes and without, come
// out of a long document as encoding/json reads them.
func TestScannerStrings(t *testing.T) {
	var want []string
	for n := range 400 {
		text := strings.Repeat("x", n*n/20)
		switch n % 5 {
		case 1:
			text += "é" + text
		case 2:
			text = "\"" + text + "\n"
		case 3:
			text = text[:len(text)/2] + "\\\x1f" + text[len(text)/2:]
		}
		want = append(want, text)
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	s := NewScanner(data)
	n := 0
	for s.List(); s.Element(); n++ {
		if got := s.String(); got != want[n] {
			t.Fatalf("string %d is %.60q, want %.60q", n, got, want[n])
		}
		if got := string(AppendJSON(nil, want[n])); !json.Valid([]byte(got)) {
			t.Fatalf("string %d is written as %.60s", n, got)
		}
	}
	if err := s.End(); err != nil || n != len(want) {
		t.Error(n, err)
	}
}

// TestScannerPaths: an offence is named by the place where it was found, before
// a value, behind it, and behind a list or an object.
func TestScannerPaths(t *testing.T) {
	const text = `{"a": {"b\"c": [0, {"d": [ [], [1] ]}], "e": {}}, "f": [[2]]}`
	var got []string
	refuse := func(s Scanner) { s.Refuse("x"); got = append(got, s.err.Path) }
	var walk func(s *Scanner)
	walk = func(s *Scanner) {
		refuse(*s)
		switch s.Kind() {
		case ObjectKind:
			for s.Object(); s.Member(); {
				walk(s)
			}
		case ListKind:
			for s.List(); s.Element(); {
				walk(s)
			}
		default:
			s.Skip()
		}
		refuse(*s)
	}
	s := NewScanner([]byte(text))
	if walk(&s); s.End() != nil {
		t.Fatal(s.Err())
	}
	const b = `a."b\"c"`
	want := []string{
		"", "a", b, b + "[0]", b + "[0]", b + "[1]", b + "[1].d", b + "[1].d[0]", b + "[1].d[0]", b + "[1].d[1]", b + "[1].d[1][0]", b + "[1].d[1][0]",
		b + "[1].d[1]", b + "[1].d", b + "[1]", b, "a.e", "a.e", "a", "f", "f[0]", "f[0][0]", "f[0][0]", "f[0]", "f", "",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
