package lint

import (
	_ "embed"
	"regexp"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/pattern-dialect.txtar
var patternDialectExample string

var patternDialect = &Rule{rule.Doc{
	ID: "pattern-dialect", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A pattern means something else, or nothing, to other validators",
	Why:     "JSON Schema takes its patterns from ECMA-262. Validators in Go and Rust know no lookaround and no back-references and refuse the whole schema; those in JavaScript take \\A, \\z and (?i) for letters or for an error. One event is valid here and refused there.",
	Fix:     "Write ^ and $, classes like [0-9], and say with allOf or not what lookaround says.",
	Example: patternDialectExample,
}, checkPatternDialect}

// foreign are the constructs that not all dialects of patterns have, and what
// happens to them.
var foreign = []struct {
	construct *regexp.Regexp
	then      string
}{
	{regexp.MustCompile(`\(\?<?[=!]`), "lookaround, with which validators in Go and Rust refuse the whole schema"},
	{regexp.MustCompile(`\\[1-9]|\\k<`), "a back-reference, with which validators in Go and Rust refuse the whole schema"},
	{regexp.MustCompile(`\\[AzZQEhGR]`), "an escape that ECMA-262 does not have: JavaScript takes it for a letter, or refuses it"},
	{regexp.MustCompile(`\(\?(?:P<|>|[a-z-]+[:)])`), "a group that ECMA-262 does not have: JavaScript refuses the pattern"},
	{regexp.MustCompile(`[*+?}]\+`), "a possessive quantifier, which JavaScript refuses"},
}

var (
	// What begins no construct: an escaped character that stands for itself, a
	// code point or a property of Unicode, a class.
	inert = regexp.MustCompile(`\\[^0-9A-Za-z]|\\[pPux]\{[^}]*\}`)
	class = regexp.MustCompile(`\[[^\]]*\]`)
	posix = regexp.MustCompile(`\[[^\]]*\[:\^?[a-z]+:\]`)
)

func checkPatternDialect(p *Pass) {
	for e, s := range jsonSchemas(p) {
		for _, r := range p.subschemas(s) {
			if n := r.Node.Get("pattern"); n != nil && n.Kind == source.String {
				p.dialect(e, s, r, n.Text, n.Pos)
			}
			if n := r.Node.Get("patternProperties"); n != nil {
				for _, m := range n.Members {
					p.dialect(e, s, r, m.Key, m.Pos)
				}
			}
		}
	}
}

func (p *Pass) dialect(e *contract.Event, s *jsonschema.Schema, r jsonschema.Ref, pattern string, at source.Pos) {
	if then := foreignIn(pattern); then != "" {
		p.schema(e, p.pathOf(e, s, r), at, "pattern %s has %s", pattern, then).about(r.Pointer, pattern)
	}
}

// foreignIn says what a pattern has that not all dialects have, "" for nothing.
func foreignIn(pattern string) string {
	pattern = inert.ReplaceAllString(pattern, "_")
	if posix.MatchString(pattern) {
		return "a class like [:alpha:], which JavaScript takes for a set of its letters"
	}
	pattern = class.ReplaceAllString(pattern, "_")
	for _, f := range foreign {
		if f.construct.MatchString(pattern) {
			return f.then
		}
	}
	return ""
}
