package codegen

import (
	"cmp"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
)

// goKind is how a value looks in Go.
type goKind uint8

const (
	rawKind     goKind = iota // json.RawMessage: whatever stands there
	goString                  // string
	textKind                  // a type of package event over string, for a format
	bytesKind                 // []byte, as base64
	enumKind                  // a type of its own over string, with constants
	timeKind                  // time.Time
	intKind                   // int64
	uintKind                  // uint64
	decimalKind               // json.Number: exact
	wholeKind                 // json.Number that is an integer of any size
	goBool                    // bool
	sliceKind                 // []T
	mapKind                   // map[string]T
	structKind                // a type of its own
	unionKind                 // a sealed interface
)

var goNames = map[goKind]string{
	rawKind: "json.RawMessage", goString: "string", timeKind: "time.Time", intKind: "int64", uintKind: "uint64",
	decimalKind: "json.Number", wholeKind: "json.Number", goBool: "bool", bytesKind: "[]byte",
}

// typ is a Go type and what a value of it must satisfy.
type typ struct {
	kind   goKind
	name   string   // of a struct, an enum, a decimal type or a format's type
	shape  *shape   // whose limits a value is held against
	null   bool     // null is allowed
	nulls  bool     // and it is for judge, not beside it
	elem   *typ     // of a slice or a map
	fields []*field // of a struct; of a union its arms
	extra  *typ     // of a struct: members that it has no field for, elements behind a tuple's places; nil: none are kept
	named  []string // of a struct's extra, or of a map: patterns, of which the names match one; nil: all names
	keeps  bool     // of a struct: other members stand in Unknown
	closed bool     // of a struct: other members are refused
	others []string // of a closed struct: members that the contract names and nobody wants
	judge  *shape   // what a function of its own checks first, because one pass cannot
	labels []label  // of an enum
	listed []string // of an int64: the only values that it may have; nil: others too
	doc    string
	path   contract.Path
	hint   string // what functions about it are called after
	want   *want  // the part of it that is read
	shared bool   // it stands at other paths too
	unkept bool   // of a struct: it only judges
	read   string // of a union: the function that reads one
	write  string // of a union: the function that writes one
	tag    *tag   // of a union: what tells its objects apart; nil: they are tried in order
	tuple  bool   // of a struct: a list whose elements have a type by their place
	inline bool   // of a payload's union and its arms: its members stand beside those of all
	alters bool   // it holds a field that a retry may change
}

// declared reports whether the type is one that the generated package declares.
func (t *typ) declared() bool {
	return t.kind == enumKind || t.kind == structKind || t.kind == unionKind
}

// alsoAt notes that the type is used again.
func (t *typ) alsoAt(path contract.Path) { t.shared = t.shared || t.path.String() != path.String() }

// label is a constant of an enum.
type label struct{ name, text, doc string }

// field is one field of a struct.
type field struct {
	json       string
	name       string // in Go
	typ        *typ
	role       role
	required   bool
	hidden     bool   // user code may not set it
	seen       string // what remembers that it stood there
	preset     string // Go expression that stands for an absent value; empty: none
	constant   string // JSON of the only value that it may have, where a producer need not say it
	doc        string
	deprecated bool
	path       contract.Path
	inline     bool   // it is no member, but those of one of several objects
	wrap       bool   // event.Optional stands for a pointer
	arm        string // of a union: the type that wraps the value; empty: the value's own type is the arm
}

// members are the fields of a struct that are members of its object.
func (t *typ) members() []*field {
	return slices.DeleteFunc(slices.Clone(t.fields), func(f *field) bool { return f.inline })
}

// pointer reports whether a type needs a pointer to be able to be absent.
func (t *typ) pointer() bool {
	return t.kind != rawKind && t.kind != bytesKind && t.kind != sliceKind && t.kind != mapKind && t.kind != unionKind
}

// goType writes the type, without regard to null.
func (t *typ) goType() string {
	switch t.kind {
	case textKind, enumKind, structKind, unionKind:
		return t.name
	case decimalKind:
		return cmp.Or(t.name, goNames[t.kind])
	case sliceKind:
		return "[]" + t.elem.nullType()
	case mapKind:
		return "map[string]" + t.elem.nullType()
	}
	return goNames[t.kind]
}

// nullType writes the type of an element, a pointer where it may be null.
func (t *typ) nullType() string {
	if t.null && t.pointer() {
		return "*" + t.goType()
	}
	return t.goType()
}

// optional reports whether the field's Go type is a pointer.
func (f *field) optional() bool {
	return (!f.required && f.preset == "" || f.typ.null) && f.typ.pointer()
}

// wrapped reports whether the field's Go type is event.Optional. An object may
// hold itself, which only a pointer can.
func (f *field) wrapped() bool { return f.wrap && f.optional() && f.typ.kind != structKind }

func (f *field) goType() string {
	if f.wrapped() {
		return "event.Optional[" + f.typ.goType() + "]"
	}
	if f.optional() {
		return "*" + f.typ.goType()
	}
	return f.typ.goType()
}

// kept reports whether the struct has a field for it.
func (f *field) kept() bool { return f.role&discardRole == 0 }
