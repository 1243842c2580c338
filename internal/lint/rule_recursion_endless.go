package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/recursion-endless.txtar
var recursionEndlessExample string

var recursionEndless = &Rule{rule.Doc{
	ID: "recursion-endless", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A schema asks for itself without end",
	Why:     "Each value must contain another one of the same kind, and that one another. No event is ever finished, so none is valid.",
	Fix:     "Make the property optional, let the array be empty, or allow null.",
	Example: recursionEndlessExample,
}, checkRecursionEndless}

func checkRecursionEndless(p *Pass) {
	for e, s := range jsonSchemas(p) {
		if has(s, jsonschema.RefCycle) {
			continue
		}
		list := p.subschemas(s)
		endless := endlessIn(s, list)
		said := map[place]bool{}
		for _, r := range list { // from the outside: what is inside is endless because of it
			at := place{r.File, r.Pointer}
			if !endless[at] || s.OnlyRefers(r) || within(said, at) {
				continue
			}
			said[at] = true
			p.schema(e, p.pathOf(e, s, r), s.PosAt(r.File, r.Pointer), "each value here must contain another one like it, without end: none is valid").about(r.Pointer)
		}
	}
}

// within reports whether a place is one of these, or lies inside one.
func within(list map[place]bool, at place) bool {
	for outer := range list {
		if around(map[place]bool{at: true}, outer) {
			return true
		}
	}
	return false
}

// endlessIn finds the subschemas without a finite value, by what they require
// alone: a least fixpoint over the others.
func endlessIn(s *jsonschema.Schema, list []jsonschema.Ref) map[place]bool {
	f := finiteness{s: s, finite: map[place]bool{}, known: map[place]bool{}}
	for _, r := range list {
		f.known[place{r.File, r.Pointer}] = true
	}
	for changed := true; changed; {
		changed = false
		for _, r := range list {
			if at := (place{r.File, r.Pointer}); !f.finite[at] && f.can(r) {
				f.finite[at], changed = true, true
			}
		}
	}
	endless := map[place]bool{}
	for at := range f.known {
		if !f.finite[at] {
			endless[at] = true
		}
	}
	return endless
}

type finiteness struct {
	s             *jsonschema.Schema
	finite, known map[place]bool
}

// is reports whether a schema is known to have a finite value; what is no
// subschema, such as true, is taken for one that has.
func (f *finiteness) is(r jsonschema.Ref) bool {
	at := place{r.File, r.Pointer}
	return r.Node == nil || !f.known[at] || f.finite[at]
}

// can reports whether a schema has a finite value, given those that are known
// to have one.
func (f *finiteness) can(r jsonschema.Ref) bool {
	if target, ok := f.s.Follow(r); ok && !f.is(target) {
		return false
	}
	for i := range items(r, "allOf") {
		if !f.is(f.s.Sub(r, "allOf", itoa(i))) {
			return false
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if n := items(r, key); len(n) > 0 && !f.some(r, key, len(n)) {
			return false
		}
	}
	return f.members(r) && f.elements(r)
}

func (f *finiteness) some(r jsonschema.Ref, key string, n int) bool {
	for i := range n {
		if f.is(f.s.Sub(r, key, itoa(i))) {
			return true
		}
	}
	return false
}

// members looks at the properties that every value must have.
func (f *finiteness) members(r jsonschema.Ref) bool {
	if !only(r, "object") {
		return true
	}
	for _, name := range items(r, "required") {
		if !f.is(f.s.Sub(r, "properties", name.Text)) {
			return false
		}
	}
	return true
}

// elements looks at the items that every value must have.
func (f *finiteness) elements(r jsonschema.Ref) bool {
	least := number(r.Node.Get("minItems"))
	if !only(r, "array") || least == nil || least.Sign() <= 0 {
		return true
	}
	n, _ := least.Int64()
	for _, key := range []string{"prefixItems", "items"} {
		for i := range items(r, key) {
			if int64(i) < n && !f.is(f.s.Sub(r, key, itoa(i))) {
				return false
			}
		}
		if key == "items" && len(items(r, key)) == 0 && int64(len(items(r, "prefixItems"))) < n && !f.is(f.s.Sub(r, key)) {
			return false
		}
	}
	return true
}
