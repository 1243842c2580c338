package codegen

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// TestRepeatedMembers: of a member that stands twice, the validator sees the last
// one only. A decoder may refuse such a document, but it never takes one that
// the validator refuses.
func TestRepeatedMembers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpora(t), "json", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pairs := writeSchemas(t, dir, files, max(sample(120), 12))
	for name, text := range map[string]string{
		"counted":  `{"type": "object", "minProperties": 2, "maxProperties": 2}`,
		"excluded": `{"type": "object", "not": {"properties": {"a": {"const": 1}}, "required": ["a"]}}`,
		"either":   `{"type": "object", "if": {"properties": {"a": {"const": 1}}}, "then": {"maxProperties": 1}, "else": {"required": ["b"]}}`,
		"exactly":  `{"oneOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"type": "string"}}}]}`,
		"map":      `{"type": "object", "additionalProperties": {"type": "integer"}}`,
	} {
		pairs = append(pairs, corpusPair{New: json.RawMessage(text), name: name + ".schema.json"})
		writeFile(t, filepath.Join(dir, name+".schema.json"), text)
	}
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	run := corpusRun{files: map[string]string{}, how: flavor{assert: true}}
	for i, p := range pairs {
		schema, _ := jsonschema.Load(tree, p.name, jsonschema.Options{AssertFormats: true})
		if schema == nil || schema.Compiled() == nil {
			continue
		}
		before := len(run.questions)
		run.add(t, i, p, schema)
		if len(run.questions) == before {
			continue
		}
		run.questions = run.questions[:before]
		documents := []string{`{"a":1,"b":2}`, `{"a":"x","b":1}`, `{"a":1}`}
		for _, s := range contain.Generate(schema.Compiled(), uint64(i), 4) {
			documents = append(documents, string(s.Instance))
		}
		for _, d := range documents {
			for _, again := range repeated(t, d, 100) {
				run.questions = append(run.questions, question{i, schema, string(p.New), again})
			}
		}
	}
	taken := 0
	for i, answer := range run.build(t)[:len(run.questions)] {
		q := run.questions[i]
		if !strings.HasPrefix(answer, "=") {
			continue
		}
		taken++
		if err := q.schema.Validate([]byte(q.document)); err != nil {
			t.Errorf("%s\n%s\nis taken, validator: %v", q.text, q.document, err)
		}
	}
	t.Logf("%d schemas, %d documents, %d taken", len(run.files)-1, len(run.questions), taken)
}

// repeated gives a document with one member of one of its objects written twice,
// before and after the others and with two values: in every way, or in some of
// them, spread over the document, where those are more than most. Each is as long
// as the document, and so all of a long one are too much.
func repeated(t *testing.T, document string, most int) []string {
	var v any
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	every := (repetitions(v) + most - 1) / most
	var list []string
	n := 0
	var visit func(v any, set func(json.RawMessage))
	write := func(v any) []byte {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	visit = func(v any, set func(json.RawMessage)) {
		switch v := v.(type) {
		case []any:
			for i, x := range v {
				visit(x, func(text json.RawMessage) { v[i] = text; set(write(v)); v[i] = x })
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				x := v[name]
				visit(x, func(text json.RawMessage) { v[name] = text; set(write(v)); v[name] = x })
				for way := range ways {
					if n++; n%every == 0 {
						set(twice(write(v), write(name), []string{`1`, `"x"`, `null`, string(write(x))}[way/2], way%2 == 0))
					}
				}
			}
		}
	}
	visit(v, func(text json.RawMessage) { list = append(list, string(text)) })
	return list
}

// ways is in how many ways one member can stand twice: four values, at two places.
const ways = 8

// twice writes a member once more into an object.
func twice(object, name []byte, value string, before bool) json.RawMessage {
	member := string(name) + ":" + value
	if before {
		return json.RawMessage("{" + member + "," + string(object[1:]))
	}
	return json.RawMessage(string(object[:len(object)-1]) + "," + member + "}")
}

func repetitions(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			n += repetitions(x)
		}
	case map[string]any:
		for _, x := range v {
			n += ways + repetitions(x)
		}
	}
	return n
}
