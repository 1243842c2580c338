package codegen

import (
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
)

// want is which parts of a value a Go type holds.
type want struct {
	all   bool // everything that steps doesn't say otherwise of
	role  role // that the value plays
	steps map[contract.Step]*want
}

// everything is a value with all that is in it.
var everything = &want{all: true}

// at gives what is wanted one step down, nil for nothing.
func (w *want) at(step contract.Step) *want {
	if below := w.steps[step]; below != nil {
		return below
	}
	if w.all {
		return everything
	}
	return nil
}

// field gives what is wanted of a member.
func (w *want) field(name string) *want {
	return w.at(contract.Step{Kind: contract.FieldStep, Name: name})
}

// names lists the members of which something is said.
func (w *want) names() []string {
	var list []string
	for step := range w.steps {
		if step.Kind == contract.FieldStep {
			list = append(list, step.Name)
		}
	}
	slices.Sort(list)
	return list
}

// onlyValues reports whether nothing is said but of members without a name.
func (w *want) onlyValues() bool {
	for step := range w.steps {
		if step.Kind != contract.ValueStep {
			return false
		}
	}
	return true
}

// plain reports whether the value is wanted as it is, so that its type can be
// shared with others of the same schema.
func (w *want) plain() bool { return w.all && len(w.steps) == 0 }

// add goes down a path, making what is not there, and gives its end.
func (w *want) add(p contract.Path) *want {
	for _, step := range p {
		below := w.steps[step]
		if below == nil {
			below = &want{all: w.all}
			if w.steps == nil {
				w.steps = map[contract.Step]*want{}
			}
			w.steps[step] = below
		}
		w = below
	}
	return w
}

// role is how a value takes part in the identity. One value may play several.
type role uint8

const (
	eventIDRole role = 1 << iota
	keyRole
	laneRole
	versionRole
	partitionRole
	timeRole
	discardRole // read and judged, but not kept: an identity field that a consumer did not declare
)

// hidden reports whether user code may not set the field: key fields come from
// the key, the event id from the key too.
func (r role) hidden() bool { return r&(eventIDRole|keyRole) != 0 }

// changes reports whether a retry of the same business operation may give the
// field another value.
func (r role) changes() bool { return r&(eventIDRole|versionRole|timeRole) != 0 }

// find goes down a path as far as anything is wanted, nil where nothing is.
func (w *want) find(p contract.Path) *want {
	for _, step := range p {
		if w = w.at(step); w == nil {
			return nil
		}
	}
	return w
}

// addUnkept goes down a path; what it makes is read and not kept.
func (w *want) addUnkept(p contract.Path) {
	for _, step := range p {
		below := w.steps[step]
		if below == nil {
			if w.steps == nil {
				w.steps = map[contract.Step]*want{}
			}
			below = &want{role: discardRole}
			w.steps[step] = below
		}
		w = below
	}
}
