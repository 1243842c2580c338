package rule

import (
	"cmp"
	"slices"
	"time"
)

// Answer is what a read came to.
type Answer string

const (
	Holds   Answer = "holds"
	Refuted Answer = "refuted"
	Unknown Answer = "unknown"
)

// Read is one question and its answer: can this reader read every event that
// this writer may emit?
type Read struct {
	Event     string
	Direction Direction
	Reader    Party
	Writer    Party
	Answer    Answer
	Reason    string   // why it is unknown, or under which assumption it holds
	Findings  []string // fingerprints
}

// Party is one end of a read: a revision of the contracts and, for a reader,
// the consumer who reads.
type Party struct {
	Ref      string
	Repo     string // empty: the repository that is judged
	Consumer string
}

// Verdict sums up a report, after waivers.
type Verdict string

const (
	Compatible Verdict = "compatible"
	Breaking   Verdict = "breaking"
	Undecided  Verdict = "undecided"
)

// Report is what lint and check have to say: one document, whatever the format.
type Report struct {
	Command  string // lint or check
	Version  string // of the tool
	Docs     []Doc  // the rules that may speak here, for formats that list them
	Reads    []Read
	Findings []Finding
	Scope    *Scope // what was judged; nil where a report compares with nothing, or with one base that was named
}

// Scope is what a check compared with, where that is more than one named base.
type Scope struct {
	AsOf  time.Time     // what counted as now; zero where no window was asked for
	Span  time.Duration // of the window
	Bases []Base

	Longer map[string]time.Duration // windows of repositories whose own manifest asks for a longer one
	Pairs  int                      // questions that were really judged: distinct pairs of revisions, read in one way; reads share them
}

// Base is one revision that was compared with.
type Base struct {
	Repo     string // empty: the repository that is judged
	Ref      string
	Commit   string    // empty: not from git
	Released time.Time // zero: not known
	Until    time.Time // when its successor was released; zero: it is the newest, or that is not known
	Why      []string  // window, an environment's name, against, newest
}

// UndecidedRule is the rule of an answer of unknown.
const UndecidedRule = "undecided"

// Verdict is breaking before undecided before compatible, over the findings
// that no waiver accepts. Warnings and information do not change it.
func (r *Report) Verdict() Verdict {
	verdict := Compatible
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Waived != nil || f.Severity < Error:
		case f.Rule == UndecidedRule:
			verdict = Undecided
		default:
			return Breaking
		}
	}
	return verdict
}

// Reaches reports whether any unwaived finding is at least as bad as the threshold.
func (r *Report) Reaches(threshold Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Waived == nil && f.Severity >= threshold
	})
}

// Sort puts findings in the order in which a person reads files.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		switch pa, pb := a.place(), b.place(); {
		case pa.Before(pb):
			return -1
		case pb.Before(pa):
			return 1
		}
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
}

// Merge adds what another report has to say: its reads, and its findings, one
// that is known already with its new hits.
func (r *Report) Merge(other *Report) {
	known := map[string]int{}
	for i := range r.Findings {
		known[r.Findings[i].Fingerprint] = i
	}
	r.Reads = append(r.Reads, other.Reads...)
	if other.Scope != nil {
		r.Scope = other.Scope
	}
	for _, f := range other.Findings {
		i, seen := known[f.Fingerprint]
		if !seen {
			known[f.Fingerprint] = len(r.Findings)
			r.Findings = append(r.Findings, f)
			continue
		}
		for _, hit := range f.Hits {
			if !slices.Contains(r.Findings[i].Hits, hit) {
				r.Findings[i].Hits = append(r.Findings[i].Hits, hit)
			}
		}
		r.Findings[i].Severity = max(r.Findings[i].Severity, f.Severity)
	}
	r.Sort()
}
