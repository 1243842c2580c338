package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// Ref is a cursor on one subschema, or on one value inside a schema: a file of
// the tree, a JSON pointer in it, and what stands there.
type Ref struct {
	File    string
	Pointer string
	Node    *source.Node
}

// place names a Ref without what stands there.
type place struct{ file, pointer string }

func (r Ref) place() place { return place{r.File, r.Pointer} }

// Pos is where the key stands that leads to the subschema.
func (s *Schema) Pos() source.Pos { return s.PosAt(s.root.File, s.root.Pointer) }

// RootRef is the schema's root: the subschema that the manifest named.
func (s *Schema) RootRef() Ref { return s.root }

// Follow gives the schema that $ref, a $dynamicRef or a $recursiveRef of this
// subschema points to. It is false where there is none, where it dangles, and
// where a dynamic reference may mean several.
func (s *Schema) Follow(r Ref) (Ref, bool) { return s.closure.follow(r) }

// OnlyRefers reports whether a subschema says nothing itself, beside what it
// refers to.
func (s *Schema) OnlyRefers(r Ref) bool {
	if _, ok := s.Follow(r); !ok {
		return false
	}
	d := s.closure.of(r).draft
	for _, m := range r.Node.Members {
		if k := keywords[m.Key]; k.in&d != 0 && !k.note && !k.names && !slices.Contains(refKeywords, m.Key) && speaks(r.Node, m.Key, d) {
			return false
		}
	}
	return true
}

// Sub gives what lies below a subschema, by the tokens of a JSON pointer
// ("properties", "a/b"). Its Node is nil where there is nothing.
func (s *Schema) Sub(r Ref, steps ...string) Ref {
	for _, step := range steps {
		r = r.sub(step, r.Node.Find("/"+escape(step)))
	}
	return r
}

// PosAt is where a JSON pointer of a file of the closure leads to, by the place
// of its key; where it leads to nothing, the nearest place around. The file may
// also be named by a URI under which it was referred to.
func (s *Schema) PosAt(file, pointer string) source.Pos {
	r, ok := s.closure.named(file)
	if !ok {
		return source.Pos{File: file}
	}
	root := s.closure.documents[r.File].root
	for pointer = r.Pointer + pointer; ; pointer = parent(pointer) {
		if at := root.KeyPos(pointer); !at.IsZero() || pointer == "" {
			return at
		}
	}
}

// At is the cursor on a place that an engine names by file and pointer.
func (s *Schema) At(file, pointer string) (Ref, bool) {
	r, ok := s.closure.named(file)
	if !ok {
		return Ref{}, false
	}
	n := r.Node.Find(pointer)
	return Ref{File: r.File, Pointer: r.Pointer + pointer, Node: n}, n != nil
}

// DraftAt is the draft that a subschema is written in.
func (s *Schema) DraftAt(r Ref) string { return s.closure.of(r).draft.String() }

func (r Ref) sub(step string, n *source.Node) Ref {
	return Ref{File: r.File, Pointer: r.Pointer + "/" + escape(step), Node: n}
}

// get is the value of a keyword.
func (r Ref) get(name string) Ref { return r.sub(name, r.Node.Get(name)) }

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func escape(step string) string {
	if !strings.ContainsAny(step, "~/") {
		return step
	}
	return pointerEscaper.Replace(step)
}

func itoa(i int) string { return strconv.Itoa(i) }

func parent(pointer string) string { return pointer[:max(strings.LastIndexByte(pointer, '/'), 0)] }
