package jsonschema

import (
	"regexp"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// down gives the schemas that one schema has for a part of its value, and
// whether it names that part rather than only not forbidding it.
func (x *shaper) down(r Ref, st contract.Step) (refs []Ref, names bool) {
	x.looked++
	switch st.Kind {
	case contract.FieldStep:
		return x.property(r, st.Name)
	case contract.ValueStep:
		refs = x.values(r)
	case contract.ElementStep:
		refs = x.rest(r)
	case contract.PlaceStep:
		if places := x.places(r); st.Index < len(places) {
			refs = places[st.Index : st.Index+1]
		} else {
			refs = x.rest(r)
		}
	}
	return refs, len(refs) > 0
}

// property gives what a schema says of a named property. additionalProperties
// judges what the others don't name, and names nothing itself.
func (x *shaper) property(r Ref, name string) (refs []Ref, names bool) {
	if child := r.get("properties").get(name); isSchema(child.Node) {
		refs = append(refs, child)
	}
	patterns := r.get("patternProperties")
	for _, m := range members(patterns.Node) {
		if re, err := regexp.Compile(m.Key); err == nil && isSchema(m.Value) && re.MatchString(name) {
			refs = append(refs, patterns.sub(m.Key, m.Value))
		}
	}
	if len(refs) > 0 {
		return refs, true
	}
	if rest := r.get("additionalProperties"); isSchema(rest.Node) {
		refs = append(refs, rest)
	}
	return refs, false
}

// values gives what a schema says of a map's values: of properties by their
// pattern, and of those that nothing names.
func (x *shaper) values(r Ref) []Ref {
	patterns := r.get("patternProperties")
	var list []Ref
	for _, m := range members(patterns.Node) {
		if isSchema(m.Value) {
			list = append(list, patterns.sub(m.Key, m.Value))
		}
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if rest := r.get(key); says(rest.Node) && speaks(r.Node, key, x.of(r).draft) {
			list = append(list, rest)
		}
	}
	return list
}

// places gives what a schema says of a tuple's places.
func (x *shaper) places(r Ref) []Ref {
	key := "items"
	if x.of(r).draft == draft2020 {
		key = "prefixItems"
	}
	var list []Ref
	at := r.get(key)
	if at.Node == nil || at.Node.Kind != source.List {
		return nil
	}
	for i, item := range at.Node.Items {
		list = append(list, at.sub(itoa(i), item))
	}
	return list
}

// rest gives what a schema says of the elements that have no place of their own.
func (x *shaper) rest(r Ref) []Ref {
	for _, key := range []string{"items", "additionalItems", "unevaluatedItems"} {
		if rest := r.get(key); says(rest.Node) && speaks(r.Node, key, x.of(r).draft) {
			return []Ref{rest}
		}
	}
	return nil
}

func members(n *source.Node) []source.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

func isSchema(n *source.Node) bool {
	return n != nil && (n.Kind == source.Map || n.Kind == source.Bool)
}

// says reports whether a schema for the rest says something of it: {} is as
// silent as true.
func says(n *source.Node) bool { return n != nil && n.Kind == source.Map && len(n.Members) > 0 }
