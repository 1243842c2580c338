package contain

import "slices"

// emptySteps bounds the search for parts of a schema without a value.
const emptySteps = 50_000

// Empty lists the subschemas that no value satisfies, other than false and its
// kind, by their place. What cannot be told within the budget is left out.
func (s *Schema) Empty() (places []Location) {
	defer func() { _ = recover() }() // what was found until then is right
	solver := newSolver(Budget{Steps: emptySteps})
	for _, at := range sortedKeys(s.parts) {
		n := s.parts[at]
		if n.kind == kFalse || n.kind == kTrue {
			continue
		}
		if solver.solve([]lit{{n: n}}).result == unsat {
			places = append(places, s.locate(at))
		}
	}
	return slices.Compact(places)
}
