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

// who says in words what a direction means.
func who(d rule.Direction) string {
	if d == rule.Backward {
		return "new readers, old events"
	}
	return "old readers, new events"
}

// hits says whom a finding reaches, one line for each event and direction.
func hits(f *rule.Finding) []string {
	var lines []string
	for i, h := range f.Hits {
		if h.Direction == "" {
			continue // of a lint, whose message names event and consumer
		}
		if slices.IndexFunc(f.Hits, func(o rule.Hit) bool { return o.Event == h.Event && o.Direction == h.Direction }) == i {
			lines = append(lines, hitLine(f.Hits[i:], h))
		}
	}
	return lines
}

// hitLine joins the consumers of all hits with the event and direction of one.
func hitLine(all []rule.Hit, like rule.Hit) string {
	var names []string
	for _, h := range all {
		if h.Event == like.Event && h.Direction == like.Direction && !slices.Contains(names, reader(h.Consumer)) {
			names = append(names, reader(h.Consumer))
		}
	}
	return fmt.Sprintf("%s %s (%s): %s", like.Event, like.Direction, who(like.Direction), strings.Join(names, ", "))
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
