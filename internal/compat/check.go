package compat

import (
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// Options are what a command line may say about a check. The zero value takes
// everything from the new workspace.
type Options struct {
	Compatibility contract.Compatibility // forward, backward, full or none
	UnknownFields contract.Treatment     // of a reader that doesn't say
	UnknownEnums  contract.Treatment
	Writers       contract.Writers
	Encoding      contract.Encoding
	Renamed       map[string]string // bare mode: new message to old message

	// Side is who of the old set counts: all of it is the default.
	Side Side

	// Runs are the services, producers and consumers, that run the old revision
	// of their contracts; nil: all that it declares.
	Runs []string

	// Since are later revisions of the old set, of which the new one is none: what
	// was released in between.
	Since []*contract.Set

	// Memory keeps answers for the checks that share it; nil: each is asked anew.
	Memory *Memory
}

// Side says what the old set is to a check.
type Side uint8

const (
	Both    Side = iota // an earlier revision of the new set: it writes and it reads
	Readers             // another repository, whose consumers read what the new set writes
	Writers             // another repository, whose events the new set's consumers read
)

// Check judges a change: it asks whether deployed consumers can read the new
// set's events (forward) and whether the new set's consumers can read the old
// ones (backward). Reads are named by the trees' refs.
func Check(next, prev *contract.Set, o Options) *rule.Report {
	if o.Memory == nil {
		o.Memory = &Memory{OneBase: true}
	}
	c := &check{new: next, old: prev, options: o, gathered: map[string]int{}, report: &rule.Report{Command: "check", Docs: Docs()}}
	pairs := match(next, prev, o.Renamed)
	for _, p := range pairs {
		if p.new != nil {
			c.judge(p)
		}
	}
	for _, p := range pairs {
		if p.new == nil {
			c.removed(p)
		}
	}
	c.finish()
	return c.report
}

type check struct {
	new, old *contract.Set
	options  Options
	report   *rule.Report
	gathered map[string]int // what makes a finding one, to its index in the report
	spoils   [][]int        // for each finding, the reads that it spoils
	moved    struct {       // around the pair that was asked about last
		of pair
		by map[*Rule][]move
	}
}

// asked says what each compatibility asks for.
var asked = map[contract.Compatibility][]rule.Direction{
	contract.Forward:  {rule.Forward},
	contract.Backward: {rule.Backward},
	contract.Full:     {rule.Forward, rule.Backward},
}

// directions lists what is to be asked: what the command line says, else what
// the new workspace or the old one demands. A change cannot lift the gate that
// it has to pass itself.
func (c *check) directions() []rule.Direction {
	directions := c.demanded()
	only, one := map[Side]rule.Direction{Readers: rule.Forward, Writers: rule.Backward}[c.options.Side]
	return slices.DeleteFunc(slices.Clone(directions), func(d rule.Direction) bool { return one && d != only })
}

func (c *check) demanded() []rule.Direction {
	if c.options.Compatibility != "" {
		return asked[c.options.Compatibility]
	}
	next, prev := c.new.Workspace.Compatibility.Value, c.old.Workspace.Compatibility.Value
	if prev == "" || c.old.Bare {
		return asked[next]
	}
	var all []rule.Direction
	for _, d := range asked[contract.Full] {
		if slices.Contains(asked[next], d) || slices.Contains(asked[prev], d) {
			all = append(all, d)
		}
	}
	return all
}

// judge asks everything about one event. An old draft is not gated. A schema
// that was put off is read, and let go when the event is judged: never more than
// a few are in memory.
func (c *check) judge(p pair) {
	if !p.same() {
		p.read()
		defer p.release()
	}
	if p.old == nil || p.old.Status.Value == contract.Draft || p.unreadable() {
		return
	}
	for _, d := range c.directions() {
		if d == rule.Forward && p.new.Vendored && c.options.Side == Both {
			continue // its writer is elsewhere, and is judged there: nothing new is written here
		}
		for _, r := range c.readings(p, d) {
			if p.same() {
				c.open(r)
				continue
			}
			c.read(r)
		}
	}
}

// removed judges an event that the new set no longer declares. A retired event
// may go, and so may a draft.
func (c *check) removed(p pair) {
	copied := p.old.Vendored && c.options.Side == Both // a copy that is no longer needed
	if p.old.Status.Value == contract.Draft || copied {
		return
	}
	p.read()
	defer p.release()
	unknown := len(c.new.Findings) > 0 // what could not be read may be the event
	if p.old.Status.Value == contract.Retired || unknown || len(c.directions()) == 0 {
		return
	}
	var readers []string
	if c.anyone(p.old) {
		readers = append(readers, "")
	}
	for _, consumer := range c.old.Readers(p.old.Name.Value) {
		if c.runs(consumer.Name.Value) {
			readers = append(readers, consumer.Name.Value)
		}
	}
	for _, name := range readers {
		read := c.open(reading{event: p.name(), direction: rule.Forward, consumer: name})
		c.gather(read, p, eventRemoved, eventGone(p))
	}
}

// anyone reports whether an event is also judged for a reader whom nobody
// declared: where it is written, and unless it says that there is none.
func (c *check) anyone(e *contract.Event) bool {
	return c.options.Side == Both && !e.Vendored && c.runs(e.Producer.Value) && e.Audience.Value != contract.ClosedAudience
}

// runs reports whether a service runs the old revision.
func (c *check) runs(service string) bool {
	return c.options.Runs == nil || slices.Contains(c.options.Runs, service)
}

// read asks one question and gathers its answer.
func (c *check) read(r reading) {
	read := c.open(r)
	for _, by := range Rules {
		if by.moved == nil || r.pair.new.Synthetic && !by.bare {
			continue
		}
		for _, m := range c.moves(by, r.pair) {
			if m.direction == "" || m.direction == r.direction {
				c.gather(read, r.pair, by, m)
			}
		}
	}
	if !unparsable(r.pair) {
		c.payload(read, r)
	}
}

// moves asks a rule once about a pair, however many read it.
func (c *check) moves(by *Rule, p pair) []move {
	if p != c.moved.of {
		c.moved.of, c.moved.by = p, map[*Rule][]move{}
	}
	found, known := c.moved.by[by]
	if !known {
		found = by.moved(p)
		c.moved.by[by] = found
	}
	return found
}

// unparsable reports whether a rule has said already that no payload of the one
// can be read as the other.
func unparsable(p pair) bool {
	return !p.new.Synthetic && p.new.Encoding() != p.old.Encoding()
}

// open enters a read that holds until a finding says otherwise.
func (c *check) open(r reading) int {
	reader, writer := party(c.old), party(c.new)
	if r.direction == rule.Backward {
		reader, writer = writer, reader
	}
	reader.Consumer = r.consumer
	c.report.Reads = append(c.report.Reads, rule.Read{
		Event: r.event.String(), Direction: r.direction, Reader: reader, Writer: writer, Answer: rule.Holds,
	})
	return len(c.report.Reads) - 1
}

func party(s *contract.Set) rule.Party { return rule.Party{Ref: s.Tree.Ref, Repo: s.Repo} }

// finish writes each read's findings, now that they are final.
func (c *check) finish() {
	for i, reads := range c.spoils {
		for _, r := range reads {
			read := &c.report.Reads[r]
			read.Findings = append(read.Findings, c.report.Findings[i].Fingerprint)
		}
	}
	c.report.Sort()
}
