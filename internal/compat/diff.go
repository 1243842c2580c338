package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Change is one difference between two revisions, breaking or not, in words.
type Change struct {
	Event    string // OrderPaid.v1, or a consumer's name
	Mark     Mark
	Path     string // of a field, or of what the manifest says; empty: the whole
	Text     string
	New, Old source.Pos
}

// Mark says how a change is shown in the margin.
type Mark string

const (
	Added   Mark = "+"
	Removed Mark = "-"
	Changed Mark = "~"
)

// Diff lists every change between two sets, by event and then in the order of
// the new schema. Moving a file, and a comment, is no change.
func Diff(next, prev *contract.Set, renamed map[string]string) []Change {
	var changes []Change
	for _, p := range match(next, prev, renamed) {
		changes = append(changes, diffPair(p)...)
	}
	return append(changes, diffConsumers(next, prev)...)
}

func diffPair(p pair) []Change {
	name := p.name().String()
	switch {
	case p.old == nil:
		return []Change{{Event: name, Mark: Added, Text: "a new event", New: p.new.Pos}}
	case p.new == nil:
		return []Change{{Event: name, Mark: Removed, Text: "the event is gone", Old: p.old.Pos}}
	}
	changes := diffManifest(p)
	if p.new.Schema != nil && p.old.Schema != nil {
		changes = append(changes, diffFields(p)...)
	}
	for i := range changes {
		changes[i].Event = name
	}
	return changes
}

// said is one thing that a manifest says, as words.
type said struct {
	path string
	is   string
	at   source.Pos
}

func diffManifest(p pair) []Change {
	return diffSaid(manifestSays(p.new), manifestSays(p.old))
}

func manifestSays(e *contract.Event) []said {
	all := []said{
		{"summary", e.Summary.Value, e.Summary.Pos},
		{"owner", e.Owner.Value, e.Owner.Pos},
		{"producer", e.Producer.Value, e.Producer.Pos},
		{"status", string(e.Status.Value), e.Status.Pos},
		{"audience", string(e.Audience.Value), e.Audience.Pos},
		{"identity.aggregate.type", e.Identity.Aggregate.Type.Value, e.Identity.Aggregate.Type.Pos},
	}
	for _, r := range e.Identity.Roles() {
		if r.Name != "idempotency_key" && r.Set() {
			all = append(all, said{"identity." + r.Name, written(r), r.Locator.Pos})
		}
	}
	if key := e.Identity.IdempotencyKey; len(key) > 0 {
		all = append(all, said{"identity.idempotency_key", keyText(key), firstPlace(key)})
	}
	all = append(all,
		said{"channel.topic", e.Channel.Topic.Value, e.Channel.Topic.Pos},
		said{"channel.encoding", string(e.Encoding()), orPlace(e.Channel.Encoding.Pos, e.Pos)})
	if d := e.Deprecated; d != nil {
		all = append(all, said{"deprecated.sunset", d.Sunset.Value.String(), d.Sunset.Pos}, said{"deprecated.successor", d.Successor.Value.String(), d.Successor.Pos})
	}
	return all
}

// diffSaid compares two lists of what is said, by path.
func diffSaid(next, prev []said) []Change {
	var changes []Change
	for _, n := range next {
		switch was, known := find(prev, n.path); {
		case !known && n.is != "":
			changes = append(changes, Change{Mark: Added, Path: n.path, Text: "is " + shortly(n.is), New: n.at})
		case known && was.is != n.is:
			changes = append(changes, Change{Mark: Changed, Path: n.path, Text: fromTo(was.is, n.is), New: n.at, Old: was.at})
		}
	}
	for _, o := range prev {
		if _, known := find(next, o.path); !known && o.is != "" {
			changes = append(changes, Change{Mark: Removed, Path: o.path, Text: "was " + shortly(o.is), Old: o.at})
		}
	}
	return changes
}

// fromTo says what became of a value; where the words show no difference, that
// there is one.
func fromTo(was, is string) string {
	if was, is = shortly(was), shortly(is); was != is {
		return fmt.Sprintf("was %s, is %s", orNothing(was), orNothing(is))
	}
	return fmt.Sprintf("says something else: %s", is)
}

// maxTold is how many characters of a value are told.
const maxTold = 80

func shortly(text string) string {
	if told := []rune(text); len(told) > maxTold {
		return string(told[:maxTold]) + "…"
	}
	return text
}

func find(all []said, path string) (said, bool) {
	i := slices.IndexFunc(all, func(s said) bool { return s.path == path })
	if i < 0 {
		return said{}, false
	}
	return all[i], true
}

// diffFields compares what the two schemas say of each path.
func diffFields(p pair) []Change {
	next, prev := byPath(p.new.Schema.Fields()), byPath(p.old.Schema.Fields())
	changes := diffWhole(p)
	for _, f := range p.new.Schema.Fields() {
		path := f.Path.String()
		was, known := prev[path]
		if !known {
			changes = append(changes, Change{Mark: Added, Path: path, Text: describe(f), New: f.Pos})
			continue
		}
		for _, text := range fieldChanges(f, was) {
			changes = append(changes, Change{Mark: Changed, Path: path, Text: text, New: f.Pos, Old: was.Pos})
		}
	}
	for _, f := range p.old.Schema.Fields() {
		if _, known := next[f.Path.String()]; !known {
			changes = append(changes, Change{Mark: Removed, Path: f.Path.String(), Text: describe(f), Old: f.Pos})
		}
	}
	if len(changes) == 0 && p.new.Schema.Digest() != p.old.Schema.Digest() {
		changes = append(changes, Change{Mark: Changed, Path: p.new.Schema.Root(), Text: "the schema says something else that touches no field by itself", New: p.new.Schema.Pos(), Old: p.old.Schema.Pos()})
	}
	return changes
}

// diffWhole compares what the two schemas say of the event as a whole.
func diffWhole(p pair) []Change {
	is, err := p.new.Schema.Field(nil)
	was, wasErr := p.old.Schema.Field(nil)
	if err != nil || wasErr != nil {
		return nil
	}
	var changes []Change
	for _, text := range fieldChanges(is, was) {
		changes = append(changes, Change{Mark: Changed, Text: text, New: is.Pos, Old: was.Pos})
	}
	return changes
}

func byPath(fields []contract.Field) map[string]contract.Field {
	m := make(map[string]contract.Field, len(fields))
	for _, f := range fields {
		m[f.Path.String()] = f
	}
	return m
}

// describe is a field in a few words: string (uuid), required.
func describe(f contract.Field) string {
	words := []string{typeText(f)}
	if slices.ContainsFunc(f.Constraints, func(c contract.Constraint) bool { return c.Keyword == "null" }) {
		words[0] += " or null"
	}
	if f.Presence != contract.NoPresence {
		words = append(words, presence(f))
	}
	return strings.Join(words, ", ")
}

func typeText(f contract.Field) string {
	switch {
	case f.Type == contract.EnumType:
		return "enum of " + strings.Join(f.Values, " ")
	case f.Format != "":
		return fmt.Sprintf("%s (%s)", f.Type, f.Format)
	}
	return string(f.Type)
}

func presence(f contract.Field) string {
	if f.Presence == contract.Implicit {
		return "the zero value if not sent"
	}
	return string(f.Presence)
}

func fieldChanges(f, was contract.Field) []string {
	var texts []string
	if f.Type == contract.EnumType && was.Type == contract.EnumType {
		texts = append(texts, valueChanges(f.Values, was.Values)...)
	} else if typeText(f) != typeText(was) {
		texts = append(texts, fmt.Sprintf("was %s, is %s", typeText(was), typeText(f)))
	}
	if f.Presence != was.Presence && f.Presence != contract.NoPresence && was.Presence != contract.NoPresence {
		texts = append(texts, fmt.Sprintf("was %s, is %s", presence(was), presence(f)))
	}
	if f.Deprecated && !was.Deprecated {
		texts = append(texts, "is deprecated now")
	}
	return append(texts, constraintChanges(f.Constraints, was.Constraints)...)
}

func constraintChanges(next, prev []contract.Constraint) []string {
	of := func(list []contract.Constraint, keyword string) (contract.Constraint, bool) {
		i := slices.IndexFunc(list, func(c contract.Constraint) bool { return c.Keyword == keyword })
		if i < 0 {
			return contract.Constraint{}, false
		}
		return list[i], true
	}
	var texts []string
	for _, c := range next {
		switch was, known := of(prev, c.Keyword); {
		case !known:
			texts = append(texts, c.Keyword+" is "+shortly(c.Value))
		case c.Digest != was.Digest || c.Digest == "" && c.Value != was.Value:
			texts = append(texts, c.Keyword+" "+fromTo(was.Value, c.Value))
		}
	}
	for _, c := range prev {
		if _, known := of(next, c.Keyword); !known {
			texts = append(texts, c.Keyword+" was "+shortly(c.Value))
		}
	}
	return texts
}

func valueChanges(next, prev []string) []string {
	var texts []string
	for _, v := range next {
		if !slices.Contains(prev, v) {
			texts = append(texts, "may be "+v+" now")
		}
	}
	for _, v := range prev {
		if !slices.Contains(next, v) {
			texts = append(texts, "is never "+v+" any more")
		}
	}
	return texts
}

// diffConsumers tells which consumers came, went, and read otherwise.
func diffConsumers(next, prev *contract.Set) []Change {
	var changes []Change
	for _, c := range next.Consumers {
		was := consumerNamed(prev, c.Name.Value)
		if was == nil {
			changes = append(changes, Change{Event: c.Name.Value, Mark: Added, Text: "a new consumer", New: c.Pos})
			continue
		}
		for _, change := range diffSaid(consumerSays(c), consumerSays(was)) {
			change.Event = c.Name.Value
			changes = append(changes, change)
		}
	}
	for _, c := range prev.Consumers {
		if consumerNamed(next, c.Name.Value) == nil {
			changes = append(changes, Change{Event: c.Name.Value, Mark: Removed, Text: "the consumer is gone", Old: c.Pos})
		}
	}
	return changes
}

func consumerNamed(s *contract.Set, name string) *contract.Consumer {
	for _, c := range s.Consumers {
		if c.Name.Value == name {
			return c
		}
	}
	return nil
}

func consumerSays(c *contract.Consumer) []said {
	all := []said{{"owner", c.Owner.Value, c.Owner.Pos}}
	for i := range c.Reads {
		r := &c.Reads[i]
		event := "reads " + r.Event.Value.String()
		all = append(all,
			said{event + " fields", fieldList(r.Fields), r.Pos},
			said{event + " order", string(r.Order.Value), r.Order.Pos},
			said{event + " unknown_fields", string(r.UnknownFields.Value), r.UnknownFields.Pos},
			said{event + " unknown_enums", string(r.UnknownEnums.Value), r.UnknownEnums.Pos},
			said{event + " upcast", upcastName(r.Upcast.Value), r.Upcast.Pos})
	}
	return all
}

// upcastName is the target of an upcast, "" where there is none.
func upcastName(n contract.Name) string {
	if n.Base == "" {
		return ""
	}
	return n.String()
}

func fieldList(fields []source.At[contract.Path]) string {
	if len(fields) == 0 {
		return "every field"
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Value.String())
	}
	return strings.Join(names, ", ")
}
