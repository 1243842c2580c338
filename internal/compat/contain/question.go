package contain

// Verdict is the answer to one question.
type Verdict uint8

// Unknown is what nobody proved and nobody refuted.
const (
	Unknown Verdict = iota
	Holds
	Refuted
)

func (v Verdict) String() string {
	switch v {
	case Holds:
		return "holds"
	case Refuted:
		return "refuted"
	}
	return "unknown"
}

// Assumptions say how writer and reader behave beyond their schemas. They only
// shrink the writer and enlarge the reader, so that every refusal is one of
// the plain schemas too.
type Assumptions struct {
	// ClosedWriter: the writer emits only keys that it declares. A key may appear
	// if a subschema that applies to the same object names it, by properties, by
	// patternProperties, or as a map with a schema in additionalProperties.
	ClosedWriter bool

	// IgnoreUnknown: the reader relaxes false in additionalProperties and
	// unevaluatedProperties at positive positions; there oneOf reads as anyOf.
	IgnoreUnknown bool

	// IgnoreEnums: the reader takes a value that its enum does not name for no
	// value at all; at positive positions enum stands for the types of its values,
	// and oneOf reads as anyOf. Branches of which two or more are each a string,
	// and others null, are an enum in other words; a const else stays.
	IgnoreEnums bool

	// Fields, unless nil, are the only paths that the reader validates: names,
	// "[]" for any element, "{}" for any value of a map, "[0]" for a place.
	Fields [][]string
}

// Budget bounds the work in steps. Zero fields stand for the defaults.
type Budget struct {
	Steps  int // expansions of goals, for the whole question
	States int // states of one product of string automata
	Depth  int // nesting of values
}

// Question asks whether the reader takes all that the writer may send.
type Question struct {
	Writer, Reader *Schema
	Assume         Assumptions
	Budget         Budget
	MaxBreaks      int      // more are only counted; zero is 20
	Seeds          [][]byte // examples of instances, to start from
}

// Reason says why an answer is Unknown.
type Reason struct {
	Keyword string   // what is not decided, or what used a budget up; "" where nothing stands out
	At      Location // where it stands
	Budget  string   // "steps", "states" or "depth" where a budget ended the search
}

func (r Reason) String() string {
	switch {
	case r.Budget != "" && r.Keyword != "":
		return r.Keyword + " at " + r.At.String() + " takes more than the budget of " + r.Budget
	case r.Budget != "":
		return "the budget of " + r.Budget + " is used up"
	case r.Keyword != "":
		return r.Keyword + " at " + r.At.String() + " is not decided"
	}
	return "not decided"
}

// Answer is what was found. Breaks is empty unless Verdict is Refuted.
type Answer struct {
	Verdict Verdict
	Breaks  []Break
	More    int      // breaks beyond MaxBreaks
	Reason  Reason   // of Unknown
	Notes   []string // what else a person should know, such as a place that stayed undecided
	Without [][]byte // of Holds, beside each note: what would be refused without its assumption, or nil
}

// Break is one place of the reader that refuses something the writer may send.
type Break struct {
	Witness  []byte   // accepted by the writer's schema, refused by the reader's
	Instance string   // JSON pointer in Witness of the offending part
	Path     []string // the same as segments, in the notation of Assumptions.Fields
	Keyword  string   // of the reader, the one that refuses
	Detail   string   // missing name, refused value, bound
	Reader   Location // of the keyword
	Writer   Location // of the writer's schema for the part, if it has one
}
