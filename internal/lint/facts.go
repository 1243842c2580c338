package lint

import (
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// facts is what several rules ask about one set, found out once.
type facts struct {
	identity map[*contract.Event][]*played
	inside   map[*jsonschema.Schema][]jsonschema.Ref
	paths    map[contract.Schema]map[source.Pos]contract.Path
}

func newFacts() *facts {
	return &facts{
		identity: map[*contract.Event][]*played{},
		inside:   map[*jsonschema.Schema][]jsonschema.Ref{},
		paths:    map[contract.Schema]map[source.Pos]contract.Path{},
	}
}

// known gives what a map remembers, or finds it out.
func known[K comparable, V any](facts map[K]V, of K, find func(K) V) V {
	v, ok := facts[of]
	if !ok {
		v = find(of)
		facts[of] = v
	}
	return v
}

// identityFields lists the payload fields that an event's identity names, each
// once.
func (f *facts) identityFields(e *contract.Event) []*played {
	return known(f.identity, e, identityFields)
}

// subschemas lists every subschema that a schema reaches, each once.
func (f *facts) subschemas(s *jsonschema.Schema) []jsonschema.Ref {
	return known(f.inside, s, subschemas)
}

// pathsOf knows the path of each field by the place where it is declared.
func (f *facts) pathsOf(s contract.Schema) map[source.Pos]contract.Path {
	return known(f.paths, s, paths)
}
