package jsonschema

import (
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// shape is what is known of the value at one path: it satisfies all of these
// schemas, and of every choice at least one alternative. References, allOf,
// anyOf and their kind are gone from it.
type shape struct {
	all     []Ref
	choices [][]shape
	never   bool // no value satisfies it
	at      Ref  // the first schema that names it
}

// maxSchemas is how many schemas one question may look at. Schemas that fan out
// further than that exist only to do harm.
const maxSchemas = 50_000

// shaper makes shapes. Once it is tired it says as little as it can.
type shaper struct {
	*closure
	looked int
}

func (x *shaper) tired() bool { return x.looked > maxSchemas }

// shapeOf is the shape of a value that satisfies all these schemas.
func (x *shaper) shapeOf(refs []Ref) shape {
	var sh shape
	for _, r := range refs {
		x.flatten(&sh, r, map[place]bool{})
	}
	return sh
}

// flatten adds a schema to a shape, and with it all that judges the same value.
// The way there stops schemas that refer to themselves.
func (x *shaper) flatten(sh *shape, r Ref, way map[place]bool) {
	x.looked++
	if way[r.place()] || x.tired() {
		return
	}
	way[r.place()] = true
	defer delete(way, r.place())
	if r.Node.Kind == source.Bool {
		sh.never = sh.never || r.Node.Text == "false"
		return
	}
	if !onlyRef(r.Node, x.of(r).draft) && !slices.Contains(sh.all, r) {
		sh.all = append(sh.all, r)
	}
	for _, m := range r.Node.Members {
		x.flattenKeyword(sh, r, m, way)
	}
}

func (x *shaper) flattenKeyword(sh *shape, r Ref, m source.Member, way map[place]bool) {
	if !speaks(r.Node, m.Key, x.of(r).draft) {
		return
	}
	at := r.sub(m.Key, m.Value)
	switch m.Key {
	case "$ref", "$dynamicRef", "$recursiveRef":
		if target, ok := x.followKeyword(at, m.Key); ok {
			x.flatten(sh, target, way)
		}
	case "allOf":
		for _, child := range schemasOf(at, listOfSchemas) {
			x.flatten(sh, child, way)
		}
	case "anyOf", "oneOf":
		x.choose(sh, way, singly(schemasOf(at, listOfSchemas))...)
	case "if":
		x.chooseIf(sh, r, way)
	case "dependentSchemas", "dependencies":
		for _, child := range schemasOf(at, keywords[m.Key].holds) {
			x.choose(sh, way, []Ref{child}, nil)
		}
	}
}

func singly(refs []Ref) [][]Ref {
	var list [][]Ref
	for _, r := range refs {
		list = append(list, []Ref{r})
	}
	return list
}

// choose adds a choice between alternatives; one that no value satisfies is none.
func (x *shaper) choose(sh *shape, way map[place]bool, alternatives ...[]Ref) {
	var choice []shape
	for _, refs := range alternatives {
		var alt shape
		for _, r := range refs {
			x.flatten(&alt, r, way)
		}
		if !alt.never {
			choice = append(choice, alt)
		}
	}
	if len(choice) == 0 {
		sh.never = true
		return
	}
	sh.choices = append(sh.choices, choice)
}

func (x *shaper) chooseIf(sh *shape, r Ref, way map[place]bool) {
	yes, no := []Ref{r.get("if")}, []Ref(nil)
	if then := r.get("then"); then.Node != nil {
		yes = append(yes, then)
	}
	if other := r.get("else"); other.Node != nil {
		no = append(no, other)
	}
	x.choose(sh, way, yes, no)
}

// step is the shape one step below; it is false where no schema names the step.
func (x *shaper) step(sh shape, st contract.Step) (shape, bool) {
	var below shape
	known := false
	for _, r := range sh.all {
		refs, names := x.down(r, st)
		if names && !known {
			below.at, known = refs[0], true
		}
		x.add(&below, st, refs)
	}
	for _, choice := range sh.choices {
		next, names := x.stepChoice(choice, st)
		if !names {
			continue
		}
		if below.never = below.never || len(next) == 0; below.never {
			return below, false
		}
		if !known {
			below.at, known = named(next), true
		}
		below.choices = append(below.choices, next)
	}
	return below, known && !below.never
}

// add adds to a shape what a schema says of the step that leads to it. Of a
// map's values one pattern or another may hold.
func (x *shaper) add(below *shape, st contract.Step, refs []Ref) {
	if st.Kind == contract.ValueStep && len(refs) > 1 {
		x.choose(below, map[place]bool{}, singly(refs)...)
		return
	}
	for _, r := range refs {
		x.flatten(below, r, map[place]bool{})
	}
}

// named is the first schema in a choice's alternatives that names the step.
func named(choice []shape) Ref {
	for _, alt := range choice {
		if alt.at.File != "" {
			return alt.at
		}
	}
	return Ref{}
}

// stepChoice goes one step down in every alternative. Those where the step leads
// to nothing possible fall away: no event of theirs has it.
func (x *shaper) stepChoice(choice []shape, st contract.Step) (below []shape, known bool) {
	for _, alt := range choice {
		next, names := x.step(alt, st)
		known = known || names
		if !next.never {
			below = append(below, next)
		}
	}
	return below, known
}
