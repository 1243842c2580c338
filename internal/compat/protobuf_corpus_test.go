package compat

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// corpora finds the labelled pairs, which are no part of the project.
func corpora(t testing.TB, sub string) string {
	t.Helper()
	dir := os.Getenv("EVCONTRACT_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	dir = filepath.Join(dir, sub)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpora: %v; set EVCONTRACT_CORPORA to where they are", err)
	}
	return dir
}

// protoCase is one pair of trees and what decoding showed.
type protoCase struct {
	ID, Source, Old, New string
	Root                 string              `json:"root_message"`
	Truth                map[string][]string // of the root, "fwd/bin" to what happens; ~ is a remark
	DecodingTruth        struct {
		Error    string
		Messages map[string]map[string]struct{ Hard []string }
	} `json:"decoding_truth"`
}

// labels gives for each message what is compatible.
func (c *protoCase) labels() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	if c.Truth != nil {
		all[c.Root] = map[string]bool{}
		for way, what := range c.Truth {
			all[c.Root][way] = !slices.ContainsFunc(what, func(s string) bool { return !strings.HasPrefix(s, "~") })
		}
	}
	for name, ways := range c.DecodingTruth.Messages {
		all[name] = map[string]bool{}
		for way, what := range ways {
			all[name][way] = len(what.Hard) == 0
		}
	}
	return all
}

// disputed are labels of the corpus that the measured table of readers
// contradicts: the comparison that made them takes another type for another
// value, resolved an Any with the writer's own types, or sent no such value.
var disputed = map[string]string{
	"micro/wkt-wrapper json":              "a wrapper stands in JSON as its value, and is read as that",
	"micro/wkt-ts-to-string bwd":          "a Timestamp's text is read as that text",
	"micro/map-key-string-int fwd":        "a number's text as a key is read as that text",
	"micro/msg-type-swap fwd":             "JSON pairs fields by name: n is one that the reader doesn't know and ignores",
	"buf/breaking_field_same_default fwd": "9007199254740993 read as a double is another number",
}

func disputedLabel(id, way string) bool {
	for key := range disputed {
		name, part, _ := strings.Cut(key, " ")
		if name == id && strings.Contains(way, part) && strings.Contains(way, "json") {
			return true
		}
	}
	return false
}

// readerKinds are the ways of reading that the labels know.
var readerKinds = map[string]Assumptions{
	"bin":          {Encoding: contract.Protobuf, UnknownFields: contract.Ignore},
	"json":         {Encoding: contract.JSON, UnknownFields: contract.Reject},
	"json_lenient": {Encoding: contract.JSON, UnknownFields: contract.Ignore},
}

func readCases(t testing.TB, dir string) []protoCase {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []protoCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c protoCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// messageIn finds a message in the files of a tree.
func messageIn(t testing.TB, dir, name string) *contract.Event {
	t.Helper()
	tree, err := source.Open(context.Background(), dir, source.Options{PathOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	loader := protobuf.NewLoader(tree, protobuf.Options{ProtoPaths: []string{"."}})
	var files []string
	_ = fs.WalkDir(tree.FS, ".", func(p string, d fs.DirEntry, _ error) error {
		if strings.HasSuffix(p, ".proto") {
			files = append(files, p)
		}
		return nil
	})
	for _, file := range files {
		if s, _ := loader.Load(file + "#" + name); s != nil && s.Root() == name {
			return &contract.Event{Manifest: &contract.Manifest{}, Schema: s}
		}
	}
	return nil
}

// onlyExtensions reports whether a read was refuted by extensions alone, which
// the labels were made without in JSON.
func onlyExtensions(r Result) bool {
	return !slices.ContainsFunc(r.Breaks, func(b Break) bool {
		return b.Severity == rule.Error && !strings.HasPrefix(b.Path.String(), `"[`)
	})
}

type tally struct{ agreed, unknown, wrong, disputed, meaning int }

func TestCorpusProtobuf(t *testing.T) {
	dir := corpora(t, "proto")
	table := map[string]*tally{}
	for _, c := range readCases(t, dir) {
		if c.DecodingTruth.Error != "" {
			t.Logf("not compiled: %s", c.ID)
			continue
		}
		labels := c.labels()
		for _, name := range slices.Sorted(maps.Keys(labels)) {
			prev, next := messageIn(t, filepath.Join(dir, c.Old), name), messageIn(t, filepath.Join(dir, c.New), name)
			if prev == nil || next == nil {
				t.Errorf("%s: %s is not found on both sides", c.ID, name)
				continue
			}
			for _, way := range slices.Sorted(maps.Keys(labels[name])) {
				corpusRead(t, table, c, name, way, labels[name][way], prev, next)
			}
		}
	}
	t.Logf("%-28s %7s %7s %7s %8s %8s", "source way", "agreed", "unknown", "wrong", "disputed", "meaning")
	for _, key := range slices.Sorted(maps.Keys(table)) {
		n := table[key]
		t.Logf("%-28s %7d %7d %7d %8d %8d", key, n.agreed, n.unknown, n.wrong, n.disputed, n.meaning)
	}
}

func corpusRead(t *testing.T, table map[string]*tally, c protoCase, name, way string, compatible bool, prev, next *contract.Event) {
	direction, kind, _ := strings.Cut(way, "/")
	q := Question{Reader: prev, Writer: next, As: readerKinds[kind]}
	if direction == "bwd" {
		q.Reader, q.Writer = next, prev
	}
	r := readProtobuf(q)
	origin, _, _ := strings.Cut(c.ID, "/")
	key := origin + " " + way
	if table[key] == nil {
		table[key] = &tally{}
	}
	n := table[key]
	refuted, meaning := false, false
	for _, b := range r.Breaks {
		if b.Severity == rule.Error {
			told := b.Rule == "meaning-changed" || renumberedBreak(b)
			refuted = refuted || !told
			meaning = meaning || told
		}
	}
	if meaning {
		n.meaning++
	}
	switch {
	case r.Answer == rule.Unknown:
		n.unknown++
		t.Errorf("unknown: %s %s %s: %s", c.ID, name, way, r.Reason)
	case refuted != compatible:
		n.agreed++
	case disputedLabel(c.ID, way) || compatible && onlyExtensions(r) && way != "fwd/bin" && way != "bwd/bin":
		n.disputed++
	default:
		n.wrong++
		t.Errorf("wrong: %s %s %s: compatible=%t\n%s", c.ID, name, way, compatible, breakLines(r))
	}
}

// renumberedBreak reports whether a break says that a field has another number
// under its old name. Like a change of meaning that is more than decoding tells:
// the labels take it for a field that went and another that came.
func renumberedBreak(b Break) bool {
	return b.Rule == "field-lost" && strings.Contains(b.Message, "for the writer and number")
}

func breakLines(r Result) string {
	var b strings.Builder
	for _, x := range r.Breaks {
		fmt.Fprintf(&b, "   %s %s %s: %s\n", x.Severity, x.Rule, x.Path, x.Message)
		if x.Witness != nil {
			fmt.Fprintf(&b, "      %s | %s\n", x.Witness.Text, x.Witness.ReaderSees)
		}
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, "   reason: %s\n", r.Reason)
	}
	return b.String()
}
