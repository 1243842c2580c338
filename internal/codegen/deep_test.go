package codegen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.schema.json"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	schema, errs := jsonschema.Load(tree, "s.schema.json", jsonschema.Options{})
	if schema == nil {
		t.Fatal(errs)
	}
	if code, _ := generateSchema(schema, "Event", "events", flavor{}); len(code) > 1<<20 {
		t.Errorf("%d bytes of code", len(code))
	}
}
