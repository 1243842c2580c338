package compat

import (
	"maps"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
)

// pair is one event in two revisions; either may be missing.
type pair struct {
	new, old *contract.Event
}

// name is what the pair is called in reads and findings.
func (p pair) name() contract.Name {
	if p.new != nil {
		return p.new.Name.Value
	}
	return p.old.Name.Value
}

// match decides which old event is which new one. Declared events pair by their
// name, wherever their files went. Bare schemas pair by the names the command
// line gives, then because there is one on each side, then by relative path or
// message name, then by $id.
func match(next, prev *contract.Set, renamed map[string]string) []pair {
	if next.Bare && prev.Bare && len(next.Events) == 1 && len(prev.Events) == 1 {
		return []pair{{next.Events[0], prev.Events[0]}}
	}
	left := map[string][]*contract.Event{}
	for _, e := range prev.Events {
		left[e.Name.Value.String()] = append(left[e.Name.Value.String()], e)
	}
	var pairs []pair
	for _, e := range next.Events {
		name := e.Name.Value.String()
		if old, ok := renamed[name]; ok {
			name = old
		}
		p := pair{new: e}
		if same := left[name]; len(same) > 0 {
			p.old, left[name] = same[0], same[1:]
		}
		pairs = append(pairs, p)
	}
	pairs = append(matchIDs(pairs, left), alone(prev.Events, left)...)
	slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.name().String(), b.name().String()) })
	return pairs
}

// matchIDs pairs bare JSON Schemas that moved by their $id.
func matchIDs(pairs []pair, left map[string][]*contract.Event) []pair {
	byID := map[string]*contract.Event{}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		for _, e := range left[name] {
			if id := schemaID(e); id != "" && byID[id] == nil {
				byID[id] = e
			}
		}
	}
	for i := range pairs {
		p := &pairs[i]
		if p.old != nil {
			continue
		}
		id := schemaID(p.new)
		if p.old = byID[id]; p.old == nil {
			continue
		}
		delete(byID, id)
		name := p.old.Name.Value.String()
		left[name] = slices.DeleteFunc(slices.Clone(left[name]), func(e *contract.Event) bool { return e == p.old })
	}
	return pairs
}

// alone lists the old events that found no new one, in their order.
func alone(events []*contract.Event, left map[string][]*contract.Event) []pair {
	var pairs []pair
	for _, e := range events {
		if slices.Contains(left[e.Name.Value.String()], e) {
			pairs = append(pairs, pair{old: e})
		}
	}
	return pairs
}

// same reports whether both revisions are of the same bytes: then the one reads
// the other, and neither was compiled.
func (p pair) same() bool {
	return p.new != nil && p.old != nil && p.new.Content != "" && p.new.Content == p.old.Content
}

// read reads the schemas that were put off.
func (p pair) read() {
	for _, e := range []*contract.Event{p.new, p.old} {
		if e != nil {
			e.Read()
		}
	}
}

func (p pair) release() {
	for _, e := range []*contract.Event{p.new, p.old} {
		if e != nil {
			e.Release()
		}
	}
}

// unreadable reports whether a bare schema cannot be read: then it is no event,
// and what is wrong with it was said.
func (p pair) unreadable() bool {
	return p.new.Synthetic && p.new.Schema == nil && !p.same() || p.old.Synthetic && p.old.Schema == nil && !p.same()
}

// schemaID is the $id of a bare JSON Schema.
func schemaID(e *contract.Event) string {
	s, ok := e.Schema.(*jsonschema.Schema)
	if !ok || !e.Synthetic {
		return ""
	}
	if id := s.RootRef().Node.Get("$id"); id != nil {
		return id.Text
	}
	return ""
}
