package contain

import (
	"strings"
	"testing"
)

func TestEmpty(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":"string","allOf":[{"type":"integer"}]}}}`, "/properties/a"},
		{`{"properties":{"a":{"allOf":[{"enum":["a"]},{"enum":["b"]}]},"b":{"minimum":3,"type":"integer","exclusiveMaximum":3.5,"multipleOf":2}}}`, "/properties/a /properties/b"},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^a$","minLength":2}}}`, " /properties/a"},
		{`{"type":"object","properties":{"a":false,"b":{"not":{}},"c":{"minimum":2,"maximum":1}}}`, ""}, // a string is a c
		{`{"type":"object","required":["next"],"properties":{"next":{"$ref":"#"}}}`, " /properties/next"},
		{`{"type":["object","null"],"required":["next"],"properties":{"next":{"$ref":"#"}}}`, ""},
		{`{"anyOf":[{"type":"string","maxLength":2,"minLength":3},{"type":"null"}]}`, "/anyOf/0"},
		{`{"enum":[]}`, ""},
	} {
		var got []string
		for _, l := range mustCompile(t, Draft2020, c.schema).Empty() {
			got = append(got, l.Pointer)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.schema, s, c.want)
		}
	}
}
