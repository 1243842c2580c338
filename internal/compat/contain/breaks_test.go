package contain

import (
	"slices"
	"testing"
)

// TestBreaks: one break for each place of the reader that refuses.
func TestBreaks(t *testing.T) {
	for _, c := range []struct {
		name           string
		writer, reader string
		want           []string // keyword, place of the reader, place in the witness
	}{
		{"every place",
			`{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"number"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","maxLength":3},"n":{"type":"integer","minimum":0}},"required":["a","n"]}`,
			[]string{
				"maxLength s.json#/properties/a/maxLength /a", "minimum s.json#/properties/n/minimum /n",
				"required s.json#/required ", "required s.json#/required ", "type s.json#/properties/n/type /n",
			}},
		{"below references and arrays",
			`{"type":"array","items":{"type":"object","required":["v"],"properties":{"v":{"type":["string","null"]}}}}`,
			`{"items":{"$ref":"#/$defs/x"},"$defs":{"x":{"properties":{"v":{"type":"string","minLength":1}}}}}`,
			[]string{"minLength s.json#/$defs/x/properties/v/minLength /0/v", "type s.json#/$defs/x/properties/v/type /0/v"}},
		{"places inside of the branch that was meant",
			`{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"},"n":{"type":"integer"},"m":{"type":"integer"}}},{"type":"object","required":["k"],"properties":{"k":{"const":"b"},"o":{"type":"integer"}}}]}`,
			`{"oneOf":[{"required":["k"],"properties":{"k":{"const":"a"},"n":{"type":"string"},"m":{"maximum":7}}},{"required":["k"],"properties":{"k":{"const":"b"},"o":{"maximum":3}}}]}`,
			[]string{"maximum s.json#/oneOf/0/properties/m/maximum /m", "maximum s.json#/oneOf/1/properties/o/maximum /o", "type s.json#/oneOf/0/properties/n/type /n"}},
		{"a branch that none fits",
			`{"items":{"anyOf":[{"required":["k","n"],"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer"}}},{"required":["k"],"type":"object","properties":{"k":{"const":"c"}}}]},"type":"array"}`,
			`{"items":{"anyOf":[{"required":["k"],"properties":{"k":{"const":"a"},"n":{"maximum":9}}},{"required":["k"],"properties":{"k":{"const":"b"}}}]}}`,
			[]string{"anyOf s.json#/items/anyOf /0", "maximum s.json#/items/anyOf/0/properties/n/maximum /0/n"}},
		{"branches of different types",
			`{"type":["string","integer","boolean"]}`, `{"anyOf":[{"type":"string","maxLength":3},{"type":"integer","maximum":3},{"type":"boolean"}]}`,
			[]string{"maxLength s.json#/anyOf/0/maxLength ", "maximum s.json#/anyOf/1/maximum "}},
		{"places inside of a condition",
			`{"type":"object","properties":{"v":{"type":"integer"},"u":{"type":"integer"}}}`,
			`{"if":{"properties":{"k":{"const":"x"}},"required":["k"]},"then":{"properties":{"v":{"maximum":1},"u":{"maximum":2}}},"else":{"required":["u"]}}`,
			[]string{"maximum s.json#/then/properties/u/maximum /u", "maximum s.json#/then/properties/v/maximum /v", "required s.json#/else/required "}},
		{"below patterns of keys",
			`{"type":"object","patternProperties":{"^x":{"properties":{"a":{"type":"integer"}}},"^y":{"type":"integer"}}}`,
			`{"patternProperties":{"^x":{"properties":{"a":{"type":"string"},"b":{"type":"string"}}},"^y":{"maximum":5}}}`,
			[]string{"maximum s.json#/patternProperties/^y/maximum /y", "type s.json#/patternProperties/^x/properties/a/type /x/a", "type s.json#/patternProperties/^x/properties/b/type /x/b"}},
		{"one of many branches",
			`{"type":"string"}`, `{"anyOf":[{"type":"integer"},{"const":"a"}]}`,
			[]string{"const s.json#/anyOf/1/const "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			load := files{"s.json": c.reader, "w.json": c.writer}.load
			writer, err := Compile(Source{Path: "w.json", Load: load})
			if err != nil {
				t.Fatal(err)
			}
			reader, err := Compile(Source{Path: "s.json", Load: load})
			if err != nil {
				t.Fatal(err)
			}
			q := Question{Writer: writer, Reader: reader}
			a := Ask(q)
			checkAnswer(t, q, a)
			var got []string
			for _, b := range a.Breaks {
				got = append(got, b.Keyword+" "+b.Reader.String()+" "+b.Instance)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestBreaksAreCounted: what is beyond MaxBreaks is only counted.
func TestBreaksAreCounted(t *testing.T) {
	q := Question{
		Writer:    mustCompile(t, 0, `{"type":"object"}`),
		Reader:    mustCompile(t, 0, `{"required":["a","b","c","d"]}`),
		MaxBreaks: 2,
	}
	if a := Ask(q); len(a.Breaks) != 2 || a.More != 2 {
		t.Errorf("%d breaks and %d more", len(a.Breaks), a.More)
	}
}
