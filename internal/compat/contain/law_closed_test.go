package contain

import (
	"regexp"
	"slices"
	"testing"
)

// declares is a second reading of what a closed writer is, straight from the
// schemas and one instance at a time: the schemas that apply to a part are
// those whose condition the part meets.
type declares struct {
	t    *testing.T
	defs map[string]any
}

func (d declares) valid(schema, v any) bool {
	return mustCompile(d.t, Draft2020, text(map[string]any{"allOf": []any{schema}, "$defs": d.defs})).Validate([]byte(text(v))) == nil
}

// applicable lists the schemas that judge the same value and apply to it.
func (d declares) applicable(schema, v any) []map[string]any {
	s, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	out := []map[string]any{s}
	follow := func(sub any) { out = append(out, d.applicable(sub, v)...) }
	list := func(keyword string) []any { l, _ := s[keyword].([]any); return l }
	if ref, ok := s["$ref"].(string); ok {
		follow(d.defs[ref[len("#/$defs/"):]])
	}
	for _, sub := range list("allOf") {
		follow(sub)
	}
	for _, sub := range append(slices.Clone(list("anyOf")), list("oneOf")...) {
		if d.valid(sub, v) {
			follow(sub)
		}
	}
	if cond, ok := s["if"]; ok {
		branch := "else"
		if d.valid(cond, v) {
			branch = "then"
			follow(cond)
		}
		follow(s[branch])
	}
	for key, sub := range object(s["dependentSchemas"]) {
		if _, has := object(v)[key]; has {
			follow(sub)
		}
	}
	return out
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// closed reports whether every object of v has declared keys only, given the
// schemas that were applied to v.
func (d declares) closed(schemas []any, v any) bool {
	var all []map[string]any
	for _, s := range schemas {
		all = append(all, d.applicable(s, v)...)
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			if !d.closed(d.ofItem(all, i, e), e) {
				return false
			}
		}
	case map[string]any:
		named := false
		for _, s := range all {
			named = named || len(object(s["properties"]))+len(object(s["patternProperties"]))+len(list(s["required"])) > 0
		}
		for k, e := range v {
			kids, declared := d.ofKey(all, k)
			if named && !declared || !d.closed(kids, e) {
				return false
			}
		}
	}
	return true
}

func list(v any) []any { l, _ := v.([]any); return l }

func (d declares) ofItem(all []map[string]any, i int, e any) (kids []any) {
	for _, s := range all {
		prefix := list(s["prefixItems"])
		if i < len(prefix) {
			kids = append(kids, prefix[i])
		} else if items, ok := s["items"]; ok {
			kids = append(kids, items)
		}
		if c, ok := s["contains"]; ok && d.valid(c, e) {
			kids = append(kids, c)
		}
	}
	return kids
}

func (d declares) ofKey(all []map[string]any, k string) (kids []any, declared bool) {
	for _, s := range all {
		own := false
		if sub, ok := object(s["properties"])[k]; ok {
			own, kids = true, append(kids, sub)
		}
		for p, sub := range object(s["patternProperties"]) {
			if regexp.MustCompile(p).MatchString(k) {
				own, kids = true, append(kids, sub)
			}
		}
		more, isMap := s["additionalProperties"].(map[string]any)
		if isMap && !own {
			own, kids = true, append(kids, more)
		}
		declared = declared || own || slices.Contains(list(s["required"]), any(k))
	}
	return kids, declared
}

// closedSchema makes a schema of the words that declare keys and of those that
// make a declaration conditional.
func (r random) closedSchema(depth int) map[string]any {
	s := map[string]any{}
	if depth == 0 {
		return pick(r, []map[string]any{{}, {"type": "string"}, {"type": "object"}, {"type": "integer"}})
	}
	sub := func() any { return r.closedSchema(depth - 1) }
	for range 1 + r.IntN(2) {
		switch r.IntN(13) {
		case 0, 1, 2, 3:
			s["properties"] = map[string]any{pick(r, keys): sub(), pick(r, keys): sub()}
		case 4:
			s["patternProperties"] = map[string]any{pick(r, patterns[:5]): sub()}
		case 5:
			s["additionalProperties"] = sub()
		case 6:
			s["required"] = []any{pick(r, keys)}
		case 7:
			s["items"] = sub()
		case 8:
			s["prefixItems"], s["contains"] = []any{sub()}, sub()
		case 9:
			s[pick(r, []string{"anyOf", "oneOf"})] = []any{sub(), sub()}
		case 10:
			s["allOf"] = []any{sub(), sub()}
		case 11:
			s["if"], s["then"], s["else"] = sub(), sub(), sub()
		default:
			s[pick(r, []string{"$ref", "type"})] = "#/$defs/d"
			if s["type"] != nil {
				s["type"] = pick(r, []string{"object", "array"})
			}
		}
	}
	return s
}

// closedValue makes a value with few keys and many objects.
func (r random) closedValue(depth int) any {
	if depth == 0 || r.IntN(5) == 0 {
		return pick(r, []any{"a", 1, map[string]any{}})
	}
	if r.IntN(4) == 0 {
		return []any{r.closedValue(depth - 1), r.closedValue(depth - 1)}
	}
	m := map[string]any{}
	for range r.IntN(3) {
		m[pick(r, keys)] = r.closedValue(depth - 1)
	}
	return m
}

// TestLawClosed: what the prover takes for a value of a closed writer is one by
// the second reading. Where patterns overlap, or many conditions meet, it takes
// more for one; it must never take less.
func TestLawClosed(t *testing.T) {
	var count [3]int
	loose := 0
	for seed := range rounds(40) {
		r := newRandom(uint64(seed) + 6e6)
		d := declares{t, map[string]any{"d": r.closedSchema(2)}}
		schema := r.closedSchema(3)
		whole := map[string]any{"allOf": []any{schema}, "$defs": d.defs}
		writer := compileOrSkip(t, whole)
		if writer == nil {
			continue
		}
		for range 40 {
			v := r.closedValue(3)
			parsed, err := decode([]byte(text(v)))
			if err != nil {
				t.Fatal(err)
			}
			want := d.valid(schema, v) && d.closed([]any{schema}, v)
			got := eval(writer.closed(), parsed)
			count[got]++
			if got == yes && !want {
				loose++
			}
			if want && got == no {
				t.Fatalf("seed %d: the writer may send %s and is taken for one that does not\n%s", seed, text(v), text(whole))
			}
			if got == yes && !d.valid(schema, v) {
				t.Fatalf("seed %d: %s is no value of the writer\n%s", seed, text(v), text(whole))
			}
		}
	}
	t.Logf("taken %d, refused %d, taken though not closed %d", count[yes], count[no], loose)
	if loose*50 > count[yes] {
		t.Errorf("%d values of %d are taken though not closed", loose, count[yes])
	}
}
