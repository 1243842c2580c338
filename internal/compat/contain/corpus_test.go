package contain

import (
	"bufio"
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

// score counts what was answered where a label exists; noLabel apart.
type score struct{ right, unknown, wrong, uncompiled, noLabel, noLabelUnknown int }

func (s score) String() string {
	return fmt.Sprintf("right %5d  unknown %4d  wrong %3d  uncompiled %3d  unlabelled %4d (unknown %d)",
		s.right, s.unknown, s.wrong, s.uncompiled, s.noLabel, s.noLabelUnknown)
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
			total[d].right += scores[d].right
			total[d].unknown += scores[d].unknown
			total[d].wrong += scores[d].wrong
			total[d].uncompiled += scores[d].uncompiled
			total[d].noLabel += scores[d].noLabel
			total[d].noLabelUnknown += scores[d].noLabelUnknown
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
		t.Logf("%s: %v", p.ID, err)
	case want == nil:
		s.noLabel++
		if a.Verdict == Unknown {
			s.noLabelUnknown++
		}
	case a.Verdict == Unknown:
		s.unknown++
		if testing.Verbose() && os.Getenv("CONTAIN_UNKNOWN") != "" {
			t.Logf("unknown %s %s want %v: %v", p.ID, direction, *want, a.Reason)
		}
	case (a.Verdict == Holds) == *want:
		s.right++
	case a.Verdict == Refuted && refutedLabels[p.ID+" "+direction]:
		s.right++
	default:
		s.wrong++
		t.Errorf("%s %s: %v, and the label says %v %s", p.ID, direction, a.Verdict, *want, firstWitness(a))
	}
}

func firstWitness(a Answer) string {
	if len(a.Breaks) == 0 {
		return ""
	}
	return string(a.Breaks[0].Witness)
}

func askPair(p pair, direction string) (Answer, Question, error) {
	w, r := p.sides(direction)
	writer, err := compileText(draftNames[p.Draft], string(w))
	if err != nil {
		return Answer{}, Question{}, err
	}
	reader, err := compileText(draftNames[p.Draft], string(r))
	if err != nil {
		return Answer{}, Question{}, err
	}
	q := Question{Writer: writer, Reader: reader}
	return Ask(q), q, nil
}

// refutedLabels are labels of the corpora that a witness refutes, as id and
// direction. The witness is found and replayed again by the test.
var refutedLabels = map[string]bool{}
