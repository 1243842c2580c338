package codegen

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// readers are those that ignore something.
var readers = []flavor{{fields: true}, {enums: true}, {fields: true, enums: true}}

// first gives all flavors where tests may take long, else those that say most.
func first(n int, list ...flavor) []flavor {
	if os.Getenv("EVCONTRACT_LONG") != "" || os.Getenv("EVCONTRACT_FULL") != "" {
		return list
	}
	return list[:n]
}

// TestReadersOfRandomSchemas: what a reader ignores, generated code takes, and no
// more; package contain says what that is. The schemas nest what readers relax in
// all that they leave as it is.
func TestReadersOfRandomSchemas(t *testing.T) {
	flavors := []flavor{{fields: true, enums: true}, {reads: "b c", fields: true}, {reads: "a"}, {fields: true}, {enums: true}}
	for seed := range uint64(max(1, 9/sample(9))) {
		for _, how := range first(2, flavors...) {
			t.Run(fmt.Sprintf("%d %+v", seed, how), func(t *testing.T) { readRandom(t, rand.New(rand.NewPCG(seed, 5)), how) })
		}
	}
}

func readRandom(t *testing.T, random *rand.Rand, how flavor) {
	const schemas, documents = 24, 48
	dir, run := t.TempDir(), corpusRun{files: map[string]string{}, how: how}
	g := schemaGenerator{random}
	for i := range schemas {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("s%d.schema.json", i)), g.root())
	}
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for i := range schemas {
		schema, errs := jsonschema.Load(tree, fmt.Sprintf("s%d.schema.json", i), jsonschema.Options{})
		if schema == nil || schema.Compiled() == nil {
			t.Fatal(i, errs)
		}
		text := string(schema.RootRef().Node.JSON())
		run.add(t, i, corpusPair{New: json.RawMessage(text)}, schema)
		if run.files[fmt.Sprintf("e%d.go", i)] == "" {
			continue
		}
		for _, d := range strangeDocuments(t, random, schema.Compiled(), documents) {
			run.questions = append(run.questions, question{i, schema, text, d})
		}
	}
	t.Logf("%d schemas, %d documents, %d taken", len(run.files), len(run.questions), run.compare(t))
}

// strangeDocuments are documents near those of a schema, in which a member or a
// value is one that it may not know.
func strangeDocuments(t *testing.T, random *rand.Rand, schema *contain.Schema, n int) (list []string) {
	for _, s := range contain.Generate(schema, random.Uint64(), 12) {
		for range n / 12 {
			var v any
			d := json.NewDecoder(strings.NewReader(string(s.Instance)))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(strange(random, v))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(text))
		}
	}
	return list
}

// strange changes a value here and there.
func strange(random *rand.Rand, v any) any {
	if random.IntN(8) == 0 {
		return []any{"a", "b", "zz", json.Number("1"), json.Number("4"), json.Number("1.5"), nil, true, map[string]any{}, []any{}}[random.IntN(10)]
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = strange(random, v[name])
		}
		if random.IntN(2) == 0 {
			v[[]string{"a", "b", "c", "x1", "zz", "kind"}[random.IntN(6)]] = strange(random, "b")
		}
	case []any:
		for i := range v {
			v[i] = strange(random, v[i])
		}
	}
	return v
}

// schemaGenerator makes schemas of 2020-12 of what readers relax.
type schemaGenerator struct{ *rand.Rand }

func (g schemaGenerator) root() string {
	return fmt.Sprintf(`{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"false":%s,"enum":{"enum":["a"]},"self":%s},%s`,
		g.of(`false`, `{"not":{}}`, `{"allOf":[false]}`), g.object(1), g.object(3)[1:])
}

// of picks one.
func (g schemaGenerator) of(list ...string) string { return list[g.IntN(len(list))] }

func (g schemaGenerator) leaf() string {
	return g.of(
		`{"enum":["a","b"]}`, `{"type":"string","enum":["a"]}`, `{"const":"a"}`, `{"enum":["a",1,null]}`, `{"enum":[1,2]}`, `{"enum":[1,1.5]}`,
		`{"anyOf":[{"const":"a"}]}`, `{"enum":[null]}`, `{"enum":[true]}`, `{"enum":[[],{}]}`, `{"enum":[{"a":1},"b"]}`, `{"const":1}`, `{"type":["string","null"],"enum":["a",null]}`,
		`{"const":"a","enum":["a","b"]}`, `{"const":"c","enum":["a","b"]}`, `{"type":"string","maxLength":1,"enum":["a"]}`, `{"type":"integer","enum":[1,2],"maximum":3}`,
		`{"anyOf":[{"const":"a"},{"const":"b"}]}`, `{"oneOf":[{"const":"a"},{"const":"b"},{"type":"null"}]}`, `{"oneOf":[{"enum":["a","b"]},{"enum":["b"]}]}`,
		`{"oneOf":[{"const":"a"},{"type":"null"}]}`, `{"oneOf":[{"const":"a"},{"enum":["b"]},{"const":1}]}`, `{"anyOf":[{"type":"string","const":"a"},{"$ref":"#/$defs/enum"}]}`,
		`{"allOf":[{"enum":["a","b"]},{"enum":["b","c"]}]}`, `{"allOf":[{"enum":["a",1]},{"enum":["b",1]}]}`, `{"allOf":[{"type":"string"},{"enum":["a"]}]}`, `{"type":"integer"}`, `{"type":"string"}`, `true`)
}

func (g schemaGenerator) value(depth int) string {
	if depth == 0 {
		return g.leaf()
	}
	switch g.IntN(12) {
	case 0:
		return `{"type":"array","items":` + g.value(depth-1) + `}`
	case 1:
		return fmt.Sprintf(`{"type":"array","prefixItems":[%s],"items":%s}`, g.value(depth-1), g.of(`false`, g.value(depth-1)))
	case 2:
		return fmt.Sprintf(`{"type":"array","contains":%s,"minContains":%d,"maxContains":%d%s}`, g.value(depth-1), g.IntN(2), 1+g.IntN(2), g.of(``, `,"unevaluatedItems":false`))
	case 3:
		return `{"type":"object","additionalProperties":` + g.value(depth-1) + `}`
	case 4:
		return fmt.Sprintf(`{"type":"object","patternProperties":{"^x":%s},"additionalProperties":%s}`, g.value(depth-1), g.of(`false`, `{"$ref":"#/$defs/false"}`, g.value(depth-1)))
	case 5:
		return fmt.Sprintf(`{"type":"object","propertyNames":%s}`, g.of(`{"enum":["a","b"]}`, `{"anyOf":[{"enum":["a"]},{"pattern":"^x"}]}`))
	case 6:
		return fmt.Sprintf(`{%q:[%s,%s%s]}`, g.of("oneOf", "anyOf"), g.object(depth-1), g.object(depth-1), g.of(``, `,{"type":"null"}`, `,{"enum":["a"]}`))
	case 7:
		return fmt.Sprintf(`{%q:[%s,%s]}`, g.of("oneOf", "anyOf"), g.leaf(), g.leaf())
	case 8:
		return fmt.Sprintf(`{"not":%s}`, g.of(g.leaf(), g.object(depth-1)))
	case 9:
		return `{"$ref":"#/$defs/self"}`
	case 10:
		return g.tagged(depth)
	}
	return g.object(depth)
}

// tagged is a union whose objects have a tag.
func (g schemaGenerator) tagged(depth int) string {
	arm := func(tag string) string {
		return fmt.Sprintf(`{"type":"object","required":["kind"],"properties":{"kind":%s,"a":%s}%s}`, tag, g.value(depth-1), g.of(``, `,"additionalProperties":false`))
	}
	return fmt.Sprintf(`{%q:[%s,%s]}`, g.of("oneOf", "anyOf"),
		arm(g.of(`{"const":"a"}`, `{"enum":["a"]}`, `{"type":"string","enum":["a","zz"]}`)), arm(g.of(`{"const":"b"}`, `{"enum":["b","c"]}`)))
}

func (g schemaGenerator) object(depth int) string {
	if depth == 0 {
		return `{"type":"object","properties":{"a":` + g.leaf() + `}` + g.of(``, `,"additionalProperties":false`) + `}`
	}
	s := fmt.Sprintf(`{"type":"object","properties":{"a":%s,"b":%s}`, g.value(depth-1), g.value(depth-1))
	s += g.of(``, `,"required":["a"]`, `,"required":["c"]`)
	if g.IntN(3) == 0 {
		s += fmt.Sprintf(`,%q:[%s,%s]`, g.of("allOf", "anyOf", "oneOf"), g.part(), g.part())
	}
	if g.IntN(4) == 0 {
		s += fmt.Sprintf(`,"if":%s,"then":%s,"else":%s`, g.part(), g.part(), g.part())
	}
	if g.IntN(6) == 0 {
		s += `,"dependentSchemas":{"b":` + g.part() + `}`
	}
	if g.IntN(6) == 0 {
		s += `,"not":` + g.part()
	}
	return s + g.of(``, `,"additionalProperties":false`, `,"additionalProperties":{"$ref":"#/$defs/false"}`, `,"unevaluatedProperties":false`,
		`,"unevaluatedProperties":{"enum":["a"]}`, `,"additionalProperties":{"enum":["a"]}`, `,"minProperties":1`, `,"maxProperties":2`) + `}`
}

// part speaks of an object beside other shapes.
func (g schemaGenerator) part() string {
	return g.of(
		fmt.Sprintf(`{"properties":{%q:%s}}`, g.of("a", "b", "c", "x1"), g.leaf()),
		fmt.Sprintf(`{"properties":{%q:%s},"required":["c"]}`, g.of("a", "c"), g.leaf()),
		fmt.Sprintf(`{"patternProperties":{"^x":%s}}`, g.leaf()),
		`{"properties":{"a":true},"additionalProperties":false}`,
		`{"required":["b"]}`, `{"not":{"required":["c"]}}`,
		`{"anyOf":[{"const":{"a":"a"}},{"type":"object","minProperties":1}]}`, `{"not":{"not":{"properties":{"a":{"enum":["a"]}},"additionalProperties":false}}}`)
}
