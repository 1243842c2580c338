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
}

// Advise gives the advice of every event in either set, in both directions and
// for every reader: those of the two sets, and the consumers of other
// repositories, whose sets have the contracts that they read by.
func Advise(next, prev *contract.Set, o Options, others ...*contract.Set) []Advice {
	o.Compatibility = contract.Full
	r := Check(next, prev, o)
	for _, other := range others {
		o.Side = Readers
		r.Merge(Check(next, other, o))
	}
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
		if len(a.Because) > 0 {
			a.Version, a.Next = NewMajor, nextMajor(p.old)
		}
		return a
	}
	a := Advice{Event: p.new, Version: NewRevision, Because: reasons(p, r)}
	switch {
	case p.old.Status.Value == contract.Draft:
		a.Version = OfDraft
	case slices.ContainsFunc(a.Because, func(b Reason) bool { return b.Rule != undecided.ID }):
		a.Version, a.Next = NewMajor, nextMajor(p.new)
	case len(a.Because) > 0:
		a.Version = Unsure
	case p.same() || p.new.Revision() == p.old.Revision():
		a.Version = SameRevision
	}
	return a
}

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
			all = append(all, Reason{Rule: f.Rule, Path: path, Message: f.Message, Consumers: hit})
		}
	}
	return all
}

// String says the advice in a sentence.
func (a Advice) String() string {
	major := ""
	if v := a.Event.Name.Value.Major; v > 0 {
		major = fmt.Sprintf(" of v%d", v)
	}
	switch a.Version {
	case SameRevision:
		return "no new revision: nothing that a reader depends on changed"
	case NewRevision:
		return "a new revision" + major + ": old readers can read it, and new ones what was sent before"
	case NewEvent:
		return "a new event"
	case GoneEvent:
		return "it was retired, and is gone"
	case OfDraft:
		return "it was a draft, which promises nothing: no new version"
	case Unsure:
		return "nobody can tell whether it is a new revision or a new major version"
	}
	if a.Next == "" {
		return "a new major version: " + a.whom()
	}
	return fmt.Sprintf("a new major version: publish %s beside %s; %s", a.Next, a.Event.Name.Value, a.whom())
}

// whom says who breaks, and by which rules.
func (a Advice) whom() string {
	var who, rules []string
	for _, b := range a.Because {
		for _, c := range b.Consumers {
			if !slices.Contains(who, c) {
				who = append(who, c)
			}
		}
		if b.Rule != undecided.ID && !slices.Contains(rules, b.Rule) {
			rules = append(rules, b.Rule)
		}
	}
	slices.Sort(who)
	return fmt.Sprintf("this breaks %s (%s)", strings.Join(who, ", "), strings.Join(rules, ", "))
}
