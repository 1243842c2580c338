package contain

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLawMutations changes real schemas in one place and asks in both
// directions; whatever holds is attacked with instances made up from the writer,
// and with near misses of the reader.
func TestLawMutations(t *testing.T) {
	corpora, _ := filepath.Glob(filepath.Join(corpusFolder(t), "real_*.jsonl"))
	var count [3]int
	for _, file := range corpora {
		pairs := readCorpus(t, file)
		for i := range rounds(4) {
			r := newRandom(uint64(i) + 4e6)
			p := pick(r, pairs)
			if len(p.Old) > 20_000 && !testing.Verbose() {
				continue
			}
			changed, at := r.mutateSomewhere(p.Old)
			if changed == nil {
				continue
			}
			for _, sides := range [][2]string{{string(p.Old), string(changed)}, {string(changed), string(p.Old)}} {
				if v, asked := askText(t, draftNames[p.Draft], sides[0], sides[1]); asked {
					count[v]++
				}
			}
			if t.Failed() {
				t.Fatalf("%s, round %d, changed at %s", p.ID, i, at)
			}
		}
	}
	t.Logf("unknown %d, holds %d, refuted %d", count[Unknown], count[Holds], count[Refuted])
}

func askText(t *testing.T, draft Draft, w, rd string) (Verdict, bool) {
	writer, err := compileText(draft, w)
	if err != nil {
		return Unknown, false
	}
	reader, err := compileText(draft, rd)
	if err != nil {
		return Unknown, false
	}
	q := Question{Writer: writer, Reader: reader}
	a := Ask(q)
	checkAnswer(t, q, a)
	if a.Verdict != Holds {
		return a.Verdict, true
	}
	samples := append(Generate(writer, 1, 20), Generate(reader, 2, 20)...)
	for _, s := range samples {
		if writer.Validate(s.Instance) == nil && reader.Validate(s.Instance) != nil {
			t.Errorf("holds is contradicted by %.500s", s.Instance)
			break
		}
	}
	return a.Verdict, true
}

// mutateSomewhere changes one keyword of one object of a schema document.
func (r random) mutateSomewhere(doc json.RawMessage) (json.RawMessage, string) {
	v, err := decode(doc)
	if err != nil {
		return nil, ""
	}
	var places []map[string]any
	var names []string
	var walk func(v any, at string)
	walk = func(v any, at string) {
		switch v := v.(type) {
		case map[string]any:
			if !strings.HasSuffix(at, "/properties") && !strings.HasSuffix(at, "/definitions") && len(v) > 0 {
				places, names = append(places, v), append(names, at)
			}
			for _, k := range sortedKeys(v) {
				walk(v[k], at+"/"+k)
			}
		case []any:
			for _, e := range v {
				walk(e, at+"/-")
			}
		}
	}
	walk(v, "")
	if len(places) == 0 {
		return nil, ""
	}
	i := r.IntN(len(places))
	r.change(places[i])
	return encode(v), names[i]
}

func (r random) change(m map[string]any) {
	k := pick(r, sortedKeys(m))
	switch old := m[k].(type) {
	case []any:
		if len(old) > 1 {
			j := r.IntN(len(old))
			m[k] = slices.Delete(slices.Clone(old), j, j+1)
			return
		}
	case json.Number:
		m[k] = json.Number(pick(r, []string{"0", "1", "3", "100"}))
		return
	case bool:
		m[k] = !old
		return
	}
	switch r.IntN(3) {
	case 0:
		delete(m, k)
	case 1:
		m["type"] = pick(r, typeWords)
	default:
		m["not"] = map[string]any{"enum": []any{pick(r, scalars)}}
	}
}
