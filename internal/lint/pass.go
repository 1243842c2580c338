package lint

import (
	"fmt"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// Pass is one rule at work on one set.
type Pass struct {
	Set *contract.Set
	Now time.Time

	*facts
	rules    []string // the ids of all rules
	offences []*offence
	shared   map[spot]*offence // those about schemas, to find one again
}

// offence is what a check notes; its rule completes it.
type offence struct {
	rule.Finding
	abouts []string // what tells it from another at the same path
}

func (o *offence) about(what ...string) *offence {
	o.abouts = append(o.abouts, what...)
	return o
}

func (o *offence) fix(format string, args ...any) *offence {
	o.Fix = fmt.Sprintf(format, args...)
	return o
}

// declared lists the events that a manifest declares; a bare schema promises
// nothing that a manifest could.
func (p *Pass) declared() []*contract.Event {
	var events []*contract.Event
	for _, e := range p.Set.Events {
		if !e.Synthetic && !e.Vendored { // a copy is linted where it is written
			events = append(events, e)
		}
	}
	return events
}

// note keeps an offence. Where the place of what is missing is unknown, it is
// the place of what it is missing from.
func (p *Pass) note(path string, places []source.Pos, format string, args ...any) *offence {
	o := &offence{Finding: rule.Finding{Path: path, Message: fmt.Sprintf(format, args...), New: orPos(places...)}}
	p.offences = append(p.offences, o)
	return o
}

// event notes that something about an event is wrong.
func (p *Pass) event(e *contract.Event, at source.Pos, format string, args ...any) *offence {
	o := p.note(subject(e), []source.Pos{at, e.Name.Pos, e.Pos}, format, args...)
	o.Hits = []rule.Hit{{Event: e.Name.Value.String()}}
	return o
}

// field notes that something about a field of an event is wrong.
func (p *Pass) field(e *contract.Event, path string, at source.Pos, format string, args ...any) *offence {
	o := p.event(e, at, format, args...)
	o.Path += "/" + path
	return o
}

// consumer notes that something about a consumer is wrong.
func (p *Pass) consumer(c *contract.Consumer, at source.Pos, format string, args ...any) *offence {
	return p.note(c.Name.Value, []source.Pos{at, c.Name.Pos, c.Pos}, format, args...)
}

// reading notes that something about how a consumer reads an event is wrong.
// The path is one of the event's, or "".
func (p *Pass) reading(c *contract.Consumer, r *contract.Reading, path string, at source.Pos, format string, args ...any) *offence {
	name := r.Event.Value.String()
	full := name
	if path != "" {
		full += "/" + path
	}
	o := p.note(full, []source.Pos{at, r.Event.Pos, r.Pos, c.Pos}, format, args...)
	o.Hits = []rule.Hit{{Event: name, Consumer: c.Name.Value}}
	return o.about(c.Name.Value)
}

// subject is an event's name, or its file where the name could not be read.
func subject(e *contract.Event) string {
	if name := e.Name.Value.String(); name != "" {
		return name
	}
	return e.Pos.File
}

// orPos is the first place that is known.
func orPos(places ...source.Pos) source.Pos {
	for _, at := range places {
		if !at.IsZero() {
			return at
		}
	}
	return source.Pos{}
}
