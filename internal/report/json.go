package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed report.schema.json
var schema []byte

// Schema is the JSON Schema of what JSON writes.
func Schema() []byte { return bytes.Clone(schema) }

// The document, field by field as it is published. Nothing is ever left out:
// what is absent is null, an empty list is a list.
type (
	document struct {
		Tool     string       `json:"tool"`
		Version  string       `json:"version"`
		Verdict  rule.Verdict `json:"verdict"`
		Reads    []read       `json:"reads"`
		Findings []finding    `json:"findings"`
		Scope    *scope       `json:"scope"`
	}
	scope struct {
		AsOf  *string `json:"as_of"`
		Span  *string `json:"span"`
		Bases []base  `json:"bases"`
		Pairs int     `json:"pairs"`
	}
	base struct {
		Repo     *string  `json:"repo"`
		Ref      string   `json:"ref"`
		Commit   *string  `json:"commit"`
		Released *string  `json:"released"`
		Until    *string  `json:"until"`
		Why      []string `json:"why"`
	}
	read struct {
		Event     string         `json:"event"`
		Direction rule.Direction `json:"direction"`
		Reader    party          `json:"reader"`
		Writer    party          `json:"writer"`
		Answer    rule.Answer    `json:"answer"`
		Reason    *string        `json:"reason"`
		Findings  []string       `json:"findings"`
	}
	party struct {
		Ref      string  `json:"ref"`
		Repo     *string `json:"repo"`
		Consumer *string `json:"consumer"`
	}
	finding struct {
		Rule        string        `json:"rule"`
		Severity    rule.Severity `json:"severity"`
		Path        string        `json:"path"`
		Message     string        `json:"message"`
		Fix         *string       `json:"fix"`
		New         *position     `json:"new"`
		Old         *position     `json:"old"`
		Witness     *witness      `json:"witness"`
		Hits        []hit         `json:"hits"`
		Fingerprint string        `json:"fingerprint"`
		Waived      *waived       `json:"waived"`
	}
	position struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
	}
	witness struct {
		Event      json.RawMessage `json:"event"`
		Text       *string         `json:"text"`
		Bytes      []byte          `json:"bytes"`
		Mark       *string         `json:"mark"`
		ReaderSees *string         `json:"reader_sees"`
	}
	hit struct {
		Event     string          `json:"event"`
		Direction *rule.Direction `json:"direction"`
		Consumer  *string         `json:"consumer"`
	}
	waived struct {
		Fingerprint *string   `json:"fingerprint"`
		Rule        *string   `json:"rule"`
		At          *string   `json:"at"`
		Reason      string    `json:"reason"`
		Owner       string    `json:"owner"`
		Until       *string   `json:"until"`
		Pos         *position `json:"pos"`
	}
)

// JSON writes one document that holds everything a report knows.
func JSON(w io.Writer, r *rule.Report, _ Options) error {
	d := document{
		Tool: "evcontract", Version: r.Version, Verdict: r.Verdict(),
		Reads: make([]read, len(r.Reads)), Findings: make([]finding, len(r.Findings)),
		Scope: scopeOf(r.Scope),
	}
	for i := range r.Reads {
		d.Reads[i] = readOf(&r.Reads[i])
	}
	for i := range r.Findings {
		d.Findings[i] = findingOf(&r.Findings[i])
	}
	return writeJSON(w, d)
}

func readOf(r *rule.Read) read {
	return read{
		Event: r.Event, Direction: r.Direction,
		Reader: party{r.Reader.Ref, some(r.Reader.Repo), some(r.Reader.Consumer)},
		Writer: party{r.Writer.Ref, some(r.Writer.Repo), some(r.Writer.Consumer)},
		Answer: r.Answer, Reason: some(r.Reason), Findings: list(r.Findings),
	}
}

func scopeOf(s *rule.Scope) *scope {
	if s == nil {
		return nil
	}
	out := &scope{AsOf: moment(s.AsOf), Bases: make([]base, len(s.Bases)), Pairs: s.Pairs}
	if !s.AsOf.IsZero() {
		out.Span = some(span(s.Span))
	}
	for i, b := range s.Bases {
		out.Bases[i] = base{some(b.Repo), b.Ref, some(b.Commit), moment(b.Released), moment(b.Until), list(b.Why)}
	}
	return out
}

// moment gives null for a time that is not known.
func moment(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return some(t.UTC().Format(time.RFC3339))
}

func findingOf(f *rule.Finding) finding {
	hits := make([]hit, len(f.Hits))
	for i, h := range f.Hits {
		hits[i] = hit{h.Event, some(h.Direction), some(h.Consumer)}
	}
	return finding{
		Rule: f.Rule, Severity: f.Severity, Path: f.Path, Message: f.Message, Fix: some(f.Fix),
		New: positionOf(f.New), Old: positionOf(f.Old),
		Witness: witnessOf(f.Witness), Hits: hits,
		Fingerprint: f.Fingerprint, Waived: waivedOf(f.Waived),
	}
}

func positionOf(p source.Pos) *position {
	if p.IsZero() {
		return nil
	}
	return &position{p.File, p.Line, p.Column}
}

func witnessOf(w *rule.Witness) *witness {
	if w == nil {
		return nil
	}
	event := w.Event
	if len(event) > 0 && !json.Valid(event) { // a bug elsewhere must not cost the whole report
		event, _ = json.Marshal(string(event))
	}
	mark := &w.Mark // "" is a pointer too: the whole event
	return &witness{event, some(w.Text), w.Bytes, mark, some(w.ReaderSees)}
}

func waivedOf(w *rule.Waiver) *waived {
	if w == nil {
		return nil
	}
	until := ""
	if !w.Until.IsZero() {
		until = w.Until.Format(time.DateOnly)
	}
	return &waived{some(w.Fingerprint), some(w.Rule), some(w.At), w.Reason, w.Owner, some(until), positionOf(w.Pos)}
}

// some gives null for what is empty.
func some[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

// list gives [] for a list that is nil.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// writeJSON writes a document indented, as it is safe to print.
func writeJSON(w io.Writer, document any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	_, err := w.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden writes hidden characters inside a JSON text as \u escapes; they
// can only stand in strings there. The text means the same as before.
func escapeHidden(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || !hidden(r):
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out
}
