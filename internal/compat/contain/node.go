package contain

import (
	"encoding/binary"
	"hash/maphash"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// typ is a set of JSON types.
type typ uint8

const (
	tNull typ = 1 << iota
	tBool
	tNumber
	tString
	tArray
	tObject
	tAll = tNull | tBool | tNumber | tString | tArray | tObject
)

var typeNames = map[string]typ{
	"null": tNull, "boolean": tBool, "number": tNumber, "integer": tNumber,
	"string": tString, "array": tArray, "object": tObject,
}

// kind says what a node asserts. Assertions of one type hold for every
// instance of another type, as in JSON Schema.
type kind uint8

const (
	kTrue kind = iota
	kFalse
	kAnd
	kOr
	kNot
	kOneOf
	kIf  // kids: condition, then, else
	kRef // kids[0] is the target; only where the schema is recursive
	kTypes
	kEnum
	kLower    // number ≥ rat, or > rat
	kUpper    // number ≤ rat, or < rat
	kMultiple // number is a multiple of rat
	kMinLen
	kMaxLen
	kPattern
	kOpaque // a predicate without a theory: a format, a pattern with lookaround
	kItem   // item n, if there, satisfies kids[0]
	kRest   // items from n on satisfy kids[0]
	kHasMin // at least n items satisfy kids[0]
	kHasMax // at most n items satisfy kids[0]
	kUnique
	kMinItems
	kMaxItems
	kReq   // has the key name
	kProp  // the value of key name, if there, satisfies kids[0]
	kPat   // values of keys that match pats[0] satisfy kids[0]
	kAdd   // values of keys outside names and pats satisfy kids[0]
	kNames // keys satisfy kids[0]
	kMinProps
	kMaxProps
)

// node is one immutable node of the algebra.
type node struct {
	kind   kind
	excl   bool // of a bound, that it is out; else a mark for assumptions: see relaxation
	types  typ
	touch  typ // outside it the node is trivially true
	may    typ // outside it the node is trivially false
	n      int64
	name   string
	names  []string
	kids   []*node
	pats   []*pattern
	rat    *big.Rat
	values *valueSet
	opaque *opaque
	hash   [2]uint64
	place  place
}

// place is where a node comes from: a schema's absolute location and a keyword
// path below it.
type place struct{ schema, keyword string }

// opaque is a predicate that can be evaluated, perhaps, but not reasoned about
// any further than its parts say.
type opaque struct {
	key     string             // equal keys mean equal predicates
	keyword string             // as the user wrote it
	holds   func(string) truth // nil: not even evaluable
	samples []string           // strings to try
	parts   []patternPart      // what a string that it takes must satisfy
	exact   bool               // and nothing more
}

var kindTypes = [...]typ{
	kLower: tNumber, kUpper: tNumber, kMultiple: tNumber,
	kMinLen: tString, kMaxLen: tString, kPattern: tString,
	kItem: tArray, kRest: tArray, kHasMin: tArray, kHasMax: tArray, kUnique: tArray, kMinItems: tArray, kMaxItems: tArray,
	kReq: tObject, kProp: tObject, kPat: tObject, kAdd: tObject, kNames: tObject, kMinProps: tObject, kMaxProps: tObject,
}

// The seeds make hash collisions impossible to prepare from outside.
var (
	seed1 = maphash.MakeSeed()
	seed2 = maphash.MakeSeed()
)

var (
	nodeTrue  = seal(&node{kind: kTrue})
	nodeFalse = seal(&node{kind: kFalse})
)

// seal computes what follows from the node's content.
func seal(n *node) *node {
	n.touch, n.may = n.reach()
	b := n.content(make([]byte, 0, 128))
	n.hash = [2]uint64{maphash.Bytes(seed1, b), maphash.Bytes(seed2, b)}
	return n
}

func (n *node) reach() (touch, may typ) {
	switch n.kind {
	case kTrue:
		return 0, tAll
	case kFalse:
		return tAll, 0
	case kAnd:
		may = tAll
		for _, k := range n.kids {
			touch, may = touch|k.touch, may&k.may
		}
		return touch, may
	case kOr:
		touch = tAll
		for _, k := range n.kids {
			touch, may = touch&k.touch, may|k.may
		}
		return touch, may
	case kNot:
		return n.kids[0].may, n.kids[0].touch
	case kOneOf:
		for _, k := range n.kids {
			may |= k.may
		}
		return tAll, may
	case kTypes:
		return tAll &^ n.types, n.types
	case kEnum:
		return tAll, n.values.types
	case kIf, kRef:
		return tAll, tAll
	case kOpaque:
		return n.types, tAll
	}
	if len(n.kids) == 1 && n.kids[0].kind == kTrue && n.kind != kHasMin && n.kind != kHasMax {
		return 0, tAll
	}
	return kindTypes[n.kind], tAll
}

// content is what two nodes must share to mean the same.
func (n *node) content(b []byte) []byte {
	b = append(b, byte(n.kind), byte(n.types))
	if n.excl && n.kind != kEnum && n.kind != kAdd {
		b = append(b, 1)
	}
	b = binary.AppendVarint(b, n.n)
	b = appendString(b, n.name)
	b = binary.AppendUvarint(b, uint64(len(n.names)))
	for _, s := range n.names {
		b = appendString(b, s)
	}
	for _, p := range n.pats {
		b = appendString(b, p.text)
	}
	if n.rat != nil {
		b = appendString(b, n.rat.RatString())
	}
	if n.values != nil {
		for _, k := range n.values.keys {
			b = appendString(b, k)
		}
	}
	if n.opaque != nil {
		b = appendString(b, n.opaque.key)
	}
	if n.kind == kEnum || n.kind == kRef {
		return b
	}
	for _, k := range n.kids {
		b = binary.LittleEndian.AppendUint64(b, k.hash[0])
		b = binary.LittleEndian.AppendUint64(b, k.hash[1])
	}
	return b
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// same says that two nodes mean the same by their structure.
func (n *node) same(o *node) bool { return n.hash == o.hash }

func and(kids ...*node) *node { return junction(kAnd, kTrue, kFalse, kids) }
func or(kids ...*node) *node  { return junction(kOr, kFalse, kTrue, kids) }

// junction builds a conjunction or disjunction without its neutral elements.
func junction(k, neutral, zero kind, kids []*node) *node {
	var kept []*node
	for _, kid := range kids {
		switch kid.kind {
		case neutral:
			continue
		case zero:
			return kid
		}
		kept = append(kept, kid)
	}
	switch len(kept) {
	case 0:
		if neutral == kTrue {
			return nodeTrue
		}
		return nodeFalse
	case 1:
		return kept[0]
	}
	return seal(&node{kind: k, kids: kept})
}

func not(n *node) *node {
	switch n.kind {
	case kTrue:
		return nodeFalse
	case kFalse:
		return nodeTrue
	case kNot:
		return n.kids[0]
	}
	return seal(&node{kind: kNot, kids: []*node{n}, place: n.place})
}

func hasKey(name string) *node {
	return and(seal(&node{kind: kTypes, types: tObject}), seal(&node{kind: kReq, name: name}))
}

func additional(names []string, pats []*pattern, s *node) *node {
	names = slices.Clone(names)
	slices.Sort(names)
	pats = slices.Clone(pats)
	slices.SortFunc(pats, func(a, b *pattern) int { return strings.Compare(a.text, b.text) })
	return seal(&node{kind: kAdd, names: slices.Compact(names), pats: pats, kids: []*node{s}})
}

func cmpString(a, b string) int { return strings.Compare(a, b) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
