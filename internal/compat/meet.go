package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// Party is one revision of one service, a producer or a consumer: what its
// repository declares there.
type Party struct {
	Service string
	Ref     string // as reports name it
	Set     *contract.Set
}

// Meeting is a reader that may meet a writer's events, of whatever revisions.
type Meeting struct {
	Reader, Writer Party
	Direction      rule.Direction // forward: the writer is the newer of the two
	Memory         *Memory        // keeps answers for the meetings that share it; nil: each is asked anew

	Handled  []contract.Name // events that other revisions of the reader's service read
	Received []contract.Name // events that what runs, or ran, of the writer's service sends
}

// Meetings asks each question once: releases that left alone what two services
// say to each other share an answer. The zero value is ready.
type Meetings struct {
	memory  Memory
	reports map[string]*rule.Report
	texts   map[Party][2]string // what a party reads and writes
}

// Meet is Meet, or what it answered before: its places are of the revisions that
// were asked about first.
func (ms *Meetings) Meet(m Meeting) *rule.Report {
	if ms.reports == nil {
		ms.reports, ms.texts = map[string]*rule.Report{}, map[Party][2]string{}
	}
	key := fmt.Sprint(m.Direction, ms.text(m.Reader)[0], ms.text(m.Writer)[1], m.Writer.Service, m.Handled, m.Received)
	if ms.reports[key] == nil {
		m.Memory = &ms.memory
		ms.reports[key] = Meet(m)
	}
	return ms.reports[key]
}

func (ms *Meetings) text(p Party) [2]string {
	text, known := ms.texts[p]
	if !known {
		text = [2]string{p.reads(), p.Writes()}
		ms.texts[p] = text
	}
	return text
}

// Asked is how many questions were really asked.
func (ms *Meetings) Asked() int { return len(ms.reports) }

// Writes says in a text what a service emits in this revision: equal texts, equal
// events.
func (p Party) Writes() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", p.Set.Workspace.Writers.Value, p.Set.Workspace.Formats.Value)
	for _, e := range p.Sends() {
		writeRevision(&b, e)
	}
	return b.String()
}

// reads says in a text what a service reads in this revision, and how.
func (p Party) reads() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\n", p.Service, p.Set.Workspace.Writers.Value, p.Set.Workspace.Formats.Value)
	consumer := p.Consumer()
	if consumer == nil {
		return b.String()
	}
	for _, how := range consumer.Reads {
		fmt.Fprintf(&b, "%s %s %s", how.Event.Value, how.UnknownFields.Value, how.UnknownEnums.Value)
		for _, f := range how.Fields {
			fmt.Fprintf(&b, " %s", f.Value)
		}
		b.WriteByte('\n')
		if e := p.Set.Event(how.Event.Value); e != nil {
			writeRevision(&b, e)
		}
	}
	return b.String()
}

// Says is what a service emits and reads in this revision, as a text.
func (p Party) Says() string { return p.Writes() + p.reads() }

func writeRevision(b *strings.Builder, e *contract.Event) {
	fmt.Fprintf(b, "%s %s %s %s", e.Name.Value, e.Revision(), e.Status.Value, e.Producer.Value)
	for _, to := range slices.Sorted(maps.Keys(e.Renamed)) {
		fmt.Fprintf(b, " %q=%q", to, e.Renamed[to].Value)
	}
	fmt.Fprintf(b, " %t\n", e.Schema != nil)
}

// Meet asks of every event that the writer emits and the reader reads whether it
// can. A report without reads says that it reads nothing of it.
func Meet(m Meeting) *rule.Report {
	if m.Memory == nil {
		m.Memory = &Memory{}
	}
	c := &check{new: m.Writer.Set, old: m.Reader.Set, options: Options{Memory: m.Memory}, gathered: map[string]int{},
		report: &rule.Report{Command: "rollout", Docs: Docs()}}
	if m.Direction == rule.Backward {
		c.new, c.old = c.old, c.new
	}
	if consumer := m.Reader.Consumer(); consumer != nil {
		for i := range consumer.Reads {
			c.meet(m, consumer, &consumer.Reads[i])
		}
		c.passedOver(m, consumer)
	}
	c.finish()
	for i := range c.report.Reads {
		r := &c.report.Reads[i]
		r.Reader.Ref, r.Writer.Ref = m.Reader.Ref, m.Writer.Ref
	}
	return c.report
}

// Consumer is how the service reads, nil where it reads nothing.
func (p Party) Consumer() *contract.Consumer {
	for _, c := range p.Set.Consumers {
		if c.Name.Value == p.Service {
			return c
		}
	}
	return nil
}

// Sends lists the events that the service emits.
func (p Party) Sends() []*contract.Event {
	var sent []*contract.Event
	for _, e := range p.Set.Events {
		if !e.Vendored && e.Producer.Value == p.Service {
			sent = append(sent, e)
		}
	}
	return sent
}

// sent is an event that a writer emits, nil where it does not.
func (p Party) sent(name contract.Name) *contract.Event {
	if e := p.Set.Event(name); e != nil && !e.Vendored && e.Producer.Value == p.Service {
		return e
	}
	return nil
}

// meet asks about one event.
func (c *check) meet(m Meeting, consumer *contract.Consumer, how *contract.Reading) {
	name := how.Event.Value
	reader, writer := m.Reader.Set.Event(name), m.Writer.sent(name)
	p := pair{new: writer, old: reader}
	if m.Direction == rule.Backward {
		p.new, p.old = reader, writer
	}
	r := reading{event: name, direction: m.Direction, consumer: consumer.Name.Value, pair: p}
	switch {
	case writer == nil:
		c.missed(m, r, reader)
		return
	case reader == nil:
		c.unvendored(r, m, writer)
		return
	case p.old.Status.Value == contract.Draft:
		return
	}
	r.question = Question{Reader: reader, Writer: writer, As: c.assumptions(writer)}
	r.question.As.Writers = m.Writer.Set.Workspace.Writers.Value
	c.read(r.by(consumer, how))
	if m.Direction == rule.Backward {
		c.elsewhere(p)
	}
}

// missed tells an event that a reader knows as the writer's and that the writer
// has ceased to send. One that it does not send yet is not missed.
func (c *check) missed(m Meeting, r reading, known *contract.Event) {
	if m.Direction == rule.Backward || known == nil || known.Producer.Value != m.Writer.Service || known.Status.Value == contract.Retired {
		return
	}
	c.gather(c.open(r), r.pair, eventRemoved, eventGone(r.pair))
}

// unvendored is a read of which nobody can tell: the reader's repository holds no
// contract of the event.
func (c *check) unvendored(r reading, m Meeting, writer *contract.Event) {
	reason := fmt.Sprintf("%s %s holds no contract of the event that it reads: run evcontract vendor in its repository", m.Reader.Service, m.Reader.Ref)
	r.pair = pair{new: writer, old: writer}
	read := c.open(r)
	c.report.Reads[read].Reason = reason
	c.undecided(read, r, reason, fmt.Sprintf("Run evcontract vendor in the repository of %s.", m.Reader.Service))
}

// passedOver tells events that the reader no longer reads because it reads another
// major version of them, which this writer does not send: it sees nothing of what
// happened. Nobody misses what no revision of the reader's service has read, and
// what it reads in advance of the first writer.
func (c *check) passedOver(m Meeting, consumer *contract.Consumer) {
	for _, sent := range m.Writer.Sends() {
		name := sent.Name.Value
		if sent.Status.Value == contract.Draft || sent.Status.Value == contract.Retired || consumer.Reading(name) != nil {
			continue
		}
		for i := range consumer.Reads {
			instead := consumer.Reads[i].Event.Value
			known := m.Reader.Set.Event(instead)
			if instead.Base != name.Base || known == nil || known.Producer.Value != m.Writer.Service || m.Writer.sendsAnother(consumer, name) || c.asked(instead) {
				continue
			}
			if slices.Contains(m.Handled, name) || slices.Contains(m.Received, instead) {
				c.passed(m, consumer, known, sent)
				break
			}
		}
	}
}

// sendsAnother reports whether a consumer gets what an event tells in another
// major version.
func (p Party) sendsAnother(consumer *contract.Consumer, name contract.Name) bool {
	return slices.ContainsFunc(p.Sends(), func(e *contract.Event) bool {
		return e.Name.Value.Base == name.Base && consumer.Reading(e.Name.Value) != nil
	})
}

// asked reports whether something was said of an event: that it is gone is said once.
func (c *check) asked(name contract.Name) bool {
	return slices.ContainsFunc(c.report.Reads, func(r rule.Read) bool { return r.Event == name.String() })
}

func (c *check) passed(m Meeting, consumer *contract.Consumer, known, sent *contract.Event) {
	p := pair{new: sent, old: known}
	if m.Direction == rule.Backward {
		p.new, p.old = known, sent
	}
	name := sent.Name.Value
	read := c.open(reading{event: name, direction: m.Direction, consumer: consumer.Name.Value, pair: p})
	c.add(read, rule.Finding{
		Rule: eventRemoved.ID, Severity: eventRemoved.Severity, Path: name.String(),
		Message: fmt.Sprintf("%s: %s reads %s in its place, and this is sent as %s only: it sees nothing of it", name, consumer.Name.Value, known.Name.Value, name),
		Fix:     fmt.Sprintf("Let %s read both until nothing is left that was sent as %s only.", consumer.Name.Value, name),
		New:     p.new.Pos, Old: p.old.Pos,
		Fingerprint: rule.Fingerprint(eventRemoved.ID, name.String(), known.Name.Value.String(), consumer.Name.Value),
	}, string(m.Direction))
}

// elsewhere tells what a new reader suffers while the old writer still sends, or
// what it sent is still there: it listens to another topic, or two partitions of
// one topic overtake each other. A check judges such a change once, as it hits
// the deployed readers; side by side it hits both.
func (c *check) elsewhere(p pair) {
	for _, m := range topicMoves(p) {
		m.message = fmt.Sprintf("%s: channel.topic was %s and is %s: new consumers do not receive what is still sent to the old one", p.name(), p.old.Channel.Topic.Value, orNothing(p.new.Channel.Topic.Value))
		c.gather(len(c.report.Reads)-1, p, topicMoved, m)
	}
	for _, m := range partitionMoves(p) {
		c.gather(len(c.report.Reads)-1, p, partitionMoved, m)
	}
}

// AnswerOf sums a meeting up: refuted before unknown before holds. Findings that
// a waiver accepts do not count. It is empty where nothing is read.
func AnswerOf(r *rule.Report) rule.Answer {
	switch r.Verdict() {
	case rule.Breaking:
		return rule.Refuted
	case rule.Undecided:
		return rule.Unknown
	}
	if len(r.Reads) == 0 {
		return ""
	}
	return rule.Holds
}
