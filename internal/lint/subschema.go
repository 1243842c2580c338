package lint

import (
	"strconv"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// The keywords that hold schemas which say what an event is. Those of not and if
// say what it is not, or only in part, and are left out.
var (
	oneSchema  = []string{"items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties", "then", "else"}
	manySchema = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items", "properties", "patternProperties", "dependentSchemas"}
)

// subschemas lists every subschema that a schema reaches, each once.
func subschemas(s *jsonschema.Schema) []jsonschema.Ref {
	queue, seen := []jsonschema.Ref{s.RootRef()}, map[place]bool{}
	var list []jsonschema.Ref
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		at := place{r.File, r.Pointer}
		if r.Node == nil || r.Node.Kind != source.Map || seen[at] {
			continue
		}
		seen[at] = true
		list = append(list, r)
		if target, ok := s.Follow(r); ok {
			queue = append(queue, target)
		}
		queue = append(queue, below(s, r)...)
	}
	return list
}

// below lists the schemas directly inside one.
func below(s *jsonschema.Schema, r jsonschema.Ref) []jsonschema.Ref {
	var list []jsonschema.Ref
	for _, key := range oneSchema {
		list = append(list, s.Sub(r, key))
	}
	for _, key := range manySchema {
		n := r.Node.Get(key)
		if n == nil {
			continue
		}
		for i := range n.Items {
			list = append(list, s.Sub(r, key, strconv.Itoa(i)))
		}
		for _, m := range n.Members {
			if key != "items" { // there it is one schema, not a map of them
				list = append(list, s.Sub(r, key, m.Key))
			}
		}
	}
	return list
}

// paths knows the path of each field by the place where it is declared.
func paths(s contract.Schema) map[source.Pos]contract.Path {
	known := map[source.Pos]contract.Path{s.Pos(): nil}
	for _, f := range s.Fields() {
		if _, twice := known[f.Pos]; !twice {
			known[f.Pos] = f.Path
		}
	}
	return known
}

// pathOf is the path of a subschema, as a finding has it: the file where it is
// on no way to a field.
func (f *facts) pathOf(e *contract.Event, s *jsonschema.Schema, r jsonschema.Ref) string {
	at := s.PosAt(r.File, r.Pointer)
	switch path, ok := f.pathsOf(s)[at]; {
	case !ok:
		return at.File
	case len(path) == 0:
		return subject(e)
	default:
		return subject(e) + "/" + path.String()
	}
}

// items lists the elements of a keyword's value, none where it is no list.
func items(r jsonschema.Ref, key string) []*source.Node {
	if n := r.Node.Get(key); n != nil {
		return n.Items
	}
	return nil
}

func itoa(i int) string { return strconv.Itoa(i) }

// only reports whether a schema allows values of one type alone.
func only(r jsonschema.Ref, name string) bool {
	n := r.Node.Get("type")
	return n != nil && (n.Text == name || len(n.Items) == 1 && n.Items[0].Text == name)
}
