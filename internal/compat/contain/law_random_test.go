package contain

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

// random makes small schemas and instances over a small universe, so that two
// of them have something to do with each other.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

func pick[T any](r random, list []T) T { return list[r.IntN(len(list))] }

var (
	keys     = []string{"a", "b", "c", "ab"}
	patterns = []string{"^a", "b$", "^[a-c]$", "^ab?$", "a|b", "^$", "^a{2,3}$", "^[^a]*$"}
	scalars  = []any{nil, true, false, 0, 1, 2, 3, 1.5, 0.5, -1, 10, "", "a", "b", "ab", "aa", "c", "abc"}
)

// schema makes a schema of 2020-12 with at most depth levels.
func (r random) schema(depth int) any {
	if depth == 0 || r.IntN(12) == 0 {
		return pick(r, []any{true, true, false, map[string]any{"type": pick(r, typeWords)}, map[string]any{"const": pick(r, scalars)}})
	}
	s := map[string]any{}
	for range 1 + r.IntN(3) {
		r.part(s, depth-1)
	}
	return s
}

// part adds keywords of one kind to a schema.
func (r random) part(s map[string]any, depth int) {
	pick(r, []func(random, map[string]any, int){
		typePart, typePart, enumPart, numberPart, numberPart, stringPart, stringPart, arrayPart, arrayPart,
		objectPart, objectPart, objectPart, unionPart, unionPart, conditionPart,
	})(r, s, depth)
}

var typeWords = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

func typePart(r random, s map[string]any, _ int) {
	s["type"] = pick(r, typeWords)
	if r.IntN(2) == 0 {
		s["type"] = []any{pick(r, typeWords[:3]), pick(r, typeWords[3:])}
	}
}

func enumPart(r random, s map[string]any, _ int) {
	if r.IntN(2) == 0 {
		s["const"] = r.value(1)
		return
	}
	s["enum"] = []any{pick(r, scalars), pick(r, scalars), r.value(1)}
}

func numberPart(r random, s map[string]any, _ int) {
	switch r.IntN(4) {
	case 0:
		s["minimum"] = r.IntN(4) - 1
	case 1:
		s["maximum"] = r.IntN(4)
	case 2:
		s["exclusiveMinimum"] = r.IntN(3)
	default:
		s["multipleOf"] = pick(r, []any{1, 2, 3, 0.5, 1.5})
	}
}

func stringPart(r random, s map[string]any, _ int) {
	switch r.IntN(3) {
	case 0:
		s["minLength"] = r.IntN(3)
	case 1:
		s["maxLength"] = r.IntN(3)
	default:
		s["pattern"] = pick(r, patterns)
	}
}

func arrayPart(r random, s map[string]any, depth int) {
	switch r.IntN(7) {
	case 0:
		s["items"] = r.schema(depth)
	case 1:
		s["prefixItems"] = []any{r.schema(depth), r.schema(depth)}
	case 2:
		s["minItems"] = r.IntN(4)
	case 3:
		s["maxItems"] = r.IntN(4)
	case 4:
		s["uniqueItems"] = true
	case 5:
		s["contains"] = r.schema(depth)
	default:
		s["contains"], s["minContains"], s["maxContains"] = r.schema(depth), r.IntN(2), r.IntN(3)
	}
}

func objectPart(r random, s map[string]any, depth int) {
	switch r.IntN(10) {
	case 0:
		s["required"] = []any{pick(r, keys)}
	case 1, 2:
		s["properties"] = map[string]any{pick(r, keys): r.schema(depth), pick(r, keys): r.schema(depth)}
	case 3:
		s["patternProperties"] = map[string]any{pick(r, patterns): r.schema(depth)}
	case 4:
		s["additionalProperties"] = r.schema(depth)
	case 5:
		s["additionalProperties"] = false
	case 6:
		s["propertyNames"] = r.schema(depth)
	case 7:
		s["minProperties"] = r.IntN(3)
	case 8:
		s["maxProperties"] = r.IntN(3)
	default:
		s["dependentRequired"] = map[string]any{pick(r, keys): []any{pick(r, keys)}}
	}
	if r.IntN(12) == 0 {
		s["unevaluatedProperties"] = r.schema(0)
	}
}

func unionPart(r random, s map[string]any, depth int) {
	list := []any{r.schema(depth), r.schema(depth)}
	switch r.IntN(4) {
	case 0:
		s["allOf"] = list
	case 1:
		s["anyOf"] = list
	case 2:
		s["oneOf"] = list
	default:
		s["not"] = r.schema(depth)
	}
}

func conditionPart(r random, s map[string]any, depth int) {
	s["if"], s["then"] = r.schema(depth), r.schema(depth)
	if r.IntN(2) == 0 {
		s["else"] = r.schema(depth)
	}
}

// value makes an instance.
func (r random) value(depth int) any {
	if depth == 0 || r.IntN(3) == 0 {
		return pick(r, scalars)
	}
	n := r.IntN(4)
	if r.IntN(2) == 0 {
		list := make([]any, n)
		for i := range list {
			list[i] = r.value(depth - 1)
		}
		return list
	}
	m := map[string]any{}
	for range n {
		m[pick(r, append(keys, "k"+strconv.Itoa(n)))] = r.value(depth - 1)
	}
	return m
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
