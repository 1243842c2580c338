package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
)

// Text writes findings as compilers do, each with its proof below it, and one
// line that sums up.
func Text(w io.Writer, r *rule.Report, o Options) error {
	out := bufio.NewWriter(w)
	r = clean(r)
	t := text{Writer: out, ink: ink(o.Color), files: o.Files, lines: map[string][]string{}, report: r}
	for i := range r.Findings {
		t.finding(&r.Findings[i])
		fmt.Fprintln(t)
	}
	if lines := notes(r); lines != nil {
		for _, line := range lines {
			fmt.Fprintln(t, t.dim("note: "+line))
		}
		fmt.Fprintln(t)
	}
	for _, line := range scopeLines(r) {
		fmt.Fprintln(t, t.dim(line))
	}
	fmt.Fprintln(t, t.verdict(r, summary(r)))
	return out.Flush()
}

// text is one report under way.
type text struct {
	*bufio.Writer
	ink
	files func(path string) []byte
	lines map[string][]string // of the files that were shown

	report *rule.Report
}

func (t *text) finding(f *rule.Finding) {
	fmt.Fprintf(t, "%s: %s: %s %s\n", t.bold(where(f)), t.severity(f), f.Message, t.dim("("+f.Rule+")"))
	t.excerpt(f)
	if f.Witness != nil {
		t.witness(f.Witness)
	}
	if line := was(f); line != "" {
		t.labelled("was", line)
	}
	for i, line := range hits(f) {
		if i == 0 {
			t.labelled("hits", line)
			continue
		}
		t.labelled("", line)
	}
	if bases := hitBases(t.report, f); bases != "" {
		t.labelled("against", bases)
	}
	if f.Fix != "" {
		t.labelled("fix", f.Fix)
	}
	switch {
	case f.Waived != nil:
		fmt.Fprintf(t, "    %s\n", t.yellow(waiver(f.Waived)))
	case f.Witness != nil || len(f.Hits) > 0 && f.Hits[0].Direction != "":
		t.labelled("id", f.Fingerprint) // what evcontract waive takes
	}
}

// labelled writes a line of what belongs to a finding; the next ones of the same
// kind have no label.
func (t *text) labelled(label, line string) {
	if label != "" {
		label += ":"
	}
	fmt.Fprintf(t, "    %s %s\n", t.dim(fmt.Sprintf("%-12s", label)), line)
}

// labelledAll writes several lines under one label.
func (t *text) labelledAll(label string, lines []string) {
	for _, line := range lines {
		if strings.Trim(line, " ^") == "" {
			line = t.red(line)
		}
		t.labelled(label, line)
		label = ""
	}
}

func (t *text) witness(w *rule.Witness) {
	if len(w.Event) > 0 {
		t.labelledAll("event", printEvent(w))
	}
	if w.Text != "" {
		t.labelledAll("as text", strings.Split(w.Text, "\n"))
	}
	if len(w.Bytes) > 0 {
		t.labelled("bytes", hexBytes(w.Bytes))
	}
	if w.ReaderSees != "" {
		t.labelled("outcome", t.bold(w.ReaderSees))
	}
}

// excerpt shows the line that a finding is about, if its file can be had.
func (t *text) excerpt(f *rule.Finding) {
	if t.files == nil || f.New.Line == 0 {
		return
	}
	lines := t.linesOf(f.New.File)
	if len(lines) < f.New.Line {
		return
	}
	number := fmt.Sprintf("%6d", f.New.Line)
	line := strings.ReplaceAll(strings.TrimRight(lines[f.New.Line-1], "\r"), "\t", " ")
	fmt.Fprintf(t, "%s %s\n", t.dim(number+" |"), excerptLine(line))
	if c := f.New.Column; c > 0 && c <= excerptWidth && c <= len([]rune(line))+1 && plain(line) == line {
		fmt.Fprintf(t, "%s %s%s\n", t.dim("       |"), strings.Repeat(" ", c-1), t.red("^"))
	}
}

func (t *text) linesOf(file string) []string {
	lines, known := t.lines[file]
	if !known {
		if data := t.files(file); len(data) > 0 {
			lines = strings.Split(string(data), "\n")
		}
		t.lines[file] = lines
	}
	return lines
}

// excerptWidth is how much of a line is shown: a minified schema is one line.
const excerptWidth = 120

func excerptLine(line string) string {
	if runes := []rune(line); len(runes) > excerptWidth {
		line = string(runes[:excerptWidth]) + " …"
	}
	return plain(line)
}

// hexBytes writes bytes in hex, the first ones of many.
func hexBytes(b []byte) string {
	const most = 48
	if len(b) <= most {
		return fmt.Sprintf("% x", b)
	}
	return fmt.Sprintf("% x … (%d bytes)", b[:most], len(b))
}
