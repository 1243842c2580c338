package rule

import (
	"time"
)

// Waive marks the findings that a waiver accepts. A waiver holds through its
// last day; afterwards it accepts nothing. Waived findings stay in the report.
func (r *Report) Waive(waivers []Waiver, now time.Time) {
	for i := range r.Findings {
		for j := range waivers {
			if w := &waivers[j]; w.holds(now) && w.covers(&r.Findings[i]) {
				r.Findings[i].Waived = w
				break
			}
		}
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
