package compat

import (
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// reading is one question with the names that a report gives it.
type reading struct {
	event     contract.Name
	direction rule.Direction
	consumer  string // empty: the reader whom nobody declared
	pair      pair
	question  Question
}

// readings lists who reads a pair of revisions and how. Forward judges what is
// deployed: the consumers that the old set declares. Backward judges what comes:
// those of the new set. An open event is also judged for one undeclared reader.
func (c *check) readings(p pair, d rule.Direction) []reading {
	reader, writer, declared := p.old, p.new, c.old.Consumers
	if d == rule.Backward {
		reader, writer, declared = p.new, p.old, c.new.Consumers
		if !c.runs(writer.Producer.Value) {
			return nil
		}
	}
	base := reading{event: p.name(), direction: d, pair: p, question: Question{Reader: reader, Writer: writer, As: c.assumptions(writer), Between: c.between(p)}}
	var all []reading
	if c.anyone(reader) {
		all = append(all, base)
	}
	for _, consumer := range declared {
		if how := consumer.Reading(reader.Name.Value); how != nil && (d == rule.Backward || c.runs(consumer.Name.Value)) {
			all = append(all, base.by(consumer, how))
		}
	}
	return all
}

// between lists an event's revisions that were released between the two of a
// pair.
func (c *check) between(p pair) []Release {
	var all []Release
	for _, set := range c.options.Since {
		e := set.Event(p.old.Name.Value)
		if e == nil {
			e = set.Event(p.new.Name.Value)
		}
		if e == nil && set.Bare && len(set.Events) == 1 {
			e = set.Events[0]
		}
		if e != nil {
			all = append(all, Release{set.Tree.Ref, e})
		}
	}
	return all
}

// assumptions are the defaults of the workspace and the command line.
func (c *check) assumptions(writer *contract.Event) Assumptions {
	as := Assumptions{
		UnknownFields: contract.Ignore,
		UnknownEnums:  c.options.UnknownEnums,
		Writers:       c.new.Workspace.Writers.Value,
		Encoding:      writer.Encoding(),
	}
	override(&as.UnknownFields, c.options.UnknownFields)
	override(&as.Writers, c.options.Writers)
	override(&as.Encoding, c.options.Encoding)
	return as
}

func override[T ~string](value *T, by T) {
	if by != "" {
		*value = by
	}
}

// by is the reading as a declared consumer does it.
func (r reading) by(consumer *contract.Consumer, how *contract.Reading) reading {
	as := &r.question.As
	r.consumer, as.Declared = consumer.Name.Value, true
	override(&as.UnknownFields, how.UnknownFields.Value)
	override(&as.UnknownEnums, how.UnknownEnums.Value)
	for _, f := range how.Fields {
		as.Fields = append(as.Fields, f.Value)
	}
	if as.Fields != nil {
		as.Fields = append(as.Fields, identityPaths(r.question.Reader)...)
	}
	return r
}

// identityPaths are always read: without them nothing can be handled once.
func identityPaths(e *contract.Event) []contract.Path {
	var paths []contract.Path
	for _, r := range e.Identity.Roles() {
		if r.Set() && r.Locator.Value.Carrier == contract.InPayload {
			paths = append(paths, r.Locator.Value.Path)
		}
	}
	return paths
}
