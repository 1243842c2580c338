package jsonschema

import "github.com/evcontract/evcontract/internal/contract"

// Sends reports whether a writer with this schema may send something at a path.
// A closed writer sends the fields that its schema names and the values of the
// maps that it describes; any other sends whatever is not forbidden.
func (s *Schema) Sends(path contract.Path, closed bool) bool {
	x := &shaper{closure: s.closure}
	sh := x.shapeOf([]Ref{s.root})
	for _, st := range path {
		next, named := x.step(sh, st)
		switch {
		case named:
		case next.never:
			return false
		case st.Kind == contract.ValueStep:
			// What the reader takes for a map has named fields here, or none.
			return !closed || len(x.steps(sh)) > 0
		case st.Kind == contract.FieldStep && closed:
			if next, named = x.step(sh, contract.Step{Kind: contract.ValueStep}); !named {
				return false
			}
		}
		sh = next
	}
	return true
}
