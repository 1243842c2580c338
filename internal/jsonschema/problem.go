package jsonschema

import (
	"fmt"
	"slices"

	"github.com/evcontract/evcontract/internal/source"
)

// The kinds of Problem.
const (
	RefDangling   = "ref-dangling"   // $ref leads to nothing
	RefRemote     = "ref-remote"     // $ref leads out of the tree
	RefCycle      = "ref-cycle"      // $ref leads back to itself and never reaches a value
	IDDuplicate   = "id-duplicate"   // two schemas claim one $id or anchor
	SchemaMissing = "schema-missing" // no $schema: readers must guess the draft
	DraftUnknown  = "draft-unknown"  // $schema names none of the drafts that are read
	KeywordDraft  = "keyword-draft"  // a keyword that this draft does not know, and so ignores
	EnumEmpty     = "enum-empty"     // enum: [] accepts nothing, or in some validators everything
	KeyDuplicate  = "key-duplicate"  // one key twice in one object
	Invalid       = "schema-invalid" // the draft's own metaschema, or the validator, refuses the schema
)

// Problem is something wrong with a schema that can be read all the same.
type Problem struct {
	Pos     source.Pos
	Kind    string
	Message string
	Fix     string
}

// Problems lists what is wrong with the schema and everything it refers to, by
// place.
func (s *Schema) Problems() []Problem { return s.closure.problems }

// blocking are the kinds that leave a hole: nothing can be validated.
var blocking = []string{RefDangling, RefRemote, RefCycle, IDDuplicate, Invalid}

// Hole is the first problem that keeps the schema from being used as a whole.
func (s *Schema) Hole() (Problem, bool) {
	for _, p := range s.closure.problems {
		if slices.Contains(blocking, p.Kind) {
			return p, true
		}
	}
	return Problem{}, false
}

func (c *closure) problem(kind string, at source.Pos, fix, message string, args ...any) {
	p := Problem{Pos: at, Kind: kind, Message: fmt.Sprintf(message, args...), Fix: fix}
	if !slices.Contains(c.problems, p) {
		c.problems = append(c.problems, p)
	}
}

// inspect notes what is wrong with one schema by itself.
func (c *closure) inspect(r Ref, d draft) {
	if r.Node.Kind == source.Map && onlyRef(r.Node, d) {
		return
	}
	for _, m := range r.Node.Members {
		k, known := keywords[m.Key]
		switch {
		case known && k.in&d == 0:
			c.problem(KeywordDraft, m.Pos, "move the schema to a draft that has it, or say it with this draft's words",
				"%s belongs to draft %s: a validator of draft %s ignores it", m.Key, k.in, d)
		case m.Key == "enum" && m.Value.Kind == source.List && len(m.Value.Items) == 0:
			c.problem(EnumEmpty, m.Pos, "list the values, or remove enum",
				"enum lists no value: no event is valid, though some validators accept every one")
		}
	}
}

func (c *closure) sortProblems() {
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		switch {
		case a.Pos.Before(b.Pos):
			return -1
		case b.Pos.Before(a.Pos):
			return 1
		}
		return 0
	})
}
