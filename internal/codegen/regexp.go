package codegen

import (
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/evcontract/evcontract/internal/compat/contain"
)

// run is one step of a simple pattern: so many characters of a set.
type run struct {
	set      []rune // pairs, as regexp/syntax has them
	min, max int
}

// runs takes a regular expression apart into runs that need no looking back. It
// is false for what is not so simple, which regexp runs.
func runs(pattern string) ([]run, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat {
		return nil, false
	}
	last := len(re.Sub) - 1
	if re.Sub[0].Op != syntax.OpBeginText || re.Sub[last].Op != syntax.OpEndText {
		return nil, false
	}
	var list []run
	for _, sub := range re.Sub[1:last] {
		some, ok := runsOf(sub)
		if !ok {
			return nil, false
		}
		list = append(list, some...)
	}
	return list, decided(list)
}

// runsOf takes one part of a pattern: a text, a set, or a set repeated.
func runsOf(re *syntax.Regexp) ([]run, bool) {
	bounds := [2]int{1, 1}
	inner := re
	switch re.Op {
	case syntax.OpStar:
		bounds, inner = [2]int{0, -1}, re.Sub[0]
	case syntax.OpPlus:
		bounds, inner = [2]int{1, -1}, re.Sub[0]
	case syntax.OpQuest:
		bounds, inner = [2]int{0, 1}, re.Sub[0]
	case syntax.OpRepeat:
		bounds, inner = [2]int{re.Min, re.Max}, re.Sub[0]
	case syntax.OpLiteral:
		return literalRuns(re)
	}
	set, ok := setOf(inner)
	return []run{{set, bounds[0], bounds[1]}}, ok
}

func literalRuns(re *syntax.Regexp) ([]run, bool) {
	var list []run
	for _, r := range re.Rune {
		if r > 0x7f || re.Flags&syntax.FoldCase != 0 {
			return nil, false
		}
		list = append(list, run{[]rune{r, r}, 1, 1})
	}
	return list, true
}

// setOf gives the ASCII characters of a set or of a single character.
func setOf(re *syntax.Regexp) ([]rune, bool) {
	switch {
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1 && re.Flags&syntax.FoldCase == 0:
		return []rune{re.Rune[0], re.Rune[0]}, re.Rune[0] <= 0x7f
	case re.Op == syntax.OpCharClass && len(re.Rune) > 0:
		return re.Rune, re.Rune[len(re.Rune)-1] <= 0x7f
	}
	return nil, false
}

// decided reports whether each run may take all that it can: nothing behind it
// wants the same characters.
func decided(list []run) bool {
	for i, r := range list {
		if r.min == r.max {
			continue
		}
		for _, next := range list[i+1:] {
			if overlap(r.set, next.set) {
				return false
			}
			if next.min > 0 {
				break
			}
		}
	}
	return true
}

func overlap(a, b []rune) bool {
	for i := 0; i < len(a); i += 2 {
		for j := 0; j < len(b); j += 2 {
			if a[i] <= b[j+1] && b[j] <= a[i+1] {
				return true
			}
		}
	}
	return false
}

// patternCode is the expression of a compiled pattern. A pattern of ECMA-262 is
// rewritten so that it means the same to Go.
func patternCode(pattern string) string {
	re2, err := contain.RE2(pattern)
	if err != nil {
		re2 = pattern // refused when the schema was read
	}
	comment := " // " + strings.ToValidUTF8(strings.Join(strings.Fields(pattern), " "), "?")
	list, simple := runs(re2)
	switch {
	case !simple && re2 == pattern:
		return "regexp.MustCompile(" + literal(pattern) + ")"
	case !simple:
		return "regexp.MustCompile(" + literal(re2) + ")" + comment
	}
	var b strings.Builder
	for i, r := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{Set: %s, Min: %d, Max: %d}", literal(string(r.set)), r.min, r.max)
	}
	return "event.Pattern{" + b.String() + "}" + comment
}
