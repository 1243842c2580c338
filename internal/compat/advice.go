package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// Version is what a change of an event asks for.
type Version string

const (
	SameRevision Version = "same"      // nothing that a reader depends on changed
	NewRevision  Version = "revision"  // a new revision of this major version
	NewMajor     Version = "major"     // readers break: publish the next major version beside this one
	NewEvent     Version = "new"       // the event was not there before
	GoneEvent    Version = "gone"      // the event is retired and gone
	GoneTooSoon  Version = "early"     // the event is gone while somebody may still read it
	OfDraft      Version = "draft"     // it was a draft, which promises nothing
	Unsure       Version = "undecided" // nobody can tell whether readers break
)

// Advice says which version a change of one event asks for, and why.
type Advice struct {
	Event   *contract.Event // the new one, the old one where it is gone
	Version Version
	Next    string   // the name to publish beside this one; only of a new major
	Because []Reason // what breaks, or what cannot be decided
	Readers []*contract.Consumer
}

// Reason is one finding as a changelog tells it.
type Reason struct {
	Rule      string
	Path      string // below the event; empty: all of it
	Message   string
	Consumers []string // whom it hits; "anyone" is whom nobody declared
	Waived    *rule.Waiver
}

// Advise gives the advice of every event in either set, in both directions and
// for every reader: those of the two sets, and the consumers of other
// repositories, whose sets have the contracts that they read by. What accept
// waives is told and asks for no new major version.
func Advise(next, prev *contract.Set, o Options, accept func(*rule.Report), others ...*contract.Set) []Advice {
	o.Compatibility = contract.Full
	r := Check(next, prev, o)
	for _, other := range others {
		o.Side = Readers
		r.Merge(Check(next, other, o))
	}
	accept(r)
	var all []Advice
	for _, p := range match(next, prev, o.Renamed) {
		a := adviceOf(p, r)
		for _, set := range append([]*contract.Set{next, prev}, others...) {
			for _, c := range set.Readers(a.Event.Name.Value) {
				if !slices.ContainsFunc(a.Readers, func(k *contract.Consumer) bool { return k.Name.Value == c.Name.Value }) {
					a.Readers = append(a.Readers, c)
				}
			}
		}
		all = append(all, a)
	}
	return all
}

func adviceOf(p pair, r *rule.Report) Advice {
	switch {
	case p.old == nil:
		return Advice{Event: p.new, Version: NewEvent}
	case p.new == nil:
		a := Advice{Event: p.old, Version: GoneEvent, Because: reasons(p, r)}
		if slices.ContainsFunc(a.Because, Reason.counts) {
			a.Version, a.Next = GoneTooSoon, ""
		}
		return a
	}
	a := Advice{Event: p.new, Version: NewRevision, Because: reasons(p, r)}
	switch {
	case p.old.Status.Value == contract.Draft:
		a.Version = OfDraft
	case slices.ContainsFunc(a.Because, func(b Reason) bool { return b.counts() && b.Rule != undecided.ID }):
		a.Version, a.Next = NewMajor, nextMajor(p.new)
	case slices.ContainsFunc(a.Because, Reason.counts):
		a.Version = Unsure
	case p.same() || p.new.Revision() == p.old.Revision():
		a.Version = SameRevision
	}
	return a
}

// counts reports whether nobody accepted it.
func (b Reason) counts() bool { return b.Waived == nil }

// nextMajor is the name to publish beside an event, "" for what has no version.
func nextMajor(e *contract.Event) string {
	name := e.Name.Value
	if name.Major == 0 {
		return ""
	}
	name.Major++
	return name.String()
}

// reasons are the errors of a report that hit an event.
func reasons(p pair, r *rule.Report) []Reason {
	name := p.name().String()
	var all []Reason
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity < rule.Error {
			continue
		}
		var hit []string
		for _, h := range f.Hits {
			who := h.Consumer
			if who == "" {
				who = "anyone"
			}
			if h.Event == name && !slices.Contains(hit, who) {
				hit = append(hit, who)
			}
		}
		if len(hit) > 0 {
			path := strings.TrimPrefix(strings.TrimPrefix(f.Path, name), "/")
			all = append(all, Reason{Rule: f.Rule, Path: path, Message: f.Message, Consumers: hit, Waived: f.Waived})
		}
	}
	return all
}

// String says the advice in a sentence.
func (a Advice) String() string {
	text := a.asks()
	if accepted := a.whom(func(b Reason) bool { return !b.counts() }); accepted != "" {
		text += "; it is accepted that this breaks " + accepted
	}
	return text
}

// asks says which version is asked for, and what breaks.
func (a Advice) asks() string {
	major := ""
	if v := a.Event.Name.Value.Major; v > 0 {
		major = fmt.Sprintf(" of v%d", v)
	}
	switch a.Version {
	case SameRevision:
		return "no new revision: nothing that a reader depends on changed"
	case NewRevision:
		if len(a.Because) > 0 {
			return "a new revision" + major
		}
		return "a new revision" + major + ": old readers can read it, and new ones what was sent before"
	case NewEvent:
		return "a new event"
	case GoneEvent:
		if a.Event.Status.Value != contract.Retired {
			return "it is gone, and nobody read it"
		}
		return "it was retired, and is gone"
	case GoneTooSoon:
		return "it is gone too soon, bring it back and retire it first: this breaks " + a.whom(Reason.counts)
	case OfDraft:
		return "it was a draft, which promises nothing: no new version"
	case Unsure:
		return "nobody can tell whether it is a new revision or a new major version"
	}
	if a.Next == "" {
		return "a new major version: this breaks " + a.whom(Reason.counts)
	}
	return fmt.Sprintf("a new major version: publish %s beside %s; this breaks %s", a.Next, a.Event.Name.Value, a.whom(Reason.counts))
}

// whom says who breaks for some reasons, and by which rules.
func (a Advice) whom(which func(Reason) bool) string {
	var who, rules []string
	for _, b := range a.Because {
		if !which(b) {
			continue
		}
		for _, c := range b.Consumers {
			if !slices.Contains(who, c) {
				who = append(who, c)
			}
		}
		if b.Rule != undecided.ID && !slices.Contains(rules, b.Rule) {
			rules = append(rules, b.Rule)
		}
	}
	if len(who) == 0 {
		return ""
	}
	slices.Sort(who)
	if len(rules) == 0 {
		return strings.Join(who, ", ")
	}
	return fmt.Sprintf("%s (%s)", strings.Join(who, ", "), strings.Join(rules, ", "))
}
