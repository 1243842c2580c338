package contain

import "testing"

// closedPairs ask what a writer that emits only what it declares may send.
var closedPairs = []struct{ name, writer, reader, want string }{
	{"contains names b", `{"type":"array","items":{"type":"object","properties":{"a":{}}},"contains":{"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}}`, `{"maxItems":0}`, "refuted"},
	{"contains names b 2", `{"type":"array","items":{"type":"object","properties":{"a":{}}},"contains":{"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}}`, `{"items":{"properties":{"b":{"type":"integer"}}}}`, "refuted"},
	{"tuple", `{"type":"array","prefixItems":[{"type":"object","properties":{"a":{}}}],"items":{"type":"object","properties":{"b":{}}}}`, `{"prefixItems":[{"properties":{"b":{"type":"string"}}}],"items":{"properties":{"b":{"type":"string"}}}}`, "refuted"},
	{"not-names", `{"type":"object","properties":{"a":{}},"not":{"required":["b"]}}`, `{"properties":{"c":{"type":"string"}}}`, "holds"},
	{"min props", `{"type":"object","properties":{"a":{}},"minProperties":2}`, `false`, "holds"},
	{"dep schema names", `{"type":"object","properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}},"required":["b"]}}}`, `{"properties":{"b":{"type":"string"}}}`, "refuted"},
	{"dep required names", `{"type":"object","properties":{"a":{}},"dependentRequired":{"a":["b"]}}`, `{"properties":{"b":{"type":"string"}}}`, "refuted"},
	{"propertyNames enumerates", `{"type":"object","propertyNames":{"enum":["a","b"]},"properties":{"a":{}}}`, `{"properties":{"b":{"type":"string"}}}`, "holds"},
	{"map values", `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{}}}}}}`, `{"properties":{"m":{"additionalProperties":{"properties":{"x":{"type":"string"}}}}}}`, "refuted"},
	// Several patterns may name one key: the values stay open.
	{"pattern map values open", `{"type":"object","patternProperties":{"^p":{"type":"object","properties":{"x":{}}}, "q$":{"type":"object","properties":{"y":{}}}}}`, `{"patternProperties":{"^p":{"properties":{"z":{"type":"string"}}}}}`, "refuted"},
	{"pattern + prop overlap", `{"type":"object","patternProperties":{"^p":{"type":"object","properties":{"x":{}}}},"properties":{"p1":{"properties":{"y":{}}}}}`, `{"properties":{"p1":{"properties":{"y":{"type":"string"}}}}}`, "refuted"},
	{"true property map", `{"type":"object","properties":{"a":{}},"additionalProperties":true}`, `{"properties":{"b":{"type":"string"}}}`, "holds"},
	{"if names", `{"type":"object","properties":{"k":{}},"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"properties":{"x":{}},"required":["x"]}}`, `{"properties":{"x":{"type":"string"}}}`, "refuted"},
	{"if alone", `{"type":"object","properties":{"k":{}},"if":{"properties":{"x":{"const":1}},"required":["x"]}}`, `{"not":{"required":["x"]}}`, "refuted"},
	{"enum object", `{"type":"object","properties":{"k":{}},"anyOf":[{"enum":[{"z":1}]},{"required":["k"]}]}`, `{"not":{"required":["z"]}}`, "refuted"},
	{"const nested", `{"type":"object","properties":{"o":{"const":{"z":1}}},"required":["o"]}`, `false`, "refuted"},
	{"allOf nested const", `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{}},"const":{"z":1}}},"required":["o"]}`, `false`, "refuted"},
	{"items enum", `{"type":"array","items":{"properties":{"a":{}},"enum":[{"b":1},{"a":1}]},"minItems":1}`, `{"items":{"required":["a"]}}`, "refuted"},
	{"negated not", `{"type":"object","not":{"not":{"properties":{"b":{"type":"string"}},"required":["b"]}},"properties":{"a":{}}}`, `false`, "refuted"},
	{"oneOf overlap", `{"type":"object","oneOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"maxProperties":1}`, "holds"},
	{"unevaluated schema", `{"type":"object","properties":{"a":{}},"unevaluatedProperties":{"type":"string"}}`, `{"properties":{"b":{"type":"integer"}}}`, "refuted"},
	{"addl schema in allOf arm", `{"type":"object","properties":{"a":{}},"allOf":[{"additionalProperties":{"type":"string"}}]}`, `{"properties":{"b":{"type":"integer"}}}`, "refuted"},
	{"required only by anyOf", `{"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"required":["a"]}`, "refuted"},
	{"recursive array", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["v"]}}}`, `{"properties":{"kids":{"items":{"properties":{"v":{"maximum":3}}}}}}`, "refuted"},
	{"additionalItems", `{"type":"array","prefixItems":[{"type":"object"}],"items":{"type":"object","properties":{"a":{}}}}`, `{"prefixItems":[{"properties":{"z":{"type":"string"}}}]}`, "refuted"},
}

func TestClosedPairs(t *testing.T) {
	for _, c := range closedPairs {
		q := Question{Writer: mustCompile(t, Draft2020, c.writer), Reader: mustCompile(t, Draft2020, c.reader), Assume: Assumptions{ClosedWriter: true}}
		a := Ask(q)
		checkAnswer(t, q, a)
		if a.Verdict.String() != c.want {
			t.Errorf("%s: %v (%v), not %s: writer %s reader %s %s", c.name, a.Verdict, a.Reason, c.want, c.writer, c.reader, firstWitness(a))
		}
	}
}
