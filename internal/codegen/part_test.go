package codegen

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// TestReadersOfParts: what a consumer declares is judged by all that speaks of it,
// though no schema may name it; of what it doesn't declare nothing is.
func TestReadersOfParts(t *testing.T) {
	cases := []struct {
		name, schema, reads string
		taken, refused      []string
	}{
		{"not named", `{"type":"object","properties":{"b":{}},"additionalProperties":{"type":"integer"}}`, "c",
			[]string{`{}`, `{"c":1}`, `{"b":"x","d":"x"}`}, []string{`{"c":"x"}`, `{"c":null}`}},
		{"not named and no other is", `{"type":"object","additionalProperties":{"type":["integer","null"]}}`, "c",
			[]string{`{}`, `{"c":1}`, `{"c":null}`, `{"d":"x"}`}, []string{`{"c":"x"}`}},
		{"not named and required", `{"type":"object","required":["c","d"],"additionalProperties":{"type":"integer"}}`, "c",
			[]string{`{"c":1}`, `{"c":1,"d":"x"}`}, []string{`{"d":1}`, `{"c":"x"}`}},
		{"not named below", `{"type":"object","properties":{"b":{"type":"object","additionalProperties":{"type":"integer"}}}}`, "b.c",
			[]string{`{}`, `{"b":{}}`, `{"b":{"c":1,"d":"x"}}`}, []string{`{"b":{"c":"x"}}`, `{"b":1}`}},
		{"an object that is not named", `{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}}`, "c.a",
			[]string{`{"c":{"a":1,"b":"x"}}`, `{"d":1}`}, []string{`{"c":{"a":"x"}}`, `{"c":1}`}},
		{"of a pattern", `{"type":"object","patternProperties":{"^c":{"type":"integer"},"^d":false},"additionalProperties":{"type":"string"}}`, "c d e",
			[]string{`{"c":1}`, `{"e":"x"}`, `{"c2":"x","f":1}`}, []string{`{"c":"x"}`, `{"d":1}`, `{"e":1}`}},
		{"of two patterns", `{"type":"object","patternProperties":{"^c":{"type":"integer"},"c$":{"minimum":3}}}`, "c",
			[]string{`{"c":3}`, `{"cc":1}`}, []string{`{"c":1}`, `{"c":3.5}`}},
		{"beside another", `{"type":"object","allOf":[{"properties":{"c":{"minimum":3}}}],"additionalProperties":{"type":"integer"}}`, "c",
			[]string{`{"c":3}`, `{"d":"x"}`}, []string{`{"c":1}`, `{"c":"x"}`}},
		{"said by a part", `{"type":"object","allOf":[{"additionalProperties":{"type":"integer"}}]}`, "c",
			[]string{`{"c":3}`, `{"d":"x"}`}, []string{`{"c":"x"}`}},
		{"of one of several", `{"type":"object","oneOf":[{"properties":{"k":{"const":1}},"required":["k"],"additionalProperties":{"type":"integer"}},{"properties":{"k":{"const":2}},"required":["k"]}]}`, "k c",
			[]string{`{"k":1,"c":3}`, `{"k":1,"d":"x"}`}, []string{`{"c":1}`, `{"k":"x"}`}},
		{"any", `{"type":"object","additionalProperties":true}`, "c", []string{`{}`, `{"c":1}`, `{"c":"x"}`}, []string{`1`}},
		{"not of not", `{"type":"object","not":{"not":{"required":["c","d"],"properties":{"c":{"type":"integer"}}}}}`, "c",
			[]string{`{"c":1}`}, []string{`{}`, `{"c":"x"}`}},
		{"not of not of not", `{"type":"object","not":{"not":{"not":{"required":["c"]}}}}`, "c",
			[]string{`{}`, `{"c":1}`}, nil},
		{"not of not, twice", `{"type":"object","not":{"not":{"not":{"not":{"required":["c"]}}}}}`, "c",
			[]string{`{"c":1}`}, []string{`{}`}},
		{"not of a reference to not", `{"type":"object","not":{"$ref":"#/$defs/n"},"$defs":{"n":{"not":{"required":["c"],"properties":{"c":{"not":{"$ref":"#/$defs/n"}}}}}}}`, "c.c",
			[]string{`{"c":{"c":1}}`}, []string{`{}`, `{"c":{}}`}},
		{"not beside what says nothing", `{"type":"object","not":{"minProperties":0,"type":["null","boolean","number","string","array","object"],"not":{"required":["c"]}}}`, "c",
			[]string{`{"c":1}`}, []string{`{}`}},
		{"not beside another", `{"type":"object","not":{"required":["b"],"not":{"required":["c"]}}}`, "c", []string{`{}`, `{"b":1}`}, nil},
		{"not of all", `{"type":"object","not":{}}`, "c", nil, []string{`{}`, `{"c":1}`}},
	}
	dir := t.TempDir()
	for i, c := range cases {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("s%d.schema.json", i)), `{"$schema":"https://json-schema.org/draft/2020-12/schema",`+c.schema[1:])
	}
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, ignore := range []bool{false, true} {
		all := corpusRun{files: map[string]string{}, how: flavor{fields: ignore}}
		for i, c := range cases {
			schema, errs := jsonschema.Load(tree, fmt.Sprintf("s%d.schema.json", i), jsonschema.Options{})
			if schema == nil || schema.Compiled() == nil {
				t.Fatal(c.name, errs)
			}
			one := corpusRun{files: all.files, how: flavor{reads: c.reads, fields: ignore}}
			one.add(t, i, corpusPair{New: json.RawMessage(c.schema)}, schema)
			all.cases.WriteString(one.cases.String())
			one.questions = nil
			for _, d := range append(append([]string{}, c.taken...), c.refused...) {
				all.questions = append(all.questions, question{i, schema, c.name, d})
			}
		}
		answers, next := all.build(t), 0
		for _, c := range cases {
			reader := flavor{reads: c.reads, fields: ignore}
			for i, d := range append(append([]string{}, c.taken...), c.refused...) {
				want, got := i < len(c.taken), answers[next]
				takes, sure := reader.reader(all.questions[next].schema).Takes([]byte(d))
				if takes != want || !sure || (got[0] == '=') != want {
					t.Errorf("%s, unknown fields ignored %t: %s: want %t; check says %t (sure %t), the decoder %s", c.name, ignore, d, want, takes, sure, got)
				}
				next++
			}
		}
	}
}
