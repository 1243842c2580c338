package contain

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// leaf finds the error of the place that was asked for, or else the first.
func (k *asker) leaf(bad *jsonschema.ValidationError, p place) *jsonschema.ValidationError {
	want := p.schema
	if p.keyword != "" && p.keyword != "false" {
		want += "/" + p.keyword
	}
	if p.keyword == "contains" { // the validator calls it by its other name
		want = p.schema + "/minContains"
	}
	var hit *jsonschema.ValidationError
	var look func(e *jsonschema.ValidationError)
	look = func(e *jsonschema.ValidationError) {
		if hit == nil && p.schema != "" && (e.AbsoluteKeywordLocation == want || strings.HasPrefix(unescapePath(e.AbsoluteKeywordLocation), unescapePath(want)) && len(e.Causes) == 0) {
			hit = e
		}
		for _, c := range e.Causes {
			look(c)
		}
	}
	look(bad)
	if hit == nil {
		hit = bad
	}
	return likely(leafOf(hit))
}

// likely goes into a union where all branches but one fail on the very type or
// constant of the part: the one left is the branch that was meant.
func likely(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	if t := lastToken(e.AbsoluteKeywordLocation); len(e.Causes) < 2 || t != "anyOf" && t != "oneOf" {
		return e
	}
	var meant *jsonschema.ValidationError
	for _, c := range e.Causes {
		leaf := leafOf(c)
		switch keywordOf(unescapePath(leaf.AbsoluteKeywordLocation)) {
		case "type", "const", "enum", "false":
			if leaf.InstanceLocation == e.InstanceLocation {
				continue
			}
		}
		if meant != nil {
			return e
		}
		meant = leaf
	}
	if meant == nil {
		return e
	}
	return likely(meant)
}

// extend follows the instance pointer beyond the steps that were asked for.
func extend(path []string, v any, pointer string) []string {
	if pointer == "" {
		return path
	}
	tokens := strings.Split(pointer[1:], "/")
	out := path[:len(path):len(path)]
	for i, t := range tokens {
		_, isArray := v.([]any)
		if i >= len(path) {
			if isArray {
				t = "[]"
			}
			out = append(out, unescapeToken(t))
		}
		v, _ = digValue(v, "/"+tokens[i])
	}
	return out
}

// dress replaces values off the offending path by those of an example, or by
// plausible ones, if the result still replays and is refused at the same place.
func (k *asker) dress(v any, at site, p place) any {
	where := func(v any) string {
		bad, err := k.q.Reader.check(v)
		if err != nil || bad == nil {
			return ""
		}
		return k.leaf(bad, p).AbsoluteKeywordLocation
	}
	first := where(v)
	does := func(w any) bool { return k.verify(w) && where(w) == first }
	for _, seed := range k.seeds {
		if d := borrow(v, seed, at.path); does(d) {
			return d
		}
	}
	d := newDresser(k.q.Writer, 1)
	d.also = []*node{k.writer, k.reader}
	return d.dress(v, append([]string{}, at.path...), does)
}

func borrow(v, seed any, path []string) any {
	m, ok := v.(map[string]any)
	from, ok2 := seed.(map[string]any)
	if !ok || !ok2 {
		return v
	}
	out := make(map[string]any, len(m))
	for key, e := range m {
		s, has := from[key]
		switch {
		case !has || len(path) == 0:
			out[key] = e
		case key == path[0]:
			out[key] = borrow(e, s, path[1:])
		default:
			out[key] = s
		}
	}
	return out
}
