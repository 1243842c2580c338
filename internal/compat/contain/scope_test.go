package contain

import (
	"maps"
	"testing"
)

const (
	extensible = `{"$id":"https://example.com/tree","$dynamicAnchor":"node","type":"object","properties":{"v":true,"kids":{"type":"array","items":{"$dynamicRef":"#node"}}}}`
	strict     = `{"$id":"https://example.com/strict","$dynamicAnchor":"node","$ref":"tree","required":["v"],"unevaluatedProperties":false,"$defs":{"t":` + extensible + `}}`
	recursive  = `{"$id":"https://example.com/tree","$recursiveAnchor":true,"type":"object","properties":{"v":true,"kids":{"type":"array","items":{"$recursiveRef":"#"}}}}`
	strict2019 = `{"$id":"https://example.com/strict","$recursiveAnchor":true,"$ref":"tree","required":["v"],"unevaluatedProperties":false,"$defs":{"t":` + recursive + `}}`
	textList   = `{"$id":"https://example.com/list","$ref":"items","$defs":{"text":{"$dynamicAnchor":"item","type":"string"},
		"items":{"$id":"items","type":"array","items":{"$dynamicRef":"#item"},"$defs":{"any":{"$dynamicAnchor":"item"}}}}}`
	plainTree = `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"v":true,"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}},"required":["v"],"additionalProperties":false}}}`
	looping   = `{"$id":"https://example.com/a","$dynamicAnchor":"x","$ref":"b","$defs":{"b":{"$id":"b","$dynamicRef":"#x","$defs":{"d":{"$dynamicAnchor":"x"}}}}}`
)

// TestDynamicScope asks for what the way from the root decides.
func TestDynamicScope(t *testing.T) {
	for _, c := range []struct {
		name, writer, reader string
		draft                Draft
		want                 Verdict
	}{
		{"an extension reads itself", strict, strict, Draft2020, Holds},
		{"an extension narrows every node", strict, extensible, Draft2020, Holds},
		{"what it extends is wider", extensible, strict, Draft2020, Refuted},
		{"deep below", strict, `{"properties":{"kids":{"items":{"properties":{"kids":{"items":{"required":["v"]}}}}}}}`, Draft2020, Holds},
		{"it is what it would be by $ref", strict, plainTree, Draft2020, Holds},
		{"and the other way", plainTree, strict, Draft2020, Holds},
		{"not without the override", extensible, `{"properties":{"kids":{"items":{"required":["v"]}}}}`, Draft2020, Refuted},
		{"2019-09, an extension reads itself", strict2019, strict2019, Draft2019, Holds},
		{"2019-09, narrows every node", strict2019, `{"properties":{"kids":{"items":{"required":["v"]}}}}`, Draft2019, Holds},
		{"2019-09, it is what it would be by $ref", strict2019, plainTree, Draft2019, Holds},
		{"2019-09, what it extends is wider", recursive, strict2019, Draft2019, Refuted},
		{"an item is bound from outside", textList, `{"items":{"type":"string"}}`, Draft2020, Holds},
		{"and nothing else is asked of it", `{"type":"array","items":{"type":"string"}}`, textList, Draft2020, Holds},
		{"an item is bound from outside, refused", `{"type":"array","items":{"type":"number"}}`, textList, Draft2020, Refuted},
		{"a loop at one value that begins below another", `{"type":"object"}`, `{"$id":"https://example.com/a","$dynamicAnchor":"x","properties":{"p":{"$ref":"b"}},"$ref":"b",
			"$defs":{"b":{"$id":"b","$dynamicRef":"#x","$defs":{"d":{"$dynamicAnchor":"x"}}}}}`, Draft2020, Unknown},
		{"a reference that is the only branch", `{"properties":{"a":{"anyOf":[{"$ref":"#"}]}},"type":"object"}`, `{"properties":{"a":{"type":"object"}}}`, Draft2020, Holds},
		{"a loop at one value", `{"type":"string"}`, looping, Draft2020, Unknown},
	} {
		q := Question{Writer: mustCompile(t, c.draft, c.writer), Reader: mustCompile(t, c.draft, c.reader)}
		a := Ask(q)
		checkAnswer(t, q, a)
		if a.Verdict != c.want {
			t.Errorf("%s: %v (%v), want %v; %s", c.name, a.Verdict, a.Reason, c.want, firstWitness(a))
		}
	}
}

// TestDynamicWays: two ways lead to one reference, and each gives it another meaning.
func TestDynamicWays(t *testing.T) {
	item := func(name, kind string) string {
		return `{"$id":"https://example.com/` + name + `","$ref":"items","$defs":{"i":{"$dynamicAnchor":"item","type":"` + kind + `"}}}`
	}
	source := Source{Path: "schema.json", Load: files{
		"schema.json":                `{"$id":"https://example.com/main","type":"object","properties":{"a":{"$ref":"text"},"b":{"$ref":"number"}}}`,
		"https://example.com/text":   item("text", "string"),
		"https://example.com/number": item("number", "number"),
		"https://example.com/items":  `{"$id":"https://example.com/items","type":"array","items":{"$dynamicRef":"#item"},"$defs":{"any":{"$dynamicAnchor":"item"}}}`,
	}.load}
	plain := mustCompile(t, 0, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array","items":{"type":"number"}}}}`)
	dynamic, err := Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []Question{{Writer: plain, Reader: dynamic}, {Writer: dynamic, Reader: plain}} {
		if a := Ask(q); a.Verdict != Holds {
			t.Errorf("%v (%v) %s", a.Verdict, a.Reason, firstWitness(a))
		}
	}
}

// scoped makes documents of three resources that lead to each other, with
// anchors that depend on the way.
type scoped struct {
	random
	draft Draft
}

// leads is a reference, which may be to a dynamic anchor.
func (r scoped) leads() map[string]any {
	to := pick(r.random, []string{"r0", "r1", "r2"})
	if r.IntN(2) == 0 {
		return map[string]any{"$ref": to}
	}
	if r.draft == Draft2019 {
		return map[string]any{"$recursiveRef": "#"}
	}
	return map[string]any{"$dynamicRef": pick(r.random, []string{"#x", "#x", to + "#x", "#y"})}
}

func (r scoped) body(depth int) map[string]any {
	s := map[string]any{}
	sub := func() any {
		if depth == 0 || r.IntN(2) == 0 {
			return r.leads()
		}
		return r.body(depth - 1)
	}
	for range 1 + r.IntN(3) {
		switch r.IntN(10) {
		case 0, 1:
			s["properties"] = map[string]any{pick(r.random, keys): sub(), pick(r.random, keys): sub()}
		case 2:
			s["items"] = sub()
		case 3:
			maps.Copy(s, r.leads())
		case 4:
			s["if"], s["then"], s["else"] = r.random.schema(1), sub(), sub()
		case 5:
			s["anyOf"] = []any{sub(), map[string]any{"type": pick(r.random, typeWords)}}
		case 6:
			s["unevaluatedProperties"] = pick(r.random, []any{false, map[string]any{"type": pick(r.random, typeWords)}})
		case 7:
			s["not"] = map[string]any{"properties": map[string]any{pick(r.random, keys): sub()}}
		default:
			typePart(r.random, s, 0)
		}
	}
	return s
}

// resource is one of the three; its anchors stand at the root or below it.
func (r scoped) resource(id string) map[string]any {
	s := r.body(1)
	s["$id"] = "https://example.com/" + id
	if r.draft == Draft2019 {
		s["$recursiveAnchor"] = r.IntN(3) > 0
		return s
	}
	defs := map[string]any{}
	for _, name := range []string{"x", "y"} {
		def := r.body(0)
		if r.IntN(3) == 0 && s["$dynamicAnchor"] == nil {
			def = s
		} else {
			defs["d"+name] = def
		}
		def["$dynamicAnchor"] = name
	}
	s["$defs"] = defs
	return s
}

func (r scoped) document() map[string]any {
	s := r.resource("r0")
	defs, _ := s["$defs"].(map[string]any)
	if defs == nil {
		defs = map[string]any{}
		s["$defs"] = defs
	}
	defs["r1"], defs["r2"] = r.resource("r1"), r.resource("r2")
	return s
}

// TestLawDynamicScope: whatever is said of a schema with dynamic references, the
// validator says it as well.
func TestLawDynamicScope(t *testing.T) {
	values := universe()
	var count [3]int
	sure, total := 0, 0
	for seed := range rounds(400) {
		r := scoped{newRandom(uint64(seed) + 11e6), pick(newRandom(uint64(seed)), []Draft{Draft2019, Draft2020, Draft2020})}
		a, b := r.document(), r.document()
		writer, err := compileText(r.draft, text(a))
		if err != nil {
			continue
		}
		reader, err := compileText(r.draft, text(b))
		if err != nil {
			continue
		}
		q := Question{Writer: writer, Reader: reader}
		answer := Ask(q)
		count[answer.Verdict]++
		checkAnswer(t, q, answer)
		for _, v := range values {
			if eval(writer.root, v) != unsure {
				sure++
			}
			total++
		}
		agree(t, q, answer, values)
		if t.Failed() {
			t.Fatalf("seed %d: writer %s\nreader %s", seed, text(a), text(b))
		}
	}
	t.Logf("unknown %d, holds %d, refuted %d; of single values sure %d of %d", count[Unknown], count[Holds], count[Refuted], sure, total)
	if count[Holds] == 0 || count[Refuted] == 0 {
		t.Error("nothing was decided")
	}
}
