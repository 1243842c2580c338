package report

import (
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
)

// details is all that belongs to a finding beside its message, as plain text
// lines. The report must be clean.
func details(f *rule.Finding) []string {
	var lines []string
	add := func(label, line string) {
		if line != "" {
			lines = append(lines, label+line)
		}
	}
	if f.Waived != nil {
		add("", waiver(f.Waived))
	}
	if f.Witness != nil {
		lines = append(lines, proof(f.Witness)...)
	}
	add("was: ", was(f))
	for _, line := range hits(f) {
		add("hits: ", line)
	}
	add("fix: ", f.Fix)
	return lines
}

// proof is a witness as plain text lines.
func proof(w *rule.Witness) []string {
	var lines []string
	if len(w.Event) > 0 {
		lines = append(append(lines, "event:"), indented(printEvent(w))...)
	}
	if w.Text != "" {
		lines = append(append(lines, "as text:"), indented(strings.Split(w.Text, "\n"))...)
	}
	if len(w.Bytes) > 0 {
		lines = append(lines, "bytes: "+hexBytes(w.Bytes))
	}
	if w.ReaderSees != "" {
		lines = append(lines, "outcome: "+w.ReaderSees)
	}
	return lines
}

func indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = "  " + line
	}
	return out
}
