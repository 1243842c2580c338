package report

import (
	"fmt"
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
)

// tally is what a report comes to in numbers.
type tally struct {
	severity              [rule.Error + 1]int // unwaived findings
	waived                int
	hold, refuted, unsure int // reads
}

func tallyOf(r *rule.Report) tally {
	var t tally
	for i := range r.Findings {
		if r.Findings[i].Waived != nil {
			t.waived++
			continue
		}
		t.severity[r.Findings[i].Severity]++
	}
	for i := range r.Reads {
		switch r.Reads[i].Answer {
		case rule.Holds:
			t.hold++
		case rule.Refuted:
			t.refuted++
		default:
			t.unsure++
		}
	}
	return t
}

// findings says how many there are of each severity.
func (t tally) findings() string {
	var parts []string
	for s := rule.Error; ; s-- {
		if n := t.severity[s]; n > 0 && s > rule.Info {
			parts = append(parts, count(n, s.String()))
		} else if n > 0 {
			parts = append(parts, fmt.Sprintf("%d for information", n))
		}
		if s == rule.Info {
			break
		}
	}
	if t.waived > 0 {
		parts = append(parts, fmt.Sprintf("%d waived", t.waived))
	}
	if parts == nil {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

// reads says how many reads hold.
func (t tally) reads() string {
	return fmt.Sprintf("%s %s, %d refuted, %d unknown", count(t.hold, "read"), holds(t.hold), t.refuted, t.unsure)
}

// summary is a report in one line.
func summary(r *rule.Report) string {
	t := tallyOf(r)
	switch {
	case len(r.Reads) > 0:
		return fmt.Sprintf("%s: %s; %s", t.reads(), r.Verdict(), t.findings())
	case len(r.Docs) > 0:
		return fmt.Sprintf("%s: %s", count(len(r.Docs), "rule"), t.findings())
	}
	return t.findings()
}
