package contain

import "testing"

// decided is the published fragment, line by line: what docs/json-schema.md
// promises is asked here in both directions where that says something.
var decided = []struct {
	name           string
	draft          Draft
	writer, reader string
	want           Verdict
	keyword        string // of the first break, where it matters
}{
	{"types", 0, `{"type":"integer"}`, `{"type":"number"}`, Holds, ""},
	{"types", 0, `{"type":"number"}`, `{"type":"integer"}`, Refuted, "type"},
	{"types", 0, `{}`, `{"type":["null","boolean","number","string","array","object"]}`, Holds, ""},
	{"types", 0, `{}`, `{"type":["null","boolean","number","string","array"]}`, Refuted, "type"},
	{"true and false", 0, `false`, `false`, Holds, ""},
	{"true and false", 0, `true`, `{}`, Holds, ""},
	{"true and false", 0, `{}`, `false`, Refuted, "false"},
	{"1.0 is an integer", 0, `{"const":1.0}`, `{"type":"integer","const":1}`, Holds, ""},
	{"1.0 is an integer", Draft4, `{"enum":[1.0]}`, `{"type":"integer"}`, Holds, ""},

	{"enum", 0, `{"enum":["a","b"]}`, `{"enum":["b","a","c"]}`, Holds, ""},
	{"enum", 0, `{"enum":["a","b"]}`, `{"enum":["a"]}`, Refuted, "enum"},
	{"enum of any value", 0, `{"const":{"a":[1,null]}}`, `{"enum":[{"a":[1.0,null]},2]}`, Holds, ""},
	{"enum of any value", 0, `{"type":"object"}`, `{"enum":[{},{"a":1}]}`, Refuted, "enum"},
	{"enum against a type", 0, `{"type":"boolean"}`, `{"enum":[true,false]}`, Holds, ""},
	{"enum against a type", 0, `{"type":["boolean","null"]}`, `{"enum":[true,false]}`, Refuted, "enum"},
	{"const as a schema", 0, `{"const":{"a":1}}`, `{"properties":{"a":{"minimum":1}},"required":["a"]}`, Holds, ""},
	{"values that are left over", 0, `{"type":"integer","minimum":1,"maximum":3}`, `{"enum":[1,2,3]}`, Holds, ""},
	{"values that are left over", 0, `{"type":"integer","minimum":1,"maximum":4}`, `{"enum":[1,2,3]}`, Refuted, "enum"},

	{"bounds", 0, `{"type":"number","minimum":2}`, `{"exclusiveMinimum":1}`, Holds, ""},
	{"bounds", 0, `{"type":"number","minimum":1}`, `{"exclusiveMinimum":1}`, Refuted, "exclusiveMinimum"},
	{"bounds of integers", 0, `{"type":"integer","exclusiveMinimum":0}`, `{"minimum":1}`, Holds, ""},
	{"bounds of integers", 0, `{"type":"number","exclusiveMinimum":0}`, `{"minimum":1}`, Refuted, "minimum"},
	{"exclusive bounds of draft 4", Draft4, `{"maximum":5}`, `{"maximum":5,"exclusiveMaximum":true}`, Refuted, "exclusiveMaximum"},
	{"beyond 2^53", 0, `{"const":9007199254740993}`, `{"maximum":9007199254740992}`, Refuted, "maximum"},
	{"decimals are exact", 0, `{"const":0.3}`, `{"multipleOf":0.1}`, Holds, ""},
	{"lattices", 0, `{"type":"number","multipleOf":6}`, `{"multipleOf":1.5}`, Holds, ""},
	{"lattices", 0, `{"type":"number","multipleOf":1.5}`, `{"multipleOf":6}`, Refuted, "multipleOf"},
	{"lattices meet", 0, `{"allOf":[{"multipleOf":4},{"multipleOf":6}],"type":"number"}`, `{"multipleOf":12}`, Holds, ""},
	{"a lattice misses an interval", 0, `{"type":"number","multipleOf":10,"minimum":1,"maximum":9}`, `false`, Holds, ""},

	{"lengths", 0, `{"type":"string","minLength":2}`, `{"minLength":1}`, Holds, ""},
	{"lengths", 0, `{"type":"string","maxLength":2}`, `{"maxLength":1}`, Refuted, "maxLength"},
	{"lengths count code points", 0, `{"const":"😀"}`, `{"maxLength":1}`, Holds, ""},
	{"patterns", 0, `{"type":"string","pattern":"^a+$"}`, `{"pattern":"a"}`, Holds, ""},
	{"patterns", 0, `{"type":"string","pattern":"a"}`, `{"pattern":"^a+$"}`, Refuted, "pattern"},
	{"patterns and lengths", 0, `{"type":"string","pattern":"^[A-Z]{3}$"}`, `{"minLength":3,"maxLength":3}`, Holds, ""},
	{"patterns and lengths", 0, `{"type":"string","minLength":3,"maxLength":3}`, `{"pattern":"^[A-Z]{3}$"}`, Refuted, "pattern"},
	{"patterns and values", 0, `{"enum":["EUR","USD"]}`, `{"pattern":"^[A-Z]{3}$"}`, Holds, ""},
	{"patterns and values", 0, `{"type":"string","pattern":"^(a|b)$"}`, `{"enum":["a","b"]}`, Holds, ""},
	{"intersection of patterns", 0, `{"type":"string","allOf":[{"pattern":"^a"},{"pattern":"^b"}]}`, `false`, Holds, ""},
	{"complement of a pattern", 0, `{"type":"string","not":{"pattern":"a"}}`, `{"pattern":"^[^a]*$"}`, Holds, ""},
	{"ECMA-262 classes", 0, `{"const":"\u00a0"}`, `{"pattern":"^\\s$"}`, Holds, ""},
	{"ECMA-262 escapes", 0, `{"const":"é"}`, `{"pattern":"^\\u00e9$"}`, Holds, ""},
	{"lookaround, the same text", 0, `{"type":"string","pattern":"^(?!x)a"}`, `{"pattern":"^(?!x)a"}`, Holds, ""},
	{"lookaround, finite", 0, `{"enum":["ab","xb"]}`, `{"pattern":"^(?!x)"}`, Refuted, "pattern"},
	{"formats are annotations", 0, `{"type":"string"}`, `{"format":"date-time"}`, Holds, ""},
	{"formats are annotations", Draft7, `{"type":"string"}`, `{"format":"date-time","contentEncoding":"base64"}`, Holds, ""},

	{"items", 0, `{"type":"array","items":{"type":"integer"}}`, `{"items":{"type":"number"}}`, Holds, ""},
	{"items", 0, `{"type":"array","items":{"type":"number"}}`, `{"items":{"type":"integer"}}`, Refuted, "type"},
	{"tuples", 0, `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"items":{"type":"string"}}`, Holds, ""},
	{"tuples of draft 7", Draft7, `{"type":"array","items":[{"type":"string"}],"additionalItems":false}`, `{"maxItems":1}`, Holds, ""},
	{"array sizes", 0, `{"type":"array","minItems":2}`, `{"minItems":1}`, Holds, ""},
	{"array sizes", 0, `{"type":"array","minItems":1}`, `{"minItems":2}`, Refuted, "minItems"},
	{"contains", 0, `{"type":"array","contains":{"const":1}}`, `{"contains":{"type":"integer"}}`, Holds, ""},
	{"contains", 0, `{"type":"array","contains":{"type":"integer"}}`, `{"contains":{"const":1}}`, Refuted, "contains"},
	{"contains implied by items", 0, `{"type":"array","items":{"const":1},"minItems":1}`, `{"contains":{"type":"integer"}}`, Holds, ""},
	{"contains with counts", 0, `{"type":"array","contains":{"const":1},"minContains":2}`, `{"minItems":2}`, Holds, ""},
	{"contains with counts", 0, `{"type":"array","contains":{"const":1},"minContains":2}`, `{"contains":{"const":1},"maxContains":2}`, Refuted, "maxContains"},
	{"uniqueItems", 0, `{"type":"array","maxItems":1}`, `{"uniqueItems":true}`, Holds, ""},
	{"uniqueItems", 0, `{"type":"array"}`, `{"uniqueItems":true}`, Refuted, "uniqueItems"},
	{"uniqueItems counts values", 0, `{"type":"array","items":{"type":"boolean"},"uniqueItems":true}`, `{"maxItems":2}`, Holds, ""},

	{"properties", 0, `{"type":"object","properties":{"a":{"const":1}}}`, `{"properties":{"a":{"type":"integer"}}}`, Holds, ""},
	{"properties", 0, `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"properties":{"a":{"const":1}}}`, Refuted, "const"},
	{"a property is new", 0, `{"type":"object"}`, `{"properties":{"a":{"type":"string"}}}`, Refuted, "type"},
	{"required", 0, `{"type":"object","required":["a","b"]}`, `{"required":["a"]}`, Holds, ""},
	{"required", 0, `{"type":"object","required":["a"]}`, `{"required":["a","b"]}`, Refuted, "required"},
	{"additionalProperties", 0, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, Holds, ""},
	{"additionalProperties", 0, `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"properties":{"a":{}},"additionalProperties":false}`, Refuted, "additionalProperties"},
	{"a false property may be left out", 0, `{"type":"object","properties":{"a":false},"additionalProperties":false}`, `{"maxProperties":0}`, Holds, ""},
	{"patternProperties", 0, `{"type":"object","patternProperties":{"^a":{"type":"integer"}}}`, `{"patternProperties":{"^ab":{"type":"number"}}}`, Holds, ""},
	{"patternProperties", 0, `{"type":"object","patternProperties":{"^ab":{"type":"integer"}}}`, `{"patternProperties":{"^a":{"type":"number"}}}`, Refuted, "type"},
	{"patterns take names", 0, `{"type":"object","patternProperties":{"^a":{"type":"integer"}}}`, `{"properties":{"ab":{"type":"integer"}}}`, Holds, ""},
	{"propertyNames", 0, `{"type":"object","propertyNames":{"enum":["a","b"]}}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, Holds, ""},
	{"propertyNames count", 0, `{"type":"object","propertyNames":{"enum":["a","b"]}}`, `{"maxProperties":2}`, Holds, ""},
	{"property counts", 0, `{"type":"object","required":["a","b"]}`, `{"minProperties":2}`, Holds, ""},
	{"property counts", 0, `{"type":"object","maxProperties":3}`, `{"maxProperties":2}`, Refuted, "maxProperties"},
	{"one key for two demands", 0, `{"type":"object","maxProperties":1}`, `{"anyOf":[{"patternProperties":{"^a":false}},{"patternProperties":{"b$":false}}]}`, Refuted, "anyOf"},
	{"one key for two demands", 0, `{"type":"object","maxProperties":1}`, `{"anyOf":[{"patternProperties":{"^a":false}},{"propertyNames":{"pattern":"^[^b]*$"}}]}`, Refuted, "anyOf"},
	{"no key for two demands", 0, `{"type":"object","maxProperties":1}`, `{"anyOf":[{"patternProperties":{"^a":false}},{"patternProperties":{"^b":false}}]}`, Holds, ""},
	{"dependentRequired", 0, `{"type":"object","required":["b"]}`, `{"dependentRequired":{"a":["b"]}}`, Holds, ""},
	{"dependentRequired", 0, `{"type":"object"}`, `{"dependentRequired":{"a":["b"]}}`, Refuted, "dependentRequired"},
	{"dependentSchemas", 0, `{"type":"object","dependentSchemas":{"a":{"required":["b"]}}}`, `{"dependentRequired":{"a":["b"]}}`, Holds, ""},
	{"dependencies", Draft7, `{"type":"object","dependencies":{"a":["b","c"]}}`, `{"dependencies":{"a":{"required":["b"]}}}`, Holds, ""},

	{"allOf", 0, `{"allOf":[{"minimum":1},{"maximum":2}],"type":"integer"}`, `{"enum":[1,2]}`, Holds, ""},
	{"two closed objects", 0, `{"type":"object","allOf":[{"properties":{"a":{}},"additionalProperties":false},{"properties":{"b":{}},"additionalProperties":false}]}`, `{"maxProperties":0}`, Holds, ""},
	{"anyOf", 0, `{"type":["integer","string"]}`, `{"anyOf":[{"type":"string"},{"type":"number"}]}`, Holds, ""},
	{"anyOf over a cut", 0, `{"type":"integer"}`, `{"anyOf":[{"minimum":0},{"maximum":-1}]}`, Holds, ""},
	{"anyOf over a cut", 0, `{"type":"number"}`, `{"anyOf":[{"minimum":0},{"maximum":-1}]}`, Refuted, "anyOf"},
	{"anyOf over properties", 0, `{"type":"object","required":["a"],"properties":{"a":{"enum":[1,2]}}}`, `{"anyOf":[{"properties":{"a":{"const":1}}},{"properties":{"a":{"const":2}}}]}`, Holds, ""},
	{"oneOf apart", 0, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`, Holds, ""},
	{"oneOf with overlap", 0, `{"type":"integer"}`, `{"oneOf":[{"minimum":0},{"maximum":0}]}`, Refuted, "oneOf"},
	{"not", 0, `{"type":"string"}`, `{"not":{"type":"number"}}`, Holds, ""},
	{"not", 0, `{"type":["string","number"]}`, `{"not":{"type":"number"}}`, Refuted, "not"},
	{"if", 0, `{"type":"object","required":["k"],"properties":{"k":{"const":1}}}`, `{"if":{"properties":{"k":{"const":2}}},"then":{"required":["b"]}}`, Holds, ""},
	{"if", 0, `{"type":"object","required":["k"],"properties":{"k":{"enum":[1,2]}}}`, `{"if":{"properties":{"k":{"const":2}}},"then":{"required":["b"]}}`, Refuted, "required"},

	{"$ref", 0, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"integer"}}}`, `{"type":"number"}`, Holds, ""},
	{"$ref with siblings", 0, `{"$ref":"#/$defs/a","minimum":1,"$defs":{"a":{"type":"integer"}}}`, `{"type":"integer","minimum":1}`, Holds, ""},
	{"$ref without siblings", Draft7, `{"type":"integer"}`, `{"$ref":"#/definitions/a","minimum":1,"definitions":{"a":{"type":"integer"}}}`, Holds, ""},
	{"$anchor", 0, `{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"integer"}}}`, `{"type":"integer"}`, Holds, ""},
	{"$dynamicRef, extended", 0, strict, plainTree, Holds, ""},
	{"$dynamicRef, extended", 0, extensible, strict, Refuted, "required"},
	{"$recursiveRef, extended", Draft2019, strict2019, plainTree, Holds, ""},
	{"$recursiveRef, extended", Draft2019, recursive, strict2019, Refuted, "required"},
	{"recursion", 0, treeOf(`{"type":"integer"}`), treeOf(`{"type":"number"}`), Holds, ""},
	{"recursion", 0, treeOf(`{"type":"number"}`), treeOf(`{"type":"integer"}`), Refuted, "type"},
	{"recursion without end is empty", 0, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/a"}}}}}`, `false`, Holds, ""},
	{"two ways round", 0, `{"type":"array","items":{"$ref":"#"}}`, `{"type":"array","items":{"type":"array","items":{"$ref":"#"}}}`, Holds, ""},

	{"unevaluatedProperties", 0, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, Holds, ""},
	{"unevaluatedProperties", 0, `{"type":"object","properties":{"a":{}}}`, `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, Refuted, "unevaluatedProperties"},
	{"unevaluatedItems", 0, `{"type":"array","maxItems":1}`, `{"allOf":[{"prefixItems":[true]}],"unevaluatedItems":false}`, Holds, ""},
	{"unevaluatedItems", 0, `{"type":"array"}`, `{"prefixItems":[true],"unevaluatedItems":false}`, Refuted, "unevaluatedItems"},
}

func treeOf(leaf string) string {
	return `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"v":` + leaf + `,"l":{"$ref":"#/$defs/t"}},"additionalProperties":false,"required":["v"]}}}`
}

func TestDecidedFragment(t *testing.T) {
	for _, c := range decided {
		t.Run(c.name, func(t *testing.T) {
			q := Question{Writer: mustCompile(t, c.draft, c.writer), Reader: mustCompile(t, c.draft, c.reader)}
			a := Ask(q)
			checkAnswer(t, q, a)
			if a.Verdict != c.want {
				t.Fatalf("%v (%v), not %v\nwriter %s\nreader %s %s", a.Verdict, a.Reason, c.want, c.writer, c.reader, firstWitness(a))
			}
			if c.keyword != "" && a.Breaks[0].Keyword != c.keyword {
				t.Errorf("the keyword is %s, not %s: %s", a.Breaks[0].Keyword, c.keyword, firstWitness(a))
			}
		})
	}
}
