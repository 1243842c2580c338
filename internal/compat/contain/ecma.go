package contain

import (
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// ecmaPattern is a pattern with lookaround or back-references. Its parts are
// regular: a string that it takes satisfies each of them. Where they say all of
// it, no engine that backtracks is asked.
type ecmaPattern struct {
	text  string
	re    *regexp2.Regexp
	parts []patternPart
	res   []*regexp.Regexp // of parts
	exact bool
}

// patternPart is a pattern in RE2 syntax, and whether strings shall match it.
type patternPart struct {
	text string
	want bool
}

// The bounds of one match by backtracking. The length is the one that counts;
// the time is a safety net for patterns that backtrack without end in less.
const (
	maxMatched = 4096 // bytes
	matchTime  = time.Second
)

func newECMA(text string) *ecmaPattern {
	re, err := regexp2.Compile(text, regexp2.ECMAScript)
	if err != nil {
		return nil
	}
	re.MatchTimeout = matchTime
	p := &ecmaPattern{text: text, re: re}
	p.parts, p.exact = regularParts(text)
	for _, part := range p.parts {
		p.res = append(p.res, regexp.MustCompile(part.text))
	}
	return p
}

// match is unsure where the engine gives up.
func (p *ecmaPattern) match(s string) truth {
	for i, part := range p.parts {
		if p.res[i].MatchString(s) != part.want {
			return no
		}
	}
	if p.exact {
		return yes
	}
	if len(s) > maxMatched {
		return unsure
	}
	ok, err := p.re.MatchString(s)
	if err != nil {
		return unsure
	}
	return truthOf(ok)
}

func (p *ecmaPattern) node() *node {
	return seal(&node{kind: kOpaque, types: tString, opaque: &opaque{key: "ecma:" + p.text, keyword: "pattern", holds: p.match, parts: p.parts, exact: p.exact}})
}

// regularParts takes ^(?!a)(?=b)rest apart, which is all of such a pattern. Of
// any other, what is left without lookaround and back-references takes more.
func regularParts(ecma string) (parts []patternPart, exact bool) {
	conditions, rest, ok := leading(ecma)
	if !ok {
		return widerParts(nil, ecma), false
	}
	exact = true
	for _, c := range append(conditions, "(?="+rest+")") {
		body, want := "^(?:"+c[3:len(c)-1]+")", c[2] == '='
		re, err := RE2(body)
		if err == nil {
			parts = append(parts, patternPart{re, want})
			continue
		}
		exact = false
		if want {
			parts = widerParts(parts, body)
		}
	}
	return parts, exact
}

func widerParts(parts []patternPart, ecma string) []patternPart {
	wider, ok := withoutLooks(ecma)
	if !ok {
		return parts
	}
	re, err := RE2(wider)
	if err != nil {
		return parts
	}
	return append(parts, patternPart{re, true})
}

// withoutLooks leaves lookaround out and lets a back-reference stand for anything.
func withoutLooks(ecma string) (string, bool) {
	var b strings.Builder
	class := false
	for i := 0; i < len(ecma); {
		size := 1
		switch c := ecma[i]; {
		case c == '\\' && !class && backReference(ecma[i:]) > 0:
			b.WriteString("(?:[^]*)")
			i += backReference(ecma[i:])
			continue
		case c == '\\':
			size = min(2, len(ecma)-i)
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case isLookaround(ecma[i:]):
			end := groupEnd(ecma[i:])
			if end < 0 {
				return "", false
			}
			b.WriteString("(?:)")
			i += end
			continue
		}
		b.WriteString(ecma[i : i+size])
		i += size
	}
	return b.String(), true
}

// backReference is the length of the back-reference that s begins with.
func backReference(s string) int {
	if strings.HasPrefix(s, `\k<`) {
		return strings.IndexByte(s, '>') + 1
	}
	n := 1
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 1 || s[1] == '0' {
		return 0
	}
	return n
}
