package lint

import (
	_ "embed"
	"math/big"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/unsatisfiable.txtar
var unsatisfiableExample string

var unsatisfiable = &Rule{rule.Doc{
	ID: "unsatisfiable", Kind: rule.Lint, Severity: rule.Error,
	Title:   "No value satisfies a part of the schema",
	Why:     "An event that has the part is refused by every reader that validates. If the part is required, there is no valid event at all.",
	Fix:     "Correct the bounds, or the values.",
	Example: unsatisfiableExample,
}, checkUnsatisfiable}

// crossed are the pairs of keywords of which the first must not exceed the second.
var crossed = [][2]string{
	{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"},
	{"minProperties", "maxProperties"}, {"minContains", "maxContains"},
}

func checkUnsatisfiable(p *Pass) {
	for e, s := range jsonSchemas(p) {
		said := map[place]bool{}
		for _, r := range p.subschemas(s) {
			for _, pair := range crossed {
				if low, high := number(r.Node.Get(pair[0])), number(r.Node.Get(pair[1])); low != nil && high != nil && low.Cmp(high) > 0 {
					said[place{r.File, r.Pointer}] = true
					p.schema(e, p.pathOf(e, s, r), s.PosAt(r.File, r.Pointer+"/"+pair[0]), "%s is more than %s: no value satisfies both", pair[0], pair[1]).about(r.Pointer, pair[0])
				}
			}
			if key := emptied(r.Node); key != "" {
				said[place{r.File, r.Pointer}] = true
				p.schema(e, p.pathOf(e, s, r), s.PosAt(r.File, r.Pointer+"/"+key), "%s allows nothing of the type that type demands: no value satisfies both", key).about(r.Pointer, key)
			}
		}
		p.empty(e, s, said)
	}
}

// place names a subschema.
type place struct{ file, pointer string }

// empty notes the parts that the prover finds empty, the innermost ones: what
// is around them is empty because of them.
func (p *Pass) empty(e *contract.Event, s *jsonschema.Schema, said map[place]bool) {
	if s.Compiled() == nil {
		return
	}
	empty := map[place]bool{}
	for _, l := range s.Compiled().Empty() {
		if r, ok := s.At(l.Document, l.Pointer); ok {
			empty[place{r.File, r.Pointer}] = true
		}
	}
	endless := endlessIn(s, p.subschemas(s))
	for _, r := range slices.Backward(p.subschemas(s)) {
		at := place{r.File, r.Pointer}
		if !empty[at] || around(said, at) || endless[at] || s.OnlyRefers(r) {
			continue
		}
		said[at] = true
		p.schema(e, p.pathOf(e, s, r), s.PosAt(r.File, r.Pointer), "no value satisfies all that is said here").about(r.Pointer)
	}
}

// around reports whether a place is one of these, or lies around one.
func around(list map[place]bool, at place) bool {
	for inner := range list {
		if inner.file == at.file && (inner.pointer == at.pointer || strings.HasPrefix(inner.pointer, at.pointer+"/")) {
			return true
		}
	}
	return false
}

// number is a bound, nil where there is none that can be compared. A big.Float
// takes 1e100000000 without computing its digits.
func number(n *source.Node) *big.Float {
	if n == nil || n.Kind != source.Number {
		return nil
	}
	f, ok := new(big.Float).SetPrec(256).SetString(n.Text)
	if !ok {
		return nil
	}
	return f
}

// emptied is enum or const where type refuses all that it allows, else "".
func emptied(n *source.Node) string {
	types := n.Get("type")
	if types == nil {
		return ""
	}
	fits := func(v *source.Node) bool { return ofType(v, types) }
	if c := n.Get("const"); c != nil && !fits(c) {
		return "const"
	}
	if enum := n.Get("enum"); enum != nil && len(enum.Items) > 0 && !slices.ContainsFunc(enum.Items, fits) {
		return "enum"
	}
	return ""
}

// nodeTypes are the types that a JSON value may have. A number may be an integer.
var nodeTypes = map[source.Kind][]string{
	source.Null: {"null"}, source.Bool: {"boolean"}, source.Number: {"number", "integer"},
	source.String: {"string"}, source.List: {"array"}, source.Map: {"object"},
}

func ofType(v, types *source.Node) bool {
	for _, t := range append(types.Items, types) {
		if slices.Contains(nodeTypes[v.Kind], t.Text) {
			return true
		}
	}
	return false
}
