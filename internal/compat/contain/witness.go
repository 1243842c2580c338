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

// dress replaces values off the offending path by those of an example, if the
// result still replays.
func (k *asker) dress(v any, at site) any {
	for _, seed := range k.seeds {
		if d := borrow(v, seed, at.path); k.verify(d) {
			return d
		}
	}
	if d := plausible("", v, at.path); k.verify(d) {
		return d
	}
	return v
}

// plausible gives empty strings off the offending path a value that reads well.
func plausible(name string, v any, path []string) any {
	switch v := v.(type) {
	case string:
		if v == "" && len(path) > 0 {
			return plausibleText(name)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, e := range v {
			switch {
			case len(path) > 0 && key == path[0]:
				out[key] = plausible(key, e, path[1:])
			default:
				out[key] = plausible(key, e, []string{""})
			}
		}
		return out
	}
	return v
}

func plausibleText(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "_at"), strings.HasSuffix(name, "At"), strings.Contains(lower, "time"), strings.Contains(lower, "date"):
		return "2024-02-29T10:20:30Z"
	case strings.Contains(lower, "email"):
		return "a@example.com"
	case strings.Contains(lower, "url"), strings.Contains(lower, "uri"):
		return "https://example.com"
	case strings.HasSuffix(lower, "id"), strings.HasSuffix(lower, "key"):
		return name + "-1"
	case lower == "currency":
		return "EUR"
	}
	return "a " + name
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
