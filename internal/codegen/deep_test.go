package codegen

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// TestSharedAlternatives: a schema whose alternatives share what they refer to
// costs what it is long, not what it would be written out.
func TestSharedAlternatives(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/d0", "$defs": {`)
	const deep = 40
	for i := range deep {
		fmt.Fprintf(&b, `"d%d": {"anyOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}, {"type": "object", "properties": {"p%d": {"$ref": "#/$defs/d%d"}}}]},`, i, i+1, i+1, i, i+1)
	}
	fmt.Fprintf(&b, `"d%d": {"type": "string"}}}`, deep)
	schema := schemaOf(t, b.String())
	if code, _ := generateSchema(schema, "Event", "events", flavor{}); len(code) > 1<<20 {
		t.Errorf("%d bytes of code", len(code))
	}
}

func schemaOf(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "s.schema.json"), text)
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	schema, errs := jsonschema.Load(tree, "s.schema.json", jsonschema.Options{})
	if schema == nil {
		t.Fatal(errs)
	}
	return schema
}

// TestEndlessTypes: of circles of schemas that one allOf goes round at once, each
// place has another type until all circles end together. It is refused, and costs
// little.
func TestEndlessTypes(t *testing.T) {
	var starts, defs []string
	for _, length := range []int{2, 3, 5, 7, 11, 13, 17, 19, 23} {
		starts = append(starts, fmt.Sprintf(`{"$ref": "#/$defs/c%d_0"}`, length))
		for i := range length {
			defs = append(defs, fmt.Sprintf(`"c%d_%d": {"type": "object", "properties": {"a": {"$ref": "#/$defs/c%d_%d"}, "q%d_%d": {"type": "string"}}}`,
				length, i, length, (i+1)%length, length, i))
		}
	}
	circles := strings.Join(starts, ",")
	for _, text := range []string{`"properties": {"x": {"allOf": [` + circles + `]}}`, `"properties": {"x": {"not": {"allOf": [` + circles + `]}}}`} {
		schema := schemaOf(t, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", `+text+`, "$defs": {`+strings.Join(defs, ",")+`}}`)
		found := &findings{seen: map[string]bool{}}
		b := &builder{
			names: names{}, prefix: "Event", event: "Event.v1", fields: contract.Reject, enums: contract.Reject,
			byShape: map[*shape]*typ{}, judges: map[judgeKey]string{}, findings: found,
		}
		b.build(newReader(schema, false).root(), everything, nil, "Event")
		d := decoder{printer: new(printer), builder: b}
		d.printDecoders()
		d.printJudges()
		if !found.failed() || !strings.Contains(found.list[len(found.list)-1].Message, "more than") {
			t.Errorf("%s is generated: %v", text, found.list)
		}
	}
}
