package codegen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// corpora is where the labelled schema pairs lie, beside the project.
func corpora(t *testing.T) string {
	dir := os.Getenv("EVCONTRACT_CORPORA")
	if dir == "" {
		dir = "../../../shared/corpora"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the corpora are not here: ", err)
	}
	return dir
}

// TestRealSchemasCompile generates types, decoders and encoders for real
// schemas, and type-checks what comes out.
func TestRealSchemasCompile(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpora(t), "json", "real_*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pairs := writeSchemas(t, dir, files, sample(40))
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	check := newChecker()
	var total corpusCount
	for _, p := range pairs {
		schema, _ := jsonschema.Load(tree, p.name, jsonschema.Options{})
		if schema == nil {
			continue
		}
		if _, hole := schema.Hole(); hole {
			total.holes++
			continue
		}
		code, count := generateSchema(schema, "Event", "events", flavor{})
		total.add(count)
		total.note(p.name, count)
		if count.unchecked > 0 {
			total.refused++
			continue
		}
		total.schemas++
		if err := check.file(code); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
	t.Logf("%d schemas generated and compiled, %d refused for a keyword, %d cannot be read whole; %d of %d places untyped (%.1f %%)",
		total.schemas, total.refused, total.holes, total.untyped, total.places, 100*float64(total.untyped)/float64(total.places))
	for _, why := range slices.Sorted(maps.Keys(total.fell)) {
		places := total.fell[why]
		t.Logf("%d: %s:\n%s", len(places), why, strings.Join(places[:min(len(places), 20)], "\n"))
	}
}

// corpusCount is what became of schemas.
type corpusCount struct {
	schemas, refused, holes, places, untyped, unchecked int

	fell map[string][]string // places that fell back, by the reason
}

func (c *corpusCount) add(d corpusCount) {
	c.places += d.places
	c.untyped += d.untyped
}

// note keeps which places of a schema fell back.
func (c *corpusCount) note(schema string, d corpusCount) {
	for why, places := range d.fell {
		if c.fell == nil {
			c.fell = map[string][]string{}
		}
		for _, at := range places {
			c.fell[why] = append(c.fell[why], schema+" "+at)
		}
	}
}

// sample is how many lines of a corpus make one test; every one of them does
// with EVCONTRACT_FULL=1, which takes minutes.
func sample(n int) int {
	if os.Getenv("EVCONTRACT_FULL") != "" {
		return 1
	}
	return n
}

// corpusPair is one schema of a corpus, and documents that tell it from another.
type corpusPair struct {
	Source  string
	New     json.RawMessage
	Witness map[string]json.RawMessage

	name string
}

// writeSchemas writes the new sides of pairs, each once.
func writeSchemas(t *testing.T, dir string, files []string, every int) []corpusPair {
	t.Helper()
	var pairs []corpusPair
	seen := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<24)
		for n := 0; lines.Scan(); n++ {
			if n%every > 0 {
				continue
			}
			var pair corpusPair
			if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
				t.Fatal(err)
			}
			if seen[string(pair.New)] {
				continue
			}
			seen[string(pair.New)] = true
			pair.name = fmt.Sprintf("%s%d.schema.json", strings.TrimSuffix(filepath.Base(file), ".jsonl"), n)
			if err := os.WriteFile(filepath.Join(dir, pair.name), pair.New, 0o600); err != nil {
				t.Fatal(err)
			}
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// flavor is what a workspace and a consumer may say of generated code.
type flavor struct {
	assert, keep, fields, enums bool
	role                        string // a member of the root that plays one
	reads                       string // the only members of the root that it reads, with spaces between; "": all
}

// lenient reports whether it is of a consumer that ignores something.
func (f flavor) lenient() bool { return f.fields || f.enums || f.reads != "" }

// want is what it reads.
func (f flavor) want() *want {
	w := &want{all: f.reads == ""}
	if f.role != "" {
		w.add(contract.Path{}.Field(f.role)).role = laneRole
	} else if w.all {
		return everything
	}
	for path := range strings.FieldsSeq(f.reads) {
		var p contract.Path
		for name := range strings.SplitSeq(path, ".") {
			p = p.Field(name)
		}
		*w.add(p) = want{all: true}
	}
	return w
}

// reader is how the containment engine reads a schema in that way.
func (f flavor) reader(s *jsonschema.Schema) contain.Reader {
	a := contain.Assumptions{IgnoreUnknown: f.fields, IgnoreEnums: f.enums}
	for path := range strings.FieldsSeq(f.reads) {
		a.Fields = append(a.Fields, strings.Split(path, "."))
	}
	if f.reads != "" && f.role != "" { // what identifies an event is read by all
		a.Fields = append(a.Fields, []string{f.role})
	}
	return s.Compiled().ReadUnder(a)
}

// generateSchema makes the code of one schema without an event around it: what
// reads a value of it, and what also writes it again.
func generateSchema(schema *jsonschema.Schema, prefix, pkg string, how flavor) (string, corpusCount) {
	found := &findings{seen: map[string]bool{}}
	b := &builder{
		names: names{}, prefix: prefix, event: "Event.v1", hides: true, fields: contract.Reject, enums: contract.Reject,
		byShape: map[*shape]*typ{}, judges: map[judgeKey]string{}, findings: found, choice: goTypes{unknown: how.keep, optional: how.keep, exact: how.keep},
	}
	b.hides = !how.lenient()
	if how.fields {
		b.fields = contract.Ignore
	}
	if how.enums {
		b.enums = contract.Ignore
	}
	root := b.build(b.relax(newReader(schema, how.assert).root()), how.want(), nil, prefix)
	var f file
	f.printTypes("Event.v1", b.types)
	d := decoder{printer: &f.printer, builder: b, used: names{}}
	e := encoder{printer: &f.printer, builder: b, used: names{}}
	d.line("")
	d.line("func again%s(s *event.Scanner) (b []byte) {", prefix)
	d.line("var v %s", root.nullType())
	d.line("_ = v")
	d.into(root, "v", true)
	d.line("if s.Err() != nil {")
	d.line("return nil")
	d.line("}")
	if !how.lenient() { // nothing writes what a consumer reads
		e.element(root, "v")
	}
	d.line("return b")
	d.line("}")
	d.printDecoders()
	d.printJudges()
	f.printPatterns(b.patterns)
	if !how.lenient() {
		e.printEncoders()
	}
	count := corpusCount{places: 1, fell: map[string][]string{}}
	for _, t := range b.types {
		count.places += len(t.fields)
	}
	for i := range found.list {
		switch found.list[i].Rule {
		case "generate-untyped":
			count.untyped++
			why, _, _ := strings.Cut(found.list[i].Message, ":")
			count.fell[why] = append(count.fell[why], found.list[i].Path)
		case "generate-unchecked":
			count.unchecked++
		}
	}
	code, err := f.finish(Options{Package: pkg, Module: "github.com/evcontract/evcontract"})
	if err != nil {
		return "package " + pkg + "\n" + err.Error(), count
	}
	return string(code), count
}

// checker type-checks files that import little.
type checker struct {
	fset    *token.FileSet
	imports types.Importer
}

func newChecker() *checker {
	fset := token.NewFileSet()
	return &checker{fset: fset, imports: importer.ForCompiler(fset, "source", nil)}
}

func (c *checker) file(code string) error {
	f, err := parser.ParseFile(c.fset, "events.go", code, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var errs []string
	config := types.Config{Importer: c.imports, Error: func(err error) { errs = append(errs, err.Error()) }}
	_, _ = config.Check("events", c.fset, []*ast.File{f}, nil)
	if len(errs) > 0 {
		return fmt.Errorf("%s", strings.Join(errs[:min(3, len(errs))], "\n"))
	}
	return nil
}
