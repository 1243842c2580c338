package jsonschema

import "github.com/evcontract/evcontract/internal/contract"

// Sender answers for many paths what a writer may send. It remembers the way to
// the last one, so that paths in the order of Fields cost one step each. It is
// for one goroutine.
type Sender struct {
	shaper
	closed bool
	way    contract.Path
	spots  []sending // of the root, and behind each step of the way
}

// sending is what a writer may send at one place.
type sending struct {
	shape
	verdict verdict
}

type verdict uint8

const (
	undecided verdict = iota // look further down
	sends                    // whatever stands below
	silent                   // nothing
)

// Sender asks what a writer with this schema may send. A closed one sends the
// fields that its schema names and the values of the maps that it describes; any
// other sends whatever is not forbidden.
func (s *Schema) Sender(closed bool) *Sender {
	d := &Sender{shaper: shaper{closure: s.closure}, closed: closed}
	d.spots = []sending{{shape: d.shapeOf([]Ref{s.root})}}
	return d
}

// Sends reports whether the writer may send something at a path.
func (d *Sender) Sends(path contract.Path) bool {
	common := 0
	for common < len(path) && common < len(d.way) && path[common] == d.way[common] {
		common++
	}
	d.way, d.spots = append(d.way[:common], path[common:]...), d.spots[:common+1]
	d.looked = 0
	for _, st := range path[common:] {
		d.spots = append(d.spots, d.below(d.spots[len(d.spots)-1], st))
	}
	return d.spots[len(path)].verdict != silent
}

func (d *Sender) below(at sending, st contract.Step) sending {
	if at.verdict != undecided {
		return at
	}
	next, named := d.step(at.shape, st)
	switch {
	case named:
	case next.never:
		return sending{verdict: silent}
	case st.Kind == contract.ValueStep && d.closed && len(d.steps(at.shape)) == 0:
		return sending{verdict: silent}
	case st.Kind == contract.ValueStep:
		return sending{verdict: sends} // what the reader takes for a map has named fields here
	case st.Kind == contract.FieldStep && d.closed:
		if next, named = d.step(at.shape, contract.Step{Kind: contract.ValueStep}); !named {
			return sending{verdict: silent}
		}
	}
	return sending{shape: next}
}

// Sends reports whether a writer with this schema may send something at a path.
func (s *Schema) Sends(path contract.Path, closed bool) bool { return s.Sender(closed).Sends(path) }
