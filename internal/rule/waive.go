package rule

import (
	"time"
)

// WaiverUnmatched documents the rule of waivers that accept nothing.
var WaiverUnmatched = Doc{
	ID: "waiver-unmatched", Kind: Tool, Severity: Info,
	Title: "A waiver matches no finding",
	Why:   "What it accepts is not found in this comparison: it was mended, it is compared with another base, or it has become the base by now. That is in order until the waiver's end, so that an accepted break doesn't fail the branch that it was merged to; then it is an error.",
	Fix:   "Remove it once nothing that may still be read breaks any more.",
}

// Waive marks the findings that a waiver accepts. A waiver holds through its
// last day; afterwards it accepts nothing. Waived findings stay in the report.
// It gives the waivers that still hold and accept nothing here.
func (r *Report) Waive(waivers []Waiver, now time.Time) []*Waiver {
	used := make([]bool, len(waivers))
	for i := range r.Findings {
		for j := range waivers {
			if w := &waivers[j]; w.holds(now) && w.covers(&r.Findings[i]) {
				used[j] = true
				if r.Findings[i].Waived == nil {
					r.Findings[i].Waived = w
				}
			}
		}
	}
	var unmatched []*Waiver
	for j := range waivers {
		if !used[j] && waivers[j].holds(now) {
			unmatched = append(unmatched, &waivers[j])
		}
	}
	return unmatched
}

// Unmatched is the finding about a waiver that accepts nothing.
func (w *Waiver) Unmatched() Finding {
	what := w.Fingerprint
	if w.At != "" {
		what = w.Rule + " at " + w.At
	}
	return Finding{
		Rule: WaiverUnmatched.ID, Severity: WaiverUnmatched.Severity, Path: what, Fix: WaiverUnmatched.Fix, New: w.Pos,
		Message:     "the waiver of " + what + " accepts nothing here; it ends on " + w.Until.Format(time.DateOnly),
		Fingerprint: Fingerprint(WaiverUnmatched.ID, what, w.Fingerprint),
	}
}

// holds reports whether the waiver is complete and its last day is not over.
func (w *Waiver) holds(now time.Time) bool {
	complete := w.Reason != "" && w.Owner != "" && !w.Until.IsZero()
	return complete && now.Before(w.Until.AddDate(0, 0, 1))
}

// covers reports whether the waiver names the finding: by its fingerprint, or by
// rule and place. A waiver that names neither covers nothing.
func (w *Waiver) covers(f *Finding) bool {
	if w.Fingerprint != "" {
		return w.Fingerprint == f.Fingerprint
	}
	return w.Rule != "" && w.Rule == f.Rule && w.At == f.Path
}
