package jsonschema

import (
	"errors"
	"fmt"
	"net/url"
	"path"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/source"
)

var engineDrafts = map[draft]contain.Draft{
	draft4: contain.Draft4, draft6: contain.Draft6, draft7: contain.Draft7,
	draft2019: contain.Draft2019, draft2020: contain.Draft2020,
}

// engineProblems are the kinds of the engine's errors. Most of them were found
// while the schema was read; what is left comes from the validator.
var engineProblems = map[contain.ErrorKind]string{
	contain.RemoteRef: RefRemote, contain.DanglingRef: RefDangling, contain.DuplicateID: IDDuplicate,
}

// Compiled is the schema as the containment engine has it, nil where the schema
// has a hole.
func (s *Schema) Compiled() *contain.Schema { return s.compiled }

// compile makes the validator, unless the schema has a hole.
func (s *Schema) compile(o Options) {
	if _, hole := s.Hole(); hole {
		return
	}
	needed := s.closure.needed()
	compiled, err := contain.Compile(contain.Source{
		Path:          s.root.File + fragmentOf(s.root.Pointer),
		Draft:         engineDrafts[s.closure.of(s.root).draft],
		AssertFormats: o.AssertFormats,
		Load: func(name string) ([]byte, error) {
			r, ok := s.closure.named(name)
			if !ok {
				return nil, fmt.Errorf("%s is not in the tree", name)
			}
			return needed.pruned(r).JSON(), nil
		},
	})
	if err != nil {
		s.refused(err)
		return
	}
	s.compiled = compiled
}

func fragmentOf(pointer string) string {
	if pointer == "" {
		return ""
	}
	u := url.URL{Fragment: pointer}
	return "#" + u.EscapedFragment()
}

// refused notes why the engine does not take the schema.
func (s *Schema) refused(err error) {
	var e *contain.Error
	if !errors.As(err, &e) {
		s.closure.problem(Invalid, source.Pos{File: s.root.File}, "correct the schema: nothing can be validated by it", "%v", err)
		return
	}
	kind := engineProblems[e.Kind]
	if kind == "" {
		kind = Invalid
	}
	message := e.Message
	if said := plain[message]; said != "" {
		message = "none of the forms that the draft allows"
	}
	if keyword := path.Base(e.At.Pointer); kind == Invalid && e.At.Pointer != "" {
		message = keyword + ": " + message
	}
	s.closure.problem(kind, s.valueAt(e.At), "correct the schema: nothing can be validated by it", "%s", message)
}

// valueAt is where the value stands that an engine speaks of.
func (s *Schema) valueAt(l contain.Location) source.Pos {
	if r, ok := s.At(l.Document, l.Pointer); ok {
		return r.Node.Pos
	}
	return s.PosAt(l.Document, l.Pointer)
}

// Validate decides whether a JSON document is a valid event. The error of one
// that is not is a *Refusal.
func (s *Schema) Validate(document []byte) error {
	if s.compiled == nil {
		hole, _ := s.Hole()
		return errors.New("nothing can be validated: " + hole.Pos.String() + ": " + hole.Message)
	}
	return s.refusal(s.compiled.Validate(document))
}

// places is a set of places in documents.
type places map[place]bool

// needed are the places that the schema reaches, and all that is around them.
// Those of dynamic anchors are among them: how they are reached is only known
// when an event is read.
func (c *closure) needed() places {
	needed := places{}
	add := func(r Ref) {
		for at := r.place(); ; at.pointer = parent(at.pointer) {
			needed[at] = true
			if at.pointer == "" {
				return
			}
		}
	}
	for _, r := range c.reached {
		add(r)
	}
	for _, anchored := range c.dynamic {
		for _, r := range anchored {
			add(r)
		}
	}
	return needed
}

// pruned is a document without the definitions that nothing reaches: a hole in
// one of those does no harm. Everything else stays where it is.
func (p places) pruned(r Ref) *source.Node {
	if r.Node.Kind != source.Map {
		return r.Node
	}
	made := *r.Node
	made.Members = nil
	for _, m := range r.Node.Members {
		at := r.sub(m.Key, m.Value)
		if m.Key == "$defs" || m.Key == "definitions" {
			m.Value = p.prunedDefinitions(at)
		}
		made.Members = append(made.Members, m)
	}
	return &made
}

func (p places) prunedDefinitions(r Ref) *source.Node {
	if r.Node.Kind != source.Map {
		return r.Node
	}
	made := *r.Node
	made.Members = nil
	for _, m := range r.Node.Members {
		if at := r.sub(m.Key, m.Value); p[at.place()] {
			m.Value = p.pruned(at)
			made.Members = append(made.Members, m)
		}
	}
	return &made
}
