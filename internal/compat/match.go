package compat

import (
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
	left := slices.Clone(prev.Events)
	var pairs []pair
	for _, e := range next.Events {
		pairs = append(pairs, pair{new: e, old: take(&left, namesake(e, renamed))})
	}
	for i := range pairs {
		if p := &pairs[i]; p.old == nil && schemaID(p.new) != "" {
			p.old = take(&left, func(old *contract.Event) bool { return schemaID(old) == schemaID(p.new) })
		}
	}
	for _, e := range left {
		pairs = append(pairs, pair{old: e})
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.name().String(), b.name().String()) })
	return pairs
}

func namesake(e *contract.Event, renamed map[string]string) func(*contract.Event) bool {
	want := e.Name.Value.String()
	if old, ok := renamed[want]; ok {
		want = old
	}
	return func(old *contract.Event) bool { return old.Name.Value.String() == want }
}

// take removes and gives the first event that fits, nil where none does.
func take(from *[]*contract.Event, fits func(*contract.Event) bool) *contract.Event {
	i := slices.IndexFunc(*from, fits)
	if i < 0 {
		return nil
	}
	e := (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	return e
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
