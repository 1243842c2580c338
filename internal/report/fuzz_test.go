package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// FuzzFormats: whatever stands in a contract, every format stays what it is and
// lets nothing hidden through.
func FuzzFormats(f *testing.F) {
	f.Add(nasty, []byte(`{"a":[1,"x"],"b":{}}`), "/a/1")
	f.Add("]]>", []byte(`[[[[1]]]]`), "/0/0")
	f.Add("x", []byte(`"\ud800"`), "")
	f.Add("\xff", []byte("{"), "/")
	f.Fuzz(func(t *testing.T, s string, event []byte, mark string) {
		r := &rule.Report{Version: s, Command: s, Findings: []rule.Finding{{
			Rule: s, Path: s, Message: s, Fix: s, Fingerprint: s, New: source.Pos{File: s, Line: len(s)}, Old: source.Pos{File: s},
			Witness: &rule.Witness{Event: event, Text: s, Bytes: event, Mark: mark, ReaderSees: s},
			Hits:    []rule.Hit{{Event: s, Direction: rule.Backward, Consumer: s}},
			Waived:  &rule.Waiver{Reason: s, Owner: s},
		}}, Reads: []rule.Read{{Event: s, Direction: rule.Forward, Answer: rule.Unknown, Reason: s, Findings: []string{s}}}}
		for _, name := range Names() {
			var b bytes.Buffer
			if err := Formats[name](&b, r, Options{}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
				t.Errorf("%s lets %q through", name, b.String()[i:i+1])
			}
			wellFormed(t, name, b.Bytes())
		}
	})
}

func wellFormed(t *testing.T, format string, out []byte) {
	switch format {
	case "json", "sarif":
		if !json.Valid(out) {
			t.Errorf("%s is no JSON", format)
		}
	case "github":
		if lines := bytes.Count(out, []byte("\n")); lines != 2 {
			t.Errorf("one finding and the summary are %d lines", lines)
		}
	case "junit":
		d := xml.NewDecoder(bytes.NewReader(out))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}
