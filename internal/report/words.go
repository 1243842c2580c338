package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// place is where a person looks first: the new revision, else the old one.
func place(f *rule.Finding) source.Pos {
	if f.New.IsZero() {
		return f.Old
	}
	return f.New
}

// where is the place in words, with the path where no file is known.
func where(f *rule.Finding) string {
	if pos := place(f); !pos.IsZero() {
		return pos.String()
	}
	if f.Path != "" {
		return f.Path
	}
	return "evcontract"
}

// was is the old place in words, "" where there is none.
func was(f *rule.Finding) string {
	switch {
	case f.Old.IsZero():
		return ""
	case f.New.IsZero():
		return "this place, in the old revision"
	}
	return f.Old.String()
}

// waiver says who accepted a finding, until when and why.
func waiver(w *rule.Waiver) string {
	var b strings.Builder
	b.WriteString("waived")
	if !w.Until.IsZero() {
		b.WriteString(" until " + w.Until.Format(time.DateOnly))
	}
	if w.Owner != "" {
		b.WriteString(" by " + w.Owner)
	}
	if w.Reason != "" {
		b.WriteString(": " + w.Reason)
	}
	return b.String()
}

// reader names who reads.
func reader(consumer string) string {
	if consumer == "" {
		return "anyone"
	}
	return consumer
}

// way says in words what a direction means.
func way(d rule.Direction) string {
	if d == rule.Backward {
		return "backward (new readers, old events)"
	}
	return "forward (old readers, new events)"
}

// hits says whom a finding reaches, one line for each event and direction, or for
// both directions if they reach the same readers. A lint reaches nobody in
// particular: its message names event and consumer.
func hits(f *rule.Finding) []string {
	const most = 12
	var lines, events []string
	seen := map[string]bool{}
	for _, h := range f.Hits {
		if h.Direction != "" && !seen[h.Event] {
			seen[h.Event] = true
			events = append(events, h.Event)
		}
	}
	for i, event := range events {
		if more := len(events) - i; len(lines) >= most && more > 1 {
			return append(lines, "… "+count(more, "more event"))
		}
		lines = append(lines, hitsOf(f, event)...)
	}
	return lines
}

func hitsOf(f *rule.Finding, event string) []string {
	forward, backward := hitReaders(f, event, rule.Forward), hitReaders(f, event, rule.Backward)
	switch {
	case forward == "" && backward == "":
		return nil
	case forward == backward:
		return []string{event + " both ways: " + forward}
	case forward == "":
		return []string{event + " " + way(rule.Backward) + ": " + backward}
	case backward == "":
		return []string{event + " " + way(rule.Forward) + ": " + forward}
	}
	return []string{event + " " + way(rule.Forward) + ": " + forward, event + " " + way(rule.Backward) + ": " + backward}
}

// hitReaders joins the readers of one event that are hit in one direction.
func hitReaders(f *rule.Finding, event string, d rule.Direction) string {
	var names []string
	for _, h := range f.Hits {
		if h.Event == event && h.Direction == d && !slices.Contains(names, reader(h.Consumer)) {
			names = append(names, reader(h.Consumer))
		}
	}
	return strings.Join(names, ", ")
}

// count is a number and its noun: 1 error, 2 errors.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// notes lists the reads that hold only under an assumption, one line for each
// assumption.
func notes(r *rule.Report) []string {
	var reasons []string
	reads := map[string][]string{}
	for _, read := range r.Reads {
		if read.Answer != rule.Holds || read.Reason == "" {
			continue
		}
		if reads[read.Reason] == nil {
			reasons = append(reasons, read.Reason)
		}
		name := fmt.Sprintf("%s %s for %s", read.Event, read.Direction, reader(read.Reader.Consumer))
		if !slices.Contains(reads[read.Reason], name) {
			reads[read.Reason] = append(reads[read.Reason], name)
		}
	}
	for i, reason := range reasons {
		reasons[i] = shortenList(reads[reason], 3) + " " + holds(len(reads[reason])) + ": " + reason
	}
	return reasons
}

func holds(n int) string {
	if n == 1 {
		return "holds"
	}
	return "hold"
}

// byFingerprint is how a read's findings are looked up.
func byFingerprint(r *rule.Report) map[string][]*rule.Finding {
	index := map[string][]*rule.Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		index[f.Fingerprint] = append(index[f.Fingerprint], f)
	}
	return index
}

// told lists the findings of a read.
func told(index map[string][]*rule.Finding, read *rule.Read) []*rule.Finding {
	var findings []*rule.Finding
	for _, print := range read.Findings {
		findings = append(findings, index[print]...)
	}
	return findings
}
