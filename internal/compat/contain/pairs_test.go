package contain

import "testing"

// pairs are small cases that each once fooled a tool or a draft of this one.
var pairs = []struct {
	draft          Draft
	writer, reader string
	want           string // a verdict, or "error" where the writer does not compile
}{
	// pattern dialect
	{Draft2020, `{"type":"string","pattern":"^[\\s-_]$"}`, `{"pattern":"^[-_\\s]$"}`, "holds"},
	// A flag that ECMA-262 does not have is read as in RE2; pattern-dialect says so.
	{Draft2020, `{"type":"string","pattern":"(?i)abc"}`, `{"pattern":"abc"}`, "refuted"},
	{Draft2020, `{"type":"string","pattern":"^\\x{3}$"}`, `{"const":"xxx"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^[\\w-.]$"}`, `{"maxLength":1}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^\\p{Alphabetic}$"}`, `{"pattern":"^\\p{L}$"}`, "refuted"},
	{Draft2020, `{"type":"string","pattern":"\\bfoo\\b"}`, `{"pattern":"foo"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^a{2}?$"}`, `{"const":"aa"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^a{,2}$"}`, `{"const":"a{,2}"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"\\A"}`, `{"pattern":"A"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"a\\Z"}`, `{"pattern":"aZ"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^(?:a|b)++$"}`, `{}`, "error"},
	{Draft2020, `{"type":"string","pattern":"^\\Qa.b\\E$"}`, `{"pattern":"^Qa.bE$"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^(?<n>a)\\k<n>$"}`, `{"const":"aa"}`, "unknown"},
	{Draft2020, `{"type":"string","pattern":"^[[:alpha:]]$"}`, `{"pattern":"^[:\\[alph]\\]$"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^.$"}`, `{"not":{"enum":["\n","\r"]}}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"a$"}`, `{"pattern":"^[^\\n]*a$"}`, "refuted"},
	{Draft2020, `{"type":"string","pattern":"^\\d$"}`, `{"enum":["0","1","2","3","4","5","6","7","8","9"]}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^\\u{61}$"}`, `{"const":"a"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^\\uD83D\\uDE00$"}`, `{"const":"😀"}`, "holds"},
	{Draft2020, `{"type":"string","minLength":1,"maxLength":1}`, `{"pattern":"^[\\u0000-\\uffff]$"}`, "refuted"},

	{Draft2020, `{"type":"string","pattern":"^[+-\\s]$"}`, `{"pattern":"^[-+\\s]$"}`, "holds"},
	{Draft2020, `{"type":"string","pattern":"^[-+\\s]$"}`, `{"pattern":"^[\\d-\\s+]$"}`, "holds"},

	// numbers
	{Draft2020, `{"type":"integer","minimum":9007199254740993,"maximum":9007199254740993}`, `{"const":9007199254740992}`, "refuted"},
	{Draft2020, `{"type":"integer","minimum":9007199254740993,"maximum":9007199254740993}`, `{"const":9007199254740993.0}`, "holds"},
	{Draft2020, `{"multipleOf":0.3}`, `{"multipleOf":0.1}`, "holds"},
	{Draft2020, `{"type":"number","multipleOf":0.1}`, `{"multipleOf":0.3}`, "refuted"},
	{Draft2020, `{"type":"number","multipleOf":1.5,"multipleOf":1.5,"minimum":1,"maximum":4}`, `{"enum":[1.5,3]}`, "holds"},
	{Draft2020, `{"allOf":[{"multipleOf":4},{"multipleOf":6}],"type":"number"}`, `{"multipleOf":12}`, "holds"},
	{Draft2020, `{"type":"number","multipleOf":2,"not":{"multipleOf":4},"minimum":0,"maximum":7}`, `{"enum":[2,6]}`, "holds"},
	{Draft4, `{"type":"number","minimum":0,"exclusiveMinimum":true}`, `{"minimum":0}`, "holds"},
	{Draft4, `{"type":"number","minimum":0}`, `{"minimum":0,"exclusiveMinimum":true}`, "refuted"},
	{Draft4, `{"type":"number","exclusiveMinimum":true}`, `{}`, "error"},
	{Draft7, `{"type":"integer","exclusiveMinimum":0}`, `{"minimum":1}`, "holds"},
	{Draft7, `{"type":"number","exclusiveMinimum":0}`, `{"minimum":1e-300}`, "refuted"},
	{Draft2020, `{"type":"number","minimum":1e308}`, `{"maximum":1e309}`, "refuted"},
	{Draft2020, `{"const":1e2}`, `{"const":100}`, "holds"},
	{Draft2020, `{"const":-0.0}`, `{"const":0}`, "holds"},
	{Draft2020, `{"type":"integer","minimum":0.5,"maximum":0.9}`, `false`, "holds"},

	// refs and drafts
	{Draft7, `{"definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a","maxLength":3}},"required":["x"],"type":"object"}`, `{"properties":{"x":{"maxLength":3}}}`, "refuted"},
	{Draft2020, `{"definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a","maxLength":3}},"required":["x"],"type":"object"}`, `{"properties":{"x":{"maxLength":3}}}`, "holds"},
	{Draft4, `{"const":1}`, `{"type":"integer"}`, "refuted"},
	{Draft7, `{"dependentRequired":{"a":["b"]},"required":["a"],"type":"object"}`, `{"required":["b"]}`, "refuted"},
	{Draft2020, `{"type":"array","items":[{"type":"string"}]}`, `{}`, "error"},
	{Draft2020, `{"type":"array","additionalItems":false,"items":{"type":"string"}}`, `{"items":{"type":"string"}}`, "holds"},
	{Draft7, `{"type":"array","additionalItems":false,"items":{"type":"string"}}`, `{"maxItems":0}`, "refuted"},
	{Draft7, `{"type":"array","additionalItems":false}`, `{"maxItems":0}`, "refuted"},
	{Draft2019, `{"type":"array","items":[{"type":"string"}],"additionalItems":false}`, `{"maxItems":1}`, "holds"},
	{Draft2020, `{"dependencies":{"a":["b"]},"required":["a"],"type":"object"}`, `{"required":["b"]}`, "holds"},
	{Draft6, `{"if":{"type":"string"},"then":false}`, `{"not":{"type":"string"}}`, "refuted"},
	{Draft7, `{"contains":{"type":"string"},"minContains":2,"type":"array"}`, `{"minItems":2}`, "refuted"},
	{Draft2019, `{"contains":{"type":"string"},"minContains":2,"type":"array"}`, `{"minItems":2}`, "holds"},
	{Draft2020, `{"minContains":2,"type":"array"}`, `{"minItems":2}`, "refuted"},
	{Draft2020, `{"contains":{"type":"string"},"minContains":0,"type":"array"}`, `{"minItems":1}`, "refuted"},
	{Draft2020, `{"contains":{"type":"string"},"minContains":0,"maxContains":0,"type":"array"}`, `{"items":{"not":{"type":"string"}}}`, "holds"},
	{Draft2020, `{"type":"array","contains":{"minimum":5},"minContains":2,"maxItems":3,"uniqueItems":true,"items":{"enum":[4,5]}}`, `false`, "holds"},
	{Draft2020, `{"type":"array","uniqueItems":true,"items":{"enum":[1,1.0,"a",2]}}`, `{"maxItems":3}`, "holds"},
	{Draft2020, `{"type":"array","uniqueItems":true,"items":{"type":"boolean"},"minItems":3}`, `false`, "holds"},
	{Draft2020, `{"type":"array","uniqueItems":true,"items":{"type":"array","maxItems":1,"items":{"type":"null"}},"minItems":3}`, `false`, "holds"},
	{Draft2020, `{"type":"array","uniqueItems":true,"items":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"boolean"}}},"minItems":4}`, `false`, "holds"},
	{Draft2020, `{"type":"array","minItems":2,"maxItems":2,"prefixItems":[{"enum":[1,2]},{"enum":[1]}],"uniqueItems":true}`, `{"const":[2,1]}`, "holds"},

	// unevaluated
	{Draft2019, `{"type":"object","if":{"properties":{"a":{"const":1}},"required":["a"]},"unevaluatedProperties":false}`, `{"maxProperties":0}`, "refuted"},
	{Draft2020, `{"type":"object","allOf":[{"properties":{"a":{}},"unevaluatedProperties":false}],"properties":{"b":{}}}`, `{"not":{"required":["b"]}}`, "holds"},
	{Draft2020, `{"type":"object","properties":{"b":{}},"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"maxProperties":2,"propertyNames":{"enum":["a","b"]}}`, "holds"},
	{Draft2020, `{"type":"object","not":{"not":{"properties":{"a":{}}}},"unevaluatedProperties":false}`, `{"maxProperties":0}`, "holds"},
	{Draft2020, `{"type":"object","oneOf":[{"required":["a"],"properties":{"a":{}}},{"required":["b"],"properties":{"b":{}}}],"unevaluatedProperties":false}`, `{"maxProperties":1}`, "holds"},
	{Draft2020, `{"type":"array","contains":{"type":"string"},"unevaluatedItems":false}`, `{"items":{"type":"string"}}`, "holds"},
	{Draft2019, `{"type":"array","contains":{"type":"string"},"unevaluatedItems":false}`, `{"items":{"type":"string"}}`, "holds"},
	{Draft2020, `{"type":"array","prefixItems":[{"type":"string"}],"anyOf":[{"prefixItems":[true,{"type":"number"}]},true],"unevaluatedItems":false}`, `{"maxItems":2}`, "holds"},
	{Draft2020, `{"type":"object","dependentSchemas":{"a":{"properties":{"b":{}}}},"properties":{"a":{}},"unevaluatedProperties":false}`, `{"if":{"required":["b"]},"then":{"required":["a"]}}`, "holds"},

	// objects
	{Draft2020, `{"type":"object","patternProperties":{"^a":{"type":"string"},"b$":{"type":"number"}},"required":["ab"]}`, `false`, "holds"},
	{Draft2020, `{"type":"object","patternProperties":{"^a":{"minimum":1},"b$":{"maximum":0}}}`, `{"properties":{"ab":{"not":{"type":"number"}}}}`, "holds"},
	{Draft2020, `{"type":"object","propertyNames":{"pattern":"^[ab]$"},"minProperties":3}`, `false`, "holds"},
	{Draft2020, `{"type":"object","propertyNames":{"pattern":"^[ab]$"},"minProperties":2}`, `{"required":["a","b"]}`, "holds"},
	{Draft2020, `{"type":"object","propertyNames":{"maxLength":1,"pattern":"^[a-z]*$"},"minProperties":27}`, `{"required":[""]}`, "holds"},
	{Draft2020, `{"type":"object","propertyNames":{"minLength":2},"additionalProperties":false,"properties":{"a":{}}}`, `{"maxProperties":0}`, "holds"},
	{Draft2020, `{"type":"object","additionalProperties":{"type":"string"},"patternProperties":{"^x-":{}}}`, `{"additionalProperties":{"type":"string"}}`, "refuted"},
	{Draft2020, `{"type":"object","minProperties":1,"maxProperties":1,"patternProperties":{"^a":{"type":"string"}},"additionalProperties":false}`, `{"additionalProperties":{"type":"string"}}`, "holds"},
	{Draft2020, `{"allOf":[{"properties":{"a":{}},"additionalProperties":false},{"properties":{"b":{}},"additionalProperties":false}],"type":"object"}`, `{"maxProperties":0}`, "holds"},
	{Draft2020, `{"oneOf":[{"type":"integer"},{"type":"number","minimum":2}]}`, `{"anyOf":[{"maximum":2},{"not":{"multipleOf":1}}]}`, "holds"},
	{Draft2020, `{"oneOf":[{"multipleOf":2},{"multipleOf":3}],"type":"integer"}`, `{"not":{"multipleOf":6}}`, "holds"},
	{Draft2020, `{"oneOf":[{"multipleOf":2},{"multipleOf":3},{"multipleOf":5}],"type":"integer","minimum":28,"maximum":32}`, `{"enum":[28,32]}`, "holds"},

	// recursion
	{Draft2020, `{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}},"$ref":"#/$defs/n"}`, `false`, "holds"},
	{Draft2020, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"},"maxItems":1}}}`, `{"type":"array","items":{"type":"array","maxItems":1,"items":{"type":"array"}}}`, "holds"},
	{Draft2020, `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/b"},"minItems":1}]},"b":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`, `{"not":{"const":[]}}`, "holds"},

	// dynamic
	{Draft2020, `{"$id":"https://example.com/t","$ref":"list","$defs":{"foo":{"$dynamicAnchor":"item","type":"string"},"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#item"},"$defs":{"i":{"$dynamicAnchor":"item"}}}}}`, `{"items":{"type":"string"}}`, "holds"},
	{Draft2020, `{"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"object","properties":{"a":{"type":"object"}}}}}`, "holds"},
}

func TestPairs(t *testing.T) {
	for _, c := range pairs {
		writer, err := compileText(c.draft, c.writer)
		if err != nil {
			if c.want != "error" {
				t.Errorf("%s: %v", c.writer, err)
			}
			continue
		}
		q := Question{Writer: writer, Reader: mustCompile(t, c.draft, c.reader)}
		a := Ask(q)
		checkAnswer(t, q, a)
		if a.Verdict.String() != c.want {
			t.Errorf("%v (%v), not %s: writer %s reader %s %s", a.Verdict, a.Reason, c.want, c.writer, c.reader, firstWitness(a))
		}
	}
}
