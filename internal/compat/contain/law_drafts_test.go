package contain

import (
	"maps"
	"testing"
)

// grammar makes schemas of one draft, with all that it knows.
type grammar struct {
	random
	draft Draft
}

func (g grammar) schema(depth int) any {
	if depth == 0 || g.IntN(10) == 0 {
		leaves := []any{map[string]any{}, map[string]any{"type": pick(g.random, typeWords)}, map[string]any{"enum": []any{pick(g.random, scalars), pick(g.random, scalars)}}, not1(map[string]any{})}
		if g.draft > Draft4 {
			leaves = append(leaves, true, false, map[string]any{"const": pick(g.random, scalars)})
		}
		return pick(g.random, leaves)
	}
	s := map[string]any{}
	for range 1 + g.IntN(4) {
		g.part(s, depth-1)
	}
	return s
}

func (g grammar) part(s map[string]any, depth int) {
	pick(g.random, []func(grammar, map[string]any, int){
		draftValue, draftValue, draftValue, draftNumber, draftNumber, draftNumber, draftString, draftString,
		draftArray, draftArray, draftArray, draftContains, draftContains, draftObject, draftObject, draftObject, draftObject,
		draftDependency, draftUnion, draftCondition, draftReference, draftUnevaluated,
	})(g, s, depth)
}

func draftValue(g grammar, s map[string]any, _ int) {
	if g.IntN(3) > 0 {
		typePart(g.random, s, 0)
		return
	}
	s["enum"] = []any{pick(g.random, scalars), g.value(1), g.value(2)}
}

func draftNumber(g grammar, s map[string]any, _ int) {
	switch {
	case g.draft > Draft4:
		numberPart(g.random, s, 0)
	case g.IntN(2) == 0:
		s["minimum"], s["exclusiveMinimum"] = g.IntN(4)-1, g.IntN(2) == 0
	default:
		s["maximum"], s["exclusiveMaximum"] = g.IntN(4), g.IntN(2) == 0
	}
	if g.IntN(3) == 0 {
		s["multipleOf"] = pick(g.random, []any{1, 2, 3, 0.5, 1.5, 0.1})
	}
}

func draftString(g grammar, s map[string]any, _ int) { stringPart(g.random, s, 0) }

func draftArray(g grammar, s map[string]any, depth int) {
	tuple, rest := "items", "additionalItems"
	if g.draft == Draft2020 {
		tuple, rest = "prefixItems", "items"
	}
	switch g.IntN(6) {
	case 0:
		s[tuple] = []any{g.schema(depth), g.schema(depth)}
	case 1:
		s["items"] = g.schema(depth)
	case 2:
		s[rest] = g.schema(depth)
		if rest == "additionalItems" && g.IntN(2) == 0 {
			s[rest] = g.IntN(2) == 0
		}
	case 3:
		s["uniqueItems"] = true
	default:
		s[pick(g.random, []string{"minItems", "maxItems"})] = g.IntN(4)
	}
}

func draftContains(g grammar, s map[string]any, depth int) {
	if g.draft >= Draft6 {
		s["contains"] = g.schema(depth)
	}
	if g.draft >= Draft2019 && g.IntN(2) == 0 {
		s[pick(g.random, []string{"minContains", "maxContains"})] = g.IntN(3)
	}
}

func draftObject(g grammar, s map[string]any, depth int) {
	switch g.IntN(6) {
	case 0:
		s["required"] = []any{pick(g.random, keys)}
	case 1:
		s["properties"] = map[string]any{pick(g.random, keys): g.schema(depth), pick(g.random, keys): g.schema(depth)}
	case 2:
		s["patternProperties"] = map[string]any{pick(g.random, patterns): g.schema(depth), pick(g.random, patterns): g.schema(depth)}
	case 3:
		s["additionalProperties"] = pick(g.random, []any{false, false, g.schema(depth)})
	case 4:
		s[pick(g.random, []string{"minProperties", "maxProperties"})] = g.IntN(4)
	default:
		if g.draft >= Draft6 {
			s["propertyNames"] = g.schema(depth)
		}
	}
}

func draftDependency(g grammar, s map[string]any, depth int) {
	needs, schema := map[string]any{pick(g.random, keys): []any{pick(g.random, keys)}}, map[string]any{pick(g.random, keys): g.schema(depth)}
	if g.draft <= Draft7 {
		maps.Copy(needs, schema)
		s["dependencies"] = needs
		return
	}
	s["dependentRequired"] = needs
	s["dependentSchemas"] = schema
}

func draftUnion(g grammar, s map[string]any, depth int) {
	s[pick(g.random, []string{"allOf", "anyOf", "oneOf", "oneOf"})] = []any{g.schema(depth), g.schema(depth), g.schema(depth)}
}

func draftCondition(g grammar, s map[string]any, depth int) {
	if g.draft < Draft7 {
		s["not"] = g.schema(depth)
		return
	}
	s["if"] = g.schema(depth)
	for _, branch := range []string{"then", "else"} {
		if g.IntN(3) > 0 {
			s[branch] = g.schema(depth)
		}
	}
}

func draftReference(g grammar, s map[string]any, _ int) {
	s["$ref"] = pick(g.random, []string{"#/definitions/d", "#/definitions/e"})
}

func draftUnevaluated(g grammar, s map[string]any, depth int) {
	if g.draft >= Draft2019 {
		s[pick(g.random, []string{"unevaluatedProperties", "unevaluatedItems"})] = pick(g.random, []any{false, g.schema(depth)})
	}
}

func (g grammar) document() map[string]any {
	s, ok := g.schema(3).(map[string]any)
	if !ok {
		s = map[string]any{}
	}
	return g.root(s, map[string]any{"d": g.schema(2), "e": g.schema(1)})
}

// root puts the definitions beside s, where a $ref up to draft 7 would hide them.
func (g grammar) root(s map[string]any, definitions any) map[string]any {
	delete(s, "definitions")
	if s["$ref"] != nil && g.draft <= Draft7 {
		s = map[string]any{"allOf": []any{s}}
	}
	s["definitions"] = definitions
	return s
}

// changed is a copy of a document with one keyword dropped or others added.
func (g grammar) changed(a map[string]any) map[string]any {
	b := maps.Clone(a)
	if k := pick(g.random, sortedKeys(b)); k != "definitions" && g.IntN(2) == 0 {
		delete(b, k)
	} else {
		g.part(b, 1)
	}
	return g.root(b, a["definitions"])
}

// TestLawDrafts: pairs of every draft, against every small value, random ones
// and those that the generator makes of both schemas.
func TestLawDrafts(t *testing.T) {
	small := universe()
	var count [3]int
	for seed := range rounds(120) {
		g := grammar{newRandom(uint64(seed) + 12e6), 0}
		g.draft = pick(g.random, []Draft{Draft4, Draft6, Draft7, Draft2019, Draft2020})
		a := g.document()
		b := g.document()
		if g.IntN(2) == 0 {
			b = g.changed(a)
		}
		if g.IntN(2) == 0 {
			a, b = b, a
		}
		writer, err := compileText(g.draft, text(a))
		if err != nil {
			continue
		}
		reader, err := compileText(g.draft, text(b))
		if err != nil {
			continue
		}
		q := Question{Writer: writer, Reader: reader}
		answer := Ask(q)
		count[answer.Verdict]++
		checkAnswer(t, q, answer)
		values := append(small[:len(small):len(small)], made(writer, uint64(seed))...)
		values = append(values, made(reader, uint64(seed))...)
		for range 60 {
			values = append(values, g.plainValue())
		}
		agree(t, q, answer, values)
		if t.Failed() {
			t.Fatalf("seed %d, draft %d: writer %s\nreader %s", seed, g.draft, text(a), text(b))
		}
	}
	t.Logf("unknown %d, holds %d, refuted %d", count[Unknown], count[Holds], count[Refuted])
}

// plainValue is a random value as the decoder gives it.
func (g grammar) plainValue() any {
	v, err := decode([]byte(text(g.value(3))))
	if err != nil {
		panic(err)
	}
	return v
}

// made is what the generator makes of a schema.
func made(s *Schema, seed uint64) (out []any) {
	for _, e := range Generate(s, seed, 10) {
		if v, err := decode(e.Instance); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// agree holds the nodes and the answer to the validator, value by value.
func agree(t *testing.T, q Question, a Answer, values []any) {
	t.Helper()
	for _, v := range values {
		bad, err := q.Writer.check(v)
		refused, err2 := q.Reader.check(v)
		if err != nil || err2 != nil {
			continue // it has no opinion
		}
		if said := eval(q.Writer.root, v); said != unsure && (said == yes) != (bad == nil) {
			t.Errorf("of %s the validator says %v", encode(v), bad)
		}
		if said := eval(q.Reader.root, v); said != unsure && (said == yes) != (refused == nil) {
			t.Errorf("of %s the validator says %v", encode(v), refused)
		}
		if a.Verdict == Holds && bad == nil && refused != nil {
			t.Errorf("holds is contradicted by %s", encode(v))
		}
		if t.Failed() {
			return
		}
	}
}
