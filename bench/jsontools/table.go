package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// tally is how a tool did.
type tally struct {
	right, unsound, incomplete, silent int
	ms                                 []float64
}

func (t *tally) questions() int { return t.right + t.unsound + t.incomplete + t.silent }

// count judges an answer by the truth.
func (t *tally) count(says verdict, truth bool) {
	switch {
	case says == silent:
		t.silent++
	case (says == compatible) == truth:
		t.right++
	case truth:
		t.incomplete++
	default:
		t.unsound++
	}
}

func (t *tally) add(other *tally) {
	t.right, t.unsound, t.incomplete, t.silent = t.right+other.right, t.unsound+other.unsound, t.incomplete+other.incomplete, t.silent+other.silent
	t.ms = append(t.ms, other.ms...)
}

// at is a quantile of the times.
func (t *tally) at(q float64) float64 {
	if len(t.ms) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t.ms))
	return sorted[int(float64(len(sorted)-1)*q)]
}

// table prints how each tool did on each corpus, and sums it up.
type table struct {
	out    io.Writer
	sums   map[string]*tally
	turned int // labels of true that an instance proves wrong
	bare   int // labels of false without an instance
}

// corpus asks all tools about all pairs. The first tool is ours.
func (t *table) corpus(name string, pairs []pair, tools []tool) error {
	truths := make([]map[string]bool, len(pairs))
	for i, p := range pairs {
		truths[i] = t.truth(p)
	}
	for i, tool := range tools {
		sum := &tally{}
		for j, p := range pairs {
			a, err := tool.ask(p)
			if err != nil {
				return fmt.Errorf("%s: %w", tool.called(), err)
			}
			sum.ms = append(sum.ms, a.ms)
			for d, truth := range truths[j] {
				sum.count(a.says[d], truth)
			}
		}
		tool.close()
		if t.sums[tool.called()] == nil {
			t.sums[tool.called()] = &tally{}
		}
		t.sums[tool.called()].add(sum)
		t.print(name, tool.called(), sum, i == 0)
	}
	return nil
}

// truth is what is known of each direction of a pair.
func (t *table) truth(p pair) map[string]bool {
	truth := map[string]bool{}
	for d, label := range p.Expect {
		if label == nil {
			continue
		}
		switch refuted := p.refuted(d); {
		case refuted && *label:
			truth[d] = false
			t.turned++
		case refuted:
			truth[d] = false
		case *label:
			truth[d] = true
		default:
			t.bare++
		}
	}
	return truth
}

func (t *table) print(corpus, tool string, s *tally, head bool) {
	if head {
		fmt.Fprintf(t.out, "\n%-28s %9s %6s %8s %11s %6s %10s %9s\n", corpus, "questions", "right", "unsound", "incomplete", "error", "ms median", "p95")
	}
	fmt.Fprintf(t.out, "  %-26s %9d %6d %8d %11d %6d %10.2f %9.2f\n", tool, s.questions(), s.right, s.unsound, s.incomplete, s.silent, s.at(0.5), s.at(0.95))
}

// total prints the sums, and each as a figure.
func (t *table) total(tools []tool) {
	for i, tool := range tools {
		s := t.sums[tool.called()]
		t.print("all", tool.called(), s, i == 0)
	}
	fmt.Fprintf(t.out, "\n%d labels of true are proved wrong by an instance and were turned round; %d of false have no instance and were left out.\n\n", t.turned, t.bare)
	mine := t.sums[tools[0].called()]
	for _, tool := range tools {
		s := t.sums[tool.called()]
		t.emit(tool.called()+"/right", "%", 100*float64(s.right)/float64(max(s.questions(), 1)), 0)
		t.emit(tool.called()+"/unsound", "questions", float64(s.unsound), 0)
		t.emit(tool.called()+"/median", "ms", s.at(0.5), s.at(0.5)/mine.at(0.5))
		t.emit(tool.called()+"/p95", "ms", s.at(0.95), s.at(0.95)/mine.at(0.95))
	}
}

// emit prints one figure; the ratio is to ours.
func (t *table) emit(name, unit string, value, ratio float64) {
	line, err := json.Marshal(struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
		Unit  string  `json:"unit"`
		Ratio float64 `json:"ratio,omitempty"`
	}{"jsontools/" + name, value, unit, ratio})
	if err == nil {
		fmt.Fprintln(t.out, string(line))
	}
}
