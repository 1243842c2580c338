package codegen

import (
	"slices"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// shape is what a JSON Schema says of one value, taken out of its document:
// every keyword that counts in its draft, and the shapes below it.
type shape struct {
	at         jsonschema.Ref
	pos        source.Pos
	doc        string
	deprecated bool
	preset     *value // default: what a reader takes an absent value for

	never bool     // the schema false
	loose bool     // only some alternative says more of it
	kinds kinds    // what type allows; all where it is silent
	enum  []*value // nil: none
	equal *value   // const

	low, high       string // of a number; "" where there is none
	above, below    string // the exclusive bounds
	step            string // multipleOf
	shortest        int    // of a string, in code points
	longest         int    // -1: no limit
	pattern, format string // the pattern as ECMA-262 has it
	assert          bool   // format is asserted
	encoding        string // contentEncoding

	items            *shape   // of a list, behind the places
	places           []*shape // of a tuple
	contains         *shape
	fewest, most     int // elements; most -1: no limit
	fewestIn, mostIn int // elements that contains takes
	unique           bool
	members          []*member
	required         []string
	patterns         []patterned
	extra            *shape // members that neither members nor patterns name; nil: any
	names            *shape
	fewestOf, mostOf int // members
	needs            []need
	target           *shape // $ref
	all, any, one    []*shape
	not, cond        *shape
	then, otherwise  *shape
	restMembers      *shape // unevaluatedProperties
	restItems        *shape // unevaluatedItems
	containsCounts   bool   // what contains takes is evaluated
	sure             bool   // possible is known
	possible         kinds  // that the value can have

	asEnum    *shape            // enumerated gives it
	origin    *shape            // what relax made it of
	open      []*value          // of a relaxed enum: the values that have a name
	valueDocs map[string]string // of an enum: what is said of each value

	whole     *shape            // merged gives it; nil: nobody asked
	merges    map[string]*shape // of this shape and others, as together gives them
	joined    bool              // together made it
	division  *division         // split gives it
	undivided bool              // split was asked

	unknown []keyword // what generated code cannot check
}

// value is one JSON value of an enum or a const.
type value = source.Node

// member is one of an object's properties.
type member struct {
	name  string
	shape *shape
}

// patterned is one of an object's patternProperties.
type patterned struct {
	pattern string
	shape   *shape
}

// need is what an object must have where it has one member.
type need struct {
	member string
	names  []string
	shape  *shape
}

// keyword is one that generated code cannot check, and where it stands.
type keyword struct {
	name string
	pos  source.Pos
	why  string // "" where nobody says more
}

// kinds is a set of JSON kinds. An integer is a number.
type kinds uint8

const (
	nullKind kinds = 1 << iota
	boolKind
	integerKind
	numberKind // every number, integers included
	stringKind
	listKind
	objectKind

	allKinds = nullKind | boolKind | integerKind | numberKind | stringKind | listKind | objectKind
)

var kindOfType = map[string]kinds{
	"null": nullKind, "boolean": boolKind, "integer": integerKind, "number": integerKind | numberKind,
	"string": stringKind, "array": listKind, "object": objectKind,
}

// kindOfValue is the kind of an enum's value. One that is a whole number is an
// integer, however it is written.
func kindOfValue(v *value) kinds {
	switch v.Kind {
	case source.Bool:
		return boolKind
	case source.Number:
		if parseFloat(v.Text).IsInt() {
			return integerKind
		}
		return integerKind | numberKind
	case source.String:
		return stringKind
	case source.List:
		return listKind
	case source.Map:
		return objectKind
	}
	return nullKind
}

// needed reports whether a member is required.
func (s *shape) needed(name string) bool {
	for _, r := range s.required {
		if r == name {
			return true
		}
	}
	return false
}

// speaksOf reports whether the shape itself names a member.
func (s *shape) speaksOf(name string) bool {
	return slices.ContainsFunc(s.members, func(m *member) bool { return m.name == name })
}

// closed reports whether members without a name are refused.
func (s *shape) closed() bool { return s.extra != nil && s.extra.nothing(nil) }

// bare reports whether the shape says nothing about the value.
func (s *shape) bare() bool {
	return s.kinds == allKinds && s.target == nil && s.enum == nil && s.equal == nil && !s.never &&
		!s.numeric() && !s.textual() && !s.listed() && !s.objective() && !s.combined() && len(s.unknown) == 0
}

func (s *shape) numeric() bool {
	return s.low != "" || s.high != "" || s.above != "" || s.below != "" || s.step != ""
}

func (s *shape) textual() bool {
	return s.shortest > 0 || s.longest >= 0 || s.pattern != "" || s.assert
}

// beside reports whether the shape limits a string beside its format.
func (s *shape) beside() bool {
	return s.enum != nil || s.equal != nil || s.shortest > 0 || s.longest >= 0 || s.pattern != ""
}

func (s *shape) listed() bool {
	return s.items != nil || s.places != nil || s.contains != nil || s.fewest > 0 || s.most >= 0 || s.unique
}

func (s *shape) objective() bool {
	return s.members != nil || s.required != nil || s.patterns != nil || s.extra != nil || s.counted()
}

// counted reports whether an object must be judged as a whole.
func (s *shape) counted() bool {
	return s.names != nil || s.fewestOf > 0 || s.mostOf >= 0 || s.needs != nil
}

// combined reports whether other shapes judge the same value.
func (s *shape) combined() bool {
	return s.all != nil || s.any != nil || s.one != nil || s.not != nil || s.cond != nil || s.restMembers != nil || s.restItems != nil
}
