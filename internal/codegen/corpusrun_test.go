package codegen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/event"
	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// documents are shown to every schema, beside the corpus' own.
var documents = []string{
	`null`, `true`, `false`, `0`, `1`, `-1`, `1.0`, `1.5`, `3`, `7`, `10`, `100`, `1e3`, `9007199254740993`, `""`, `"a"`, `"ab"`, `"abc"`, `"1"`,
	`"foo"`, `"bar"`, `"a longer text, of some words"`, `"2020-01-01"`, `"é\u0000"`, `[]`, `[1]`, `[1,1]`, `[1,1.0]`, `["a"]`, `["a",1]`, `[[],{}]`,
	`[1,2,3,4,5,6]`, `[null,true]`, `{}`, `{"a":1}`, `{"a":"x","b":2}`, `{"foo":1}`, `{"foo":"x","bar":"y"}`, `{"bar":1}`, `{"a":{}}`, `{"a":[]}`,
	`{"a":null,"b":null,"c":null}`, `{"foo":{"bar":1}}`, `{"name":"n"}`, `{"id":1}`, `{"type":"x"}`, `{"kind":"a","value":1}`, `{"":1}`, `{"x-y":"z"}`,
}

// TestDecodeCorpus decodes documents with generated code and with the schema
// validator, or for a reader who ignores what it doesn't know with the containment
// engine: the answers must be equal. The documents are fixed ones, the corpus'
// own, and some made up from each schema.
func TestDecodeCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpora(t), "json", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	isReal := func(f string) bool { return strings.Contains(f, "real_") }
	pairs := writeSchemas(t, dir, slices.DeleteFunc(slices.Clone(files), isReal), sample(160))
	files = slices.DeleteFunc(files, func(f string) bool { return !isReal(f) })
	pairs = append(pairs, writeSchemas(t, dir, files, max(sample(160), 5))...) // large, and many versions of one
	for _, how := range append([]flavor{{assert: true}, {keep: true}}, readers...) {
		t.Run(fmt.Sprintf("%+v", how), func(t *testing.T) { decodeCorpus(t, dir, pairs, how) })
	}
}

// atOnce is how many schemas are compiled into one program.
const atOnce = 40

func decodeCorpus(t *testing.T, dir string, pairs []corpusPair, how flavor) {
	tree, err := source.Open(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	schemas, documents, taken, refused := 0, 0, 0, 0
	for chunk := range slices.Chunk(pairs, atOnce) {
		run := corpusRun{files: map[string]string{}, how: how}
		for i, p := range chunk {
			schema, _ := jsonschema.Load(tree, p.name, jsonschema.Options{AssertFormats: how.assert})
			if schema == nil {
				continue
			}
			if _, hole := schema.Hole(); !hole {
				run.add(t, i, p, schema)
			}
		}
		schemas, documents, refused = schemas+len(run.files), documents+len(run.questions), refused+run.refused
		if len(run.files) > 0 {
			taken += run.compare(t)
		}
	}
	t.Logf("%d schemas, %d documents, %d taken; %d schemas refused for a keyword", schemas, documents, taken, refused)
}

// corpusRun is a program made of many schemas' decoders.
type corpusRun struct {
	files     map[string]string
	cases     strings.Builder
	questions []question
	refused   int
	how       flavor
}

type question struct {
	index    int
	schema   *jsonschema.Schema
	text     string
	document string
}

func (r *corpusRun) add(t *testing.T, i int, p corpusPair, schema *jsonschema.Schema) {
	code, count := generateSchema(schema, fmt.Sprintf("E%dX", i), "main", r.how)
	if count.unchecked > 0 {
		r.refused++
		return
	}
	r.files[fmt.Sprintf("e%d.go", i)] = code
	fmt.Fprintf(&r.cases, "%d: againE%dX,\n", i, i)
	shown := slices.Clone(documents)
	for _, w := range p.Witness {
		shown = append(shown, string(w))
	}
	if compiled := schema.Compiled(); compiled != nil { // what the schema itself makes think of
		for _, s := range contain.Generate(compiled, uint64(i), 8) {
			shown = append(shown, string(s.Instance))
		}
		if r.how.lenient() {
			shown = append(shown, strangeDocuments(t, rand.New(rand.NewPCG(uint64(i), 5)), compiled, 24)...)
		}
	}
	for _, d := range shown {
		r.questions = append(r.questions, question{i, schema, string(p.New), d})
	}
}

const corpusMain = `package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/event"
)

var decoders = map[int]func(*event.Scanner) []byte{
%s}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		index, document, _ := strings.Cut(lines.Text(), "\t")
		i, _ := strconv.Atoi(index)
		s := event.NewScanner([]byte(document))
		again := decoders[i](&s)
		if err := s.End(); err != nil {
			fmt.Println(strconv.Quote(err.Error()))
		} else {
			fmt.Println("=" + string(again))
		}
	}
}
`

// compare holds the program's answers against the validator's, and tells how
// many documents were taken.
func (r *corpusRun) compare(t *testing.T) (taken int) {
	t.Helper()
	answers, wrong := r.build(t), map[int]int{}
	for i, q := range r.questions {
		want, got := q.schema.Validate([]byte(q.document)), answers[i]
		again, fits := strings.CutPrefix(got, "=")
		if strings.Contains(got, "does not fit") {
			continue // the documented limit of integers without bounds
		}
		if strings.Contains(q.text, `"content`) {
			continue // an annotation for generated code; the validator asserts it in some drafts
		}
		if fits {
			taken++
		}
		if fits && r.how.keep && !keptAgain(t, q.document, again) {
			t.Errorf("%s\n%s\nis written again as %s", q.text, q.document, again)
		}
		if r.how.lenient() {
			if takes, sure := r.how.reader(q.schema).Takes([]byte(q.document)); !sure {
				continue
			} else if !takes && want == nil {
				t.Fatalf("%s\n%s\nis refused by who ignores more", q.text, q.document)
			} else if want = nil; !takes {
				want = errors.New("its reader refuses it")
			}
		}
		if (want == nil) != fits {
			if wrong[q.index]++; wrong[q.index] == 1 && len(wrong) < 20 {
				t.Errorf("%s\n%s\nvalidator: %v\ndecoder:   %s", q.text, q.document, want, got)
			}
		}
	}
	return taken
}

// keptAgain reports whether a document that was written again says what it said.
// A null may be gone: it was of what may be absent too.
func keptAgain(t *testing.T, before, after string) bool {
	t.Helper()
	read := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	return sameValue(read(before), read(after))
}

func sameValue(before, after any) bool {
	switch before := before.(type) {
	case map[string]any:
		after, ok := after.(map[string]any)
		for name, v := range before {
			other, there := after[name]
			ok = ok && (there && sameValue(v, other) || !there && v == nil)
		}
		return ok && len(after) <= len(before)
	case []any:
		after, ok := after.([]any)
		for i, v := range before {
			ok = ok && (i < len(after) && sameValue(v, after[i]) || i >= len(after) && v == nil)
		}
		return ok && len(after) <= len(before)
	case json.Number:
		after, ok := after.(json.Number)
		return ok && (before == after || compare(string(before), string(after)) == 0)
	case string:
		after, ok := after.(string)
		if ok && before != after {
			a, isTime := event.ParseTime(before)
			b, still := event.ParseTime(after)
			return isTime && still && a.Equal(b)
		}
		return ok
	}
	return before == after
}

// build compiles the program without writing into the module, and gives its
// answers.
func (r *corpusRun) build(t *testing.T) []string {
	t.Helper()
	r.files["main.go"] = fmt.Sprintf(corpusMain, r.cases.String())
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tmp, overlay := t.TempDir(), map[string]string{}
	for name, code := range r.files {
		if err := os.WriteFile(filepath.Join(tmp, name), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(module, "internal/codegen/corpusrun", name)] = filepath.Join(tmp, name)
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "overlay.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(tmp, "decode")
	build := exec.Command("go", "build", "-gcflags=-N -l", "-overlay", filepath.Join(tmp, "overlay.json"), "-o", program, "./internal/codegen/corpusrun")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, out)
	}
	var input bytes.Buffer
	for _, q := range r.questions {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(q.document)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&input, "%d\t%s\n", q.index, compact.String())
	}
	run := exec.Command(program)
	run.Stdin = &input
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(out), "\n")
}
