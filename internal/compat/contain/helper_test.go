package contain

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// draftNames are the drafts as the corpora write them.
var draftNames = map[string]Draft{
	"draft4": Draft4, "draft6": Draft6, "draft7": Draft7, "2019-09": Draft2019, "2020-12": Draft2020, "": Draft2020,
}

// files is a workspace in memory.
type files map[string]string

func (f files) load(path string) ([]byte, error) {
	text, ok := f[path]
	if !ok {
		return nil, errors.New("no such document")
	}
	return []byte(text), nil
}

func compileText(draft Draft, text string) (*Schema, error) {
	return Compile(Source{Path: "schema.json", Load: files{"schema.json": text}.load, Draft: draft})
}

func mustCompile(t testing.TB, draft Draft, text string) *Schema {
	t.Helper()
	s, err := compileText(draft, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// replay reports whether a witness is one: valid for the writer, refused by the reader.
func replay(writer, reader *Schema, witness []byte) error {
	if !json.Valid(witness) {
		return errors.New("the witness is no JSON")
	}
	if err := writer.Validate(witness); err != nil {
		return errors.New("the writer refuses it: " + err.Error())
	}
	var refusal *Refusal
	if err := reader.Validate(witness); !errors.As(err, &refusal) {
		return errors.New("the reader takes it")
	}
	return nil
}

// checkAnswer holds whatever the verdict is: refusals replay, their parts exist.
func checkAnswer(t testing.TB, q Question, a Answer) {
	t.Helper()
	if (a.Verdict == Refuted) != (len(a.Breaks) > 0) {
		t.Errorf("%v with %d breaks", a.Verdict, len(a.Breaks))
	}
	if strings.HasPrefix(a.Reason.Keyword, "(internal") {
		t.Errorf("a panic: %v", a.Reason)
	}
	for _, b := range a.Breaks {
		if err := replay(q.Writer, q.Reader, b.Witness); err != nil {
			t.Errorf("witness %s of %s: %v", b.Witness, b.Keyword, err)
		}
		if !pointsInto(b.Witness, b.Instance) {
			t.Errorf("%q is not a place in %s", b.Instance, b.Witness)
		}
		if b.Keyword == "" {
			t.Errorf("a break without a keyword: %s", b.Witness)
		}
	}
}

func pointsInto(witness []byte, pointer string) bool {
	v, err := decode(witness)
	if err != nil {
		return false
	}
	if pointer == "" {
		return true
	}
	_, ok := dig(v, pointer)
	return ok
}
