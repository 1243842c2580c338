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
		{"one of many branches",
			`{"type":"string"}`, `{"anyOf":[{"type":"integer"},{"const":"a"}]}`,
			[]string{"anyOf s.json#/anyOf "}},
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
