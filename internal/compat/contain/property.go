package contain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// derived are binary properties of ECMA-262 that Go has in parts: UAX #44,
// DerivedCoreProperties.
var derived = map[string][]*unicode.RangeTable{
	"Alphabetic": {unicode.L, unicode.Nl, unicode.Other_Alphabetic},
	"Lowercase":  {unicode.Ll, unicode.Other_Lowercase},
	"Uppercase":  {unicode.Lu, unicode.Other_Uppercase},
	"ASCII":      {{R16: []unicode.Range16{{Lo: 0, Hi: 0x7f, Stride: 1}}}},
	"Any":        {{R32: []unicode.Range32{{Lo: 0, Hi: 0x10ffff, Stride: 1}}}},
}

// shortNames are the short names of binary properties and of scripts.
var shortNames = map[string]string{
	"Alpha": "Alphabetic", "Lower": "Lowercase", "Upper": "Uppercase", "space": "White_Space", "Hex": "Hex_Digit", "AHex": "ASCII_Hex_Digit",
	"Ideo": "Ideographic", "Latn": "Latin", "Grek": "Greek", "Cyrl": "Cyrillic", "Hani": "Han", "Hira": "Hiragana", "Kana": "Katakana",
	"Arab": "Arabic", "Hebr": "Hebrew", "Deva": "Devanagari", "Thai": "Thai", "Hang": "Hangul", "Armn": "Armenian", "Geor": "Georgian",
}

// property rewrites \p{…}. What RE2 does not know by name is spelled out where
// Go has its characters.
func (r *rewriter) property(inClass bool) error {
	body := r.in[r.pos+2:]
	end := strings.IndexByte(body, '}')
	if !strings.HasPrefix(body, "{") || end < 0 {
		r.put(r.in[r.pos+1:r.pos+2], 2)
		return nil
	}
	name := body[1:end]
	for _, p := range []string{"Script_Extensions=", "scx="} {
		if strings.HasPrefix(name, p) {
			return &Unsupported{r.in, "an extended script"}
		}
	}
	for _, p := range []string{"Script=", "sc=", "General_Category=", "gc="} {
		name = strings.TrimPrefix(name, p)
	}
	if short, ok := longProperties[name]; ok {
		name = short
	}
	if long, ok := shortNames[name]; ok {
		name = long
	}
	tables := derived[name]
	if t, ok := unicode.Properties[name]; ok {
		tables = []*unicode.RangeTable{t}
	}
	if tables == nil {
		r.put(r.in[r.pos:r.pos+2]+"{"+name+"}", 3+end)
		return nil
	}
	ranges := spelled(tables, r.in[r.pos+1] == 'P')
	switch {
	case ranges == "" && inClass:
		return &Unsupported{r.in, "a property that no character has"}
	case ranges == "":
		ranges = `[^\x00-\x{10ffff}]`
	case !inClass:
		ranges = "[" + ranges + "]"
	}
	r.put(ranges, 3+end)
	return nil
}

// spelled writes characters as the inside of a class.
func spelled(tables []*unicode.RangeTable, negated bool) string {
	var list [][2]rune
	for _, t := range tables {
		for _, x := range t.R16 {
			list = appendRange(list, rune(x.Lo), rune(x.Hi), rune(x.Stride))
		}
		for _, x := range t.R32 {
			list = appendRange(list, rune(x.Lo), rune(x.Hi), rune(x.Stride))
		}
	}
	slices.SortFunc(list, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var b strings.Builder
	next := rune(0) // after the last range
	for _, x := range list {
		if negated && x[0] > next {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, next, x[0]-1)
		}
		if !negated {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, x[0], x[1])
		}
		next = max(next, x[1]+1)
	}
	if negated && next <= unicode.MaxRune {
		fmt.Fprintf(&b, `\x{%x}-\x{10ffff}`, next)
	}
	return b.String()
}

func appendRange(list [][2]rune, lo, hi, stride rune) [][2]rune {
	if stride == 1 {
		return append(list, [2]rune{lo, hi})
	}
	for c := lo; c <= hi; c += stride {
		list = append(list, [2]rune{c, c})
	}
	return list
}
