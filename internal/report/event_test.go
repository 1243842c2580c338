package report

import (
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/rule"
)

func TestPrintEvent(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, c := range []struct{ event, mark, want string }{
		{`{"a":1}`, "", `{"a": 1}`},
		{`{"a":1,"b":"zwölf"}`, "/b", `
{"a": 1, "b": "zwölf"}
              ^^^^^^^`},
		{`{"a":{"b":[true]}}`, "/a/b/0", `
{"a": {"b": [true]}}
             ^^^^`},
		{`{"a":1}`, "/nowhere", `{"a": 1}`},
		{`"root"`, "", `"root"`},
		{`{"a":"` + long + `","b":{"c":"` + long + `"}}`, "/b", `
{
  "a": "` + long + `",
  "b": {"c": "` + long + `"}
       ` + strings.Repeat("^", 69) + `
}`},
		{`{"a":"` + long + `","b":{"c":"` + long + `","d":"` + long + `"}}`, "/b", `
{
  "a": "` + long + `",
  "b": {
       ^
    "c": "` + long + `",
    "d": "` + long + `"
  }
}`},
		{`[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]`, "/14", `
[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, … 3 more]
                                       ^^`},
		{`{"cut`, "", `{"cut`},
	} {
		got := strings.Join(printEvent(&rule.Witness{Event: []byte(c.event), Mark: c.mark}), "\n")
		if want := strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s %s:\n%s\nwant:\n%s", c.event, c.mark, got, want)
		}
	}
}

// TestPrintEventIsBounded: a witness may be as large as the schema demands.
func TestPrintEventIsBounded(t *testing.T) {
	wide := `"leaf of the tree"`
	for range 5 {
		wide = "[" + strings.TrimSuffix(strings.Repeat(wide+",", 12), ",") + "]"
	}
	for _, event := range []string{
		wide,
		strings.Repeat("[", 400) + `"` + strings.Repeat("y", 1<<20) + `"` + strings.Repeat("]", 400),
		"[" + strings.Repeat("0,", 1<<20) + "0]",
	} {
		lines := printEvent(&rule.Witness{Event: []byte(event)})
		if len(lines) > eventLines+1 {
			t.Errorf("%d lines, want at most %d", len(lines), eventLines+1)
		}
	}
}
