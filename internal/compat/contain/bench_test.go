package contain

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// BenchmarkRealPairs compares deciding a real pair in both directions with
// compiling its two schemas: the ratio at the median and at p95.
func BenchmarkRealPairs(b *testing.B) {
	files, _ := filepath.Glob(filepath.Join(corpusFolder(b), "real_*.jsonl"))
	for _, file := range files {
		pairs := readCorpus(b, file)
		b.Run(filepath.Base(file), func(b *testing.B) {
			for b.Loop() {
				var compile, decide []time.Duration
				for _, p := range pairs {
					if c, d, ok := timePair(p); ok {
						compile, decide = append(compile, c), append(decide, d)
					}
				}
				report(b, compile, decide)
			}
		})
	}
}

func timePair(p pair) (compile, decide time.Duration, ok bool) {
	draft := draftNames[p.Draft]
	old, err := compileText(draft, string(p.Old))
	if err != nil {
		return 0, 0, false
	}
	next, err := compileText(draft, string(p.New))
	if err != nil {
		return 0, 0, false
	}
	start := time.Now()
	if !validatorCompiles(draft, p.Old) || !validatorCompiles(draft, p.New) {
		return 0, 0, false
	}
	compiled := time.Now()
	Ask(Question{Writer: next, Reader: old})
	Ask(Question{Writer: old, Reader: next})
	return compiled.Sub(start), time.Since(compiled), true
}

// validatorCompiles is the library alone, without anything of ours.
func validatorCompiles(draft Draft, text []byte) bool {
	c := jsonschema.NewCompiler()
	c.Draft = drafts[draft]
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("offline") }
	if c.AddResource("schema.json", bytes.NewReader(text)) != nil {
		return false
	}
	_, err := c.Compile("schema.json")
	return err == nil
}

func report(b *testing.B, compile, decide []time.Duration) {
	slices.Sort(compile)
	slices.Sort(decide)
	for _, q := range []struct {
		name string
		at   float64
	}{{"median", 0.5}, {"p95", 0.95}} {
		i := int(float64(len(compile)-1) * q.at)
		b.ReportMetric(float64(compile[i].Microseconds()), "compile-"+q.name+"-µs")
		b.ReportMetric(float64(decide[i].Microseconds()), "decide-"+q.name+"-µs")
		b.ReportMetric(float64(decide[i])/float64(compile[i]), "ratio-"+q.name)
	}
}
