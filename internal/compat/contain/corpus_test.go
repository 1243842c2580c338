package contain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// pair is one line of a corpus.
type pair struct {
	ID     string           `json:"id"`
	Draft  string           `json:"draft"`
	Old    json.RawMessage  `json:"old"`
	New    json.RawMessage  `json:"new"`
	Expect map[string]*bool `json:"expect"`
}

// sides gives the writer and the reader of a direction: forward, the old reader
// meets the new writer.
func (p pair) sides(direction string) (writer, reader json.RawMessage) {
	if direction == "forward" {
		return p.New, p.Old
	}
	return p.Old, p.New
}

var directions = []string{"forward", "backward"}

// corpusFolder is beside the repository, unless the environment says otherwise.
func corpusFolder(t testing.TB) string {
	root := os.Getenv("EVCONTRACT_CORPORA")
	if root == "" {
		dir, err := filepath.Abs(".")
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			if dir == filepath.Dir(dir) {
				t.Skip("no go.mod above the test")
			}
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(filepath.Dir(dir), "shared", "corpora")
	}
	folder := filepath.Join(root, "json")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no corpora: %v (set EVCONTRACT_CORPORA)", err)
	}
	return folder
}

func readCorpus(t testing.TB, file string) []pair {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pairs []pair
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return pairs
}

// score counts the answers: those that differ from a label which is itself
// refuted, or which speaks of asserted formats, apart.
type score struct{ right, unknown, wrong, mislabelled, asserted, uncompiled, noLabel, noLabelUnknown int }

func (s *score) add(o score) {
	s.right += o.right
	s.unknown += o.unknown
	s.wrong += o.wrong
	s.mislabelled += o.mislabelled
	s.asserted += o.asserted
	s.uncompiled += o.uncompiled
	s.noLabel += o.noLabel
	s.noLabelUnknown += o.noLabelUnknown
}

func (s score) String() string {
	return fmt.Sprintf("right %4d unknown %3d wrong %3d | label refuted %3d, of asserted formats %3d, schema refused %3d, no label %4d (unknown %d)",
		s.right, s.unknown, s.wrong, s.mislabelled, s.asserted, s.uncompiled, s.noLabel, s.noLabelUnknown)
}

// TestCorpus asks every pair in both directions. A wrong answer is a fault, an
// unknown one is only counted.
func TestCorpus(t *testing.T) {
	folder := corpusFolder(t)
	corpora, _ := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	slices.Sort(corpora)
	total := map[string]*score{"forward": {}, "backward": {}}
	for _, file := range corpora {
		scores := runCorpus(t, thinned(readCorpus(t, file)))
		for _, d := range directions {
			t.Logf("%-28s %-8s %v", filepath.Base(file), d, *scores[d])
			total[d].add(*scores[d])
		}
	}
	for _, d := range directions {
		t.Logf("%-28s %-8s %v", "total", d, *total[d])
	}
}

// thinned takes one pair of five, to keep a silent run short; -v takes all.
func thinned(pairs []pair) []pair {
	if testing.Verbose() {
		return pairs
	}
	var kept []pair
	for i := 0; i < len(pairs); i += 5 {
		kept = append(kept, pairs[i])
	}
	return kept
}

func runCorpus(t *testing.T, pairs []pair) map[string]*score {
	scores := map[string]*score{"forward": {}, "backward": {}}
	var mu sync.Mutex
	var wait sync.WaitGroup
	work := make(chan pair)
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for p := range work {
				for _, d := range directions {
					judge(t, p, d, scores[d], &mu)
				}
			}
		}()
	}
	for _, p := range pairs {
		work <- p
	}
	close(work)
	wait.Wait()
	return scores
}

// judge asks one direction of a pair and books the answer.
func judge(t *testing.T, p pair, direction string, s *score, mu *sync.Mutex) {
	a, q, err := askPair(p, direction)
	want := p.Expect[direction]
	mu.Lock()
	defer mu.Unlock()
	for _, b := range a.Breaks {
		if rerr := replay(q.Writer, q.Reader, b.Witness); rerr != nil {
			t.Errorf("%s %s: %v", p.ID, direction, rerr)
		}
	}
	switch {
	case err != nil:
		s.uncompiled++
		if testing.Verbose() && os.Getenv("CONTAIN_SHOW") != "" {
			t.Logf("refused %s: %.200v", p.ID, err)
		}
	case want == nil:
		s.noLabel++
		if a.Verdict == Unknown {
			s.noLabelUnknown++
		}
	case a.Verdict == Unknown:
		s.unknown++
		if testing.Verbose() && os.Getenv("CONTAIN_SHOW") != "" {
			t.Logf("unknown %s %s, labelled %v: %v", p.ID, direction, *want, a.Reason)
		}
	case (a.Verdict == Holds) == *want:
		s.right++
	default:
		s.differs(t, p, direction, a)
	}
}

// differs books an answer that is not the label's.
func (s *score) differs(t *testing.T, p pair, direction string, a Answer) {
	_, known := refutedLabels[p.ID+" "+direction]
	switch {
	case known, a.Verdict == Refuted && p.hasConstOfDraft4():
		s.mislabelled++
	case a.Verdict == Holds && p.saysFalseByFormats(direction):
		s.asserted++
	default:
		s.wrong++
		t.Errorf("%s %s: %v, and the label says otherwise; %.300s", p.ID, direction, a.Verdict, firstWitness(a))
	}
}

func firstWitness(a Answer) string {
	if len(a.Breaks) == 0 {
		return ""
	}
	return string(a.Breaks[0].Witness)
}

func askPair(p pair, direction string) (Answer, Question, error) {
	q, err := p.question(direction, false)
	if err != nil {
		return Answer{}, q, err
	}
	return Ask(q), q, nil
}

func (p pair) question(direction string, assert bool) (q Question, err error) {
	w, r := p.sides(direction)
	for _, side := range []struct {
		text   json.RawMessage
		schema **Schema
	}{{w, &q.Writer}, {r, &q.Reader}} {
		*side.schema, err = Compile(Source{Path: "schema.json", Load: files{"schema.json": string(side.text)}.load,
			Draft: draftNames[p.Draft], AssertFormats: assert})
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

// saysFalseByFormats: the labels of some sources assert formats, which is not
// the question here. Asserted, the pair does not hold any more, or the validator
// does not know the format.
func (p pair) saysFalseByFormats(direction string) bool {
	if bytes.Contains(p.New, []byte(`"format": "idn-`)) {
		return true
	}
	q, err := p.question(direction, true)
	return err == nil && Ask(q).Verdict != Holds
}

// hasConstOfDraft4: draft 4 does not know const, the labels of one source do.
func (p pair) hasConstOfDraft4() bool {
	return p.Draft == "draft4" && (bytes.Contains(p.Old, []byte(`"const"`)) || bytes.Contains(p.New, []byte(`"const"`)))
}
