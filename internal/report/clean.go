package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// hidden reports whether a character does something instead of showing itself:
// controls, line and paragraph separators, what reorders or joins text, what
// Unicode keeps for itself.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
}

// plain writes hidden characters as escapes, so that a text stays on its line
// and means what it shows.
func plain(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainLines is plain for a text that may have several lines, of which only the
// first ones and the beginning of each are shown.
func plainLines(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if more := len(lines) - eventLines; more > 0 {
		lines = append(lines[:eventLines:eventLines], fmt.Sprintf("… %d more lines", more))
	}
	for i := range lines {
		lines[i] = plain(begin(lines[i]))
	}
	return strings.Join(lines, "\n")
}

// begin is the beginning of a long line.
func begin(line string) string {
	const most = 240
	if runes := []rune(line); len(runes) > most {
		return fmt.Sprintf("%s… %d more", string(runes[:most]), len(runes)-most)
	}
	return line
}

// clean copies a report with every text in it made plain, so that no format for
// people can forget one. The events of witnesses stay as they are: printEvent
// writes them.
func clean(r *rule.Report) *rule.Report {
	c := *r
	c.Command, c.Version = plain(r.Command), plain(r.Version)
	c.Reads = slices.Clone(r.Reads)
	for i := range c.Reads {
		cleanRead(&c.Reads[i])
	}
	c.Findings = slices.Clone(r.Findings)
	for i := range c.Findings {
		cleanFinding(&c.Findings[i])
	}
	if r.Scope != nil {
		s := *r.Scope
		s.Bases = slices.Clone(s.Bases)
		for i, b := range s.Bases {
			s.Bases[i].Repo, s.Bases[i].Ref, s.Bases[i].Why = plain(b.Repo), plain(b.Ref), slices.Clone(b.Why)
			for k, why := range b.Why {
				s.Bases[i].Why[k] = plain(why)
			}
		}
		s.Longer = map[string]time.Duration{}
		for repo, span := range r.Scope.Longer {
			s.Longer[plain(repo)] = span
		}
		c.Scope = &s
	}
	return &c
}

func cleanRead(r *rule.Read) {
	r.Event, r.Reason = plain(r.Event), plain(r.Reason)
	r.Reader, r.Writer = cleanParty(r.Reader), cleanParty(r.Writer)
}

func cleanParty(p rule.Party) rule.Party {
	return rule.Party{Ref: plain(p.Ref), Repo: plain(p.Repo), Consumer: plain(p.Consumer)}
}

func cleanFinding(f *rule.Finding) {
	f.Rule, f.Path, f.Message, f.Fix = plain(f.Rule), plain(f.Path), plain(f.Message), plain(f.Fix)
	f.New, f.Old = cleanPos(f.New), cleanPos(f.Old)
	f.Hits = slices.Clone(f.Hits)
	for i, h := range f.Hits {
		f.Hits[i] = rule.Hit{Event: plain(h.Event), Direction: h.Direction, Consumer: plain(h.Consumer)}
	}
	if f.Witness != nil {
		w := *f.Witness
		w.Text, w.ReaderSees = plainLines(w.Text), plain(begin(w.ReaderSees))
		f.Witness = &w
	}
	if f.Waived != nil {
		w := *f.Waived
		w.Reason, w.Owner = plain(w.Reason), plain(w.Owner)
		f.Waived = &w
	}
}

func cleanPos(p source.Pos) source.Pos {
	p.File = plain(p.File)
	return p
}
