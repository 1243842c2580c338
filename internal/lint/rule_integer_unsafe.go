package lint

import (
	_ "embed"
	"math/big"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/integer-unsafe.txtar
var integerUnsafeExample string

var integerUnsafe = &Rule{rule.Doc{
	ID: "integer-unsafe", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A JSON integer may be larger than many readers can hold",
	Why:     "JavaScript, and every reader that takes JSON numbers for doubles, rounds integers beyond 9,007,199,254,740,991: it sees the id or the amount of someone else.",
	Fix:     "Bound it with maximum, or send it as a string. ProtoJSON does so by itself: readers must expect a string.",
	Example: integerUnsafeExample,
}, checkIntegerUnsafe}

// safe is the largest integer up to which a double holds every one: 2^53 - 1.
const safe = 9_007_199_254_740_991

func checkIntegerUnsafe(p *Pass) {
	for e, s := range jsonSchemas(p) {
		for _, r := range p.subschemas(s) {
			if key := unsafeKeyword(r.Node); key != "" {
				p.schema(e, p.pathOf(e, s, r), s.PosAt(r.File, r.Pointer+"/"+key),
					"%s lets an integer be larger than 2^53: readers that take numbers for doubles see another one", key).about(r.Pointer)
			}
		}
	}
	for e, s := range protobufs(p) {
		if e.Encoding() == contract.JSON {
			p.longIntegers(e, s)
		}
	}
}

// unsafeKeyword is the keyword by which a schema speaks of such an integer, ""
// where none does.
func unsafeKeyword(n *source.Node) string {
	if f := n.Get("format"); f != nil && (f.Text == "int64" || f.Text == "uint64") && !saysString(n.Get("type")) && bounded(n) == "" {
		return "format"
	}
	if key := bounded(n); key != "within" {
		return key
	}
	return ""
}

// bounded is the keyword that bounds a number beyond what is safe, "within" if
// both bounds are safe, and "" if there is no upper bound.
func bounded(n *source.Node) string {
	upper := ""
	for _, key := range []string{"maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"} {
		bound := number(n.Get(key))
		switch {
		case bound == nil:
		case bound.Abs(bound).Cmp(big.NewFloat(safe+1)) > 0:
			return key
		case strings.HasSuffix(strings.ToLower(key), "maximum"):
			upper = "within"
		}
	}
	return upper
}

func saysString(t *source.Node) bool { return t != nil && t.Text == "string" }

// longIntegers looks for integers of 64 bits that travel as ProtoJSON. A version
// counts from one and stays small.
func (p *Pass) longIntegers(e *contract.Event, s *protobuf.Schema) {
	version := e.Identity.Aggregate.Version.Value.String()
	for _, f := range s.Fields() {
		if (f.Type == contract.Int64Type || f.Type == contract.Uint64Type) && f.Path.String() != version {
			p.schema(e, subject(e)+"/"+f.Path.String(), f.Pos, "%s is an %s on a JSON channel: ProtoJSON writes it as a string, and a reader that wants a number fails or rounds it", f.Path, f.Type)
		}
	}
}
