package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/evcontract/evcontract/internal/rule"
)

// scopeLines say in words what a check compared with, one line for each
// repository; none where it was one base that was named.
func scopeLines(r *rule.Report) []string {
	s := r.Scope
	if s == nil {
		return nil
	}
	var lines, repos []string
	for _, b := range s.Bases {
		if !slices.Contains(repos, b.Repo) {
			repos = append(repos, b.Repo)
			lines = append(lines, basesOf(s, b.Repo))
		}
	}
	if !s.AsOf.IsZero() {
		text := span(s.Span)
		for _, repo := range slices.Sorted(maps.Keys(s.Longer)) {
			text += fmt.Sprintf(", %s for %s", span(s.Longer[repo]), repo)
		}
		lines = append(lines, fmt.Sprintf("window: %s up to %s", text, s.AsOf.UTC().Format("2006-01-02 15:04 MST")))
	}
	return append(lines, fmt.Sprintf("judged: %s, for %s", count(s.Pairs, "distinct pair")+" of revisions", count(len(r.Reads), "read")))
}

func basesOf(s *rule.Scope, repo string) string {
	var words []string
	for _, b := range s.Bases {
		if b.Repo == repo {
			words = append(words, baseText(b))
		}
	}
	text := shortenList(words, 12)
	if repo != "" {
		text = repo + ": " + text
	}
	return "against " + text
}

// baseText is a revision and why it counts, where that is not the window.
func baseText(b rule.Base) string {
	text := b.Ref
	if text == "" {
		text = "the files on disk"
	}
	why := slices.DeleteFunc(slices.Clone(b.Why), func(w string) bool { return w == "window" || w == "against" || w == "disk" })
	if len(why) > 0 {
		text += " (" + strings.Join(why, ", ") + ")"
	}
	return text
}

// span is a length of time, in days where it is whole ones.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	if d > 0 && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return d.String()
}

// hitBases names the revisions that a finding was found against, where a check
// compared with several.
func hitBases(r *rule.Report, f *rule.Finding) string {
	if r.Scope == nil || len(r.Scope.Bases) < 2 {
		return ""
	}
	var words []string
	for i := range r.Reads {
		read := &r.Reads[i]
		if !slices.Contains(read.Findings, f.Fingerprint) {
			continue
		}
		old := read.Reader
		if read.Direction == rule.Backward {
			old = read.Writer
		}
		word := old.Ref
		if old.Repo != "" {
			word = strings.TrimSpace(old.Repo + " " + old.Ref)
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return shortenList(words, 12)
}
