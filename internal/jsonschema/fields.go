package jsonschema

import (
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
)

// maxFields is how many fields of one schema are listed.
const maxFields = 20_000

// fields lists every field below a root.
func (c *closure) fields(root Ref) []contract.Field {
	l := lister{shaper: &shaper{closure: c}, way: map[place]bool{}}
	l.below(spot{shape: l.shapeOf([]Ref{root}), required: true}, nil)
	return l.list
}

// lister walks down all ways at once. The way holds the schemas that it went
// through, so that a recursive one is entered once.
type lister struct {
	*shaper
	way  map[place]bool
	list []contract.Field
}

func (l *lister) below(at spot, path contract.Path) {
	fresh := l.fresh(at.shape)
	for _, r := range refsOf(fresh) {
		l.way[r.place()] = true
		defer delete(l.way, r.place())
	}
	for _, st := range l.steps(fresh) {
		next, ok := l.enter(at, st)
		if !ok || len(l.list) >= maxFields || l.tired() {
			continue
		}
		way := path.Then(st)
		l.list = append(l.list, l.field(next, way))
		l.below(next, way)
	}
}

// fresh is the part of a shape that the way did not go through.
func (l *lister) fresh(sh shape) shape {
	var left shape
	for _, r := range sh.all {
		if !l.way[r.place()] {
			left.all = append(left.all, r)
		}
	}
	for _, choice := range sh.choices {
		var alts []shape
		for _, alt := range choice {
			alts = append(alts, l.fresh(alt))
		}
		left.choices = append(left.choices, alts)
	}
	return left
}

func refsOf(sh shape) []Ref {
	list := slices.Clone(sh.all)
	for _, choice := range sh.choices {
		for _, alt := range choice {
			list = append(list, refsOf(alt)...)
		}
	}
	return list
}

// steps lists the parts that a shape names, in the order of the schema.
func (x *shaper) steps(sh shape) []contract.Step {
	var list []contract.Step
	for _, r := range sh.all {
		list = append(list, x.stepsOf(r)...)
	}
	for _, choice := range sh.choices {
		for _, alt := range choice {
			list = append(list, x.steps(alt)...)
		}
	}
	return unique(list)
}

func (x *shaper) stepsOf(r Ref) []contract.Step {
	x.looked++
	var list []contract.Step
	for _, m := range members(r.Node.Get("properties")) {
		list = append(list, contract.Step{Kind: contract.FieldStep, Name: m.Key})
	}
	if len(x.values(r)) > 0 {
		list = append(list, contract.Step{Kind: contract.ValueStep})
	}
	for i := range x.places(r) {
		list = append(list, contract.Step{Kind: contract.PlaceStep, Index: i})
	}
	if len(x.rest(r)) > 0 {
		list = append(list, contract.Step{Kind: contract.ElementStep})
	}
	return list
}

func unique(steps []contract.Step) []contract.Step {
	seen := map[contract.Step]bool{}
	var list []contract.Step
	for _, s := range steps {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}
