package compat

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// move is one thing around the payload that a change moved.
type move struct {
	direction rule.Direction // the only one that it spoils; empty: both
	path      string         // below the event: identity.event_id
	message   string
	fix       string // empty: the rule's
	new, old  source.Pos
	about     []string
}

// gather enters a move as a finding of a read and refutes it.
func (c *check) gather(read int, p pair, by *Rule, m move) {
	path := p.name().String()
	if m.path != "" {
		path += "/" + m.path
	}
	c.add(read, rule.Finding{
		Rule: by.ID, Severity: by.Severity, Path: path, Message: m.message, Fix: cmp.Or(m.fix, by.Fix),
		New: m.new, Old: m.old, Fingerprint: rule.Fingerprint(by.ID, path, m.about...),
	}, "")
}

// payload asks the engine and gathers its breaks.
func (c *check) payload(read int, r reading) {
	r.question.As.OldWriter = r.direction == rule.Backward
	result := c.options.Memory.Read(r.question)
	c.report.Reads[read].Reason = result.Reason
	if result.Answer == rule.Unknown {
		c.undecided(read, r, result.Reason, result.Fix)
	}
	if result.Open != "" {
		c.undecided(read, r, result.Open, "")
	}
	for _, b := range result.Breaks {
		c.broken(read, r, b, result.More)
	}
}

// lineColumn is what changes with every edit above the place that a reason names.
var lineColumn = regexp.MustCompile(`:\d+:\d+`)

func (c *check) undecided(read int, r reading, reason, fix string) {
	path := r.event.String()
	c.add(read, rule.Finding{
		Rule: undecided.ID, Severity: undecided.Severity, Path: path, Fix: cmp.Or(fix, undecided.Fix),
		Message: fmt.Sprintf("%s: nobody can tell whether it stays readable: %s", path, reason),
		New:     placeOf(r.pair.new), Old: placeOf(r.pair.old),
		Fingerprint: rule.Fingerprint(undecided.ID, path, lineColumn.ReplaceAllString(reason, "")),
	}, reason)
	if c.report.Reads[read].Answer != rule.Refuted {
		c.report.Reads[read].Answer = rule.Unknown
	}
}

// broken enters one place of the payload that a reader refuses, loses or
// misreads.
func (c *check) broken(read int, r reading, b Break, more int) {
	doc := ByID(b.Rule)
	path := eventPath(r.event, b.Path)
	f := rule.Finding{
		Rule: b.Rule, Severity: b.Severity, Path: path, Message: b.Message, Fix: b.Fix,
		New: b.Writer, Old: b.Reader, Witness: b.Witness,
		Fingerprint: rule.Fingerprint(b.Rule, path, b.About...),
	}
	if r.direction == rule.Backward {
		f.New, f.Old = b.Reader, b.Writer
	}
	if f.Fix == "" && doc != nil {
		f.Fix = doc.Fix
	}
	if more > 0 {
		f.Message += fmt.Sprintf(" (and %d more places in this event)", more)
	}
	apart := string(r.direction)
	if b.Mirrored {
		apart = ""
	}
	c.add(read, f, apart)
}

// add enters a finding, or one more hit of a finding that is there already: one
// changed place is one finding, however many events, directions and consumers
// reach it. What a witness shows depends on the direction, so payload findings
// of two directions stay apart.
func (c *check) add(read int, f rule.Finding, apart string) {
	r := &c.report.Reads[read]
	if f.Severity == rule.Error && f.Rule != undecided.ID {
		r.Answer = rule.Refuted
	}
	key := strings.Join([]string{f.Rule, apart, f.New.String(), f.Old.String(), tail(f.Path)}, "\x00")
	at, seen := c.gathered[key]
	if !seen {
		at = len(c.report.Findings)
		c.gathered[key] = at
		c.report.Findings = append(c.report.Findings, f)
		c.spoils = append(c.spoils, nil)
	}
	known := &c.report.Findings[at]
	known.Severity = max(known.Severity, f.Severity)
	known.Hits = append(known.Hits, rule.Hit{Event: r.Event, Direction: r.Direction, Consumer: r.Reader.Consumer})
	if !slices.Contains(c.spoils[at], read) {
		c.spoils[at] = append(c.spoils[at], read)
	}
}

// tail is the last step of a path: what a shared type's finding has in common
// in all events that reach it.
func tail(path string) string {
	return path[strings.LastIndexAny(path, "/.")+1:]
}

// eventPath is OrderPaid.v1/lines[].price.
func eventPath(event contract.Name, p contract.Path) string {
	if len(p) == 0 {
		return event.String()
	}
	return event.String() + "/" + p.String()
}

func placeOf(e *contract.Event) source.Pos {
	switch {
	case e == nil:
		return source.Pos{}
	case e.Schema != nil:
		return e.Schema.Pos()
	}
	return e.Pos
}

// orPlace is a place, or the one that stands in for it.
func orPlace(pos, instead source.Pos) source.Pos {
	if pos.IsZero() {
		return instead
	}
	return pos
}
