package contain

import (
	"strings"
	"testing"
)

// manyBranches declare an object of their own each, told apart by a constant.
var manyBranches = func() string {
	var branches []string
	for _, k := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		branches = append(branches, `{"properties":{"k":{"const":"`+k+`"},"o":{"type":"object","properties":{"`+k+`":{}}}},"required":["k"]}`)
	}
	return strings.Join(branches, ",")
}()

// TestAssumptionLines has one line per thing that an assumption does and leaves alone.
func TestAssumptionLines(t *testing.T) {
	closed := Assumptions{ClosedWriter: true}
	ignore := Assumptions{IgnoreUnknown: true}
	enums := Assumptions{IgnoreEnums: true}
	reads := func(path ...string) Assumptions { return Assumptions{Fields: [][]string{path}} }
	for _, c := range []struct {
		name, writer, reader string
		assume               Assumptions
		want                 Verdict
	}{
		{"a property further down", `{"properties":{"o":{"properties":{"a":{}}}}}`, `{"properties":{"o":{"properties":{"b":{"type":"string"}}}}}`, closed, Holds},
		{"in items", `{"items":{"properties":{"a":{}}}}`, `{"items":{"properties":{"b":{"type":"string"}}}}`, closed, Holds},
		{"in a map", `{"additionalProperties":{"properties":{"a":{}}}}`, `{"additionalProperties":{"properties":{"b":{"type":"string"}}}}`, closed, Holds},
		{"a pattern is declared", `{"patternProperties":{"^x":{}}}`, `{"properties":{"x1":{"type":"integer"}}}`, closed, Refuted},
		{"a free-form object stays open", `{"type":"object"}`, `{"additionalProperties":{"type":"integer"}}`, closed, Refuted},
		{"a required name is declared", `{"properties":{"a":{}},"required":["b"]}`, `{"properties":{"b":{"type":"string"}}}`, closed, Refuted},
		{"two arms of allOf are one declaration", `{"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"required":["a","b","c"]}`, closed, Refuted},
		{"also inside", `{"allOf":[{"properties":{"o":{"properties":{"a":{}},"required":["a"]}}},{"properties":{"o":{"properties":{"b":{}},"required":["b"]}}}]}`,
			`{"properties":{"o":{"properties":{"b":{"type":"string"}}}}}`, closed, Refuted},
		{"anyOf names what its branch names", `{"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"properties":{"c":{"type":"string"}}}`, closed, Holds},
		{"contains declares for the items that satisfy it", `{"type":"array","items":{"properties":{"a":{}}},"contains":{"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}}`,
			`{"maxItems":0}`, closed, Refuted},
		{"another branch's object closes nothing", `{"type":"object","anyOf":[{"properties":{"k":{"const":"a"},"o":{"properties":{"x":{}}}},"required":["k"]},{"properties":{"k":{"const":"b"},"o":{"type":"object"}},"required":["k"]}]}`,
			`{"properties":{"o":{"properties":{"y":{"type":"string"}}}}}`, closed, Refuted},
		{"a branch's own object is closed", `{"type":"object","anyOf":[{"properties":{"k":{"const":"a"},"o":{"properties":{"x":{}}}},"required":["k"]},{"properties":{"k":{"const":"b"},"o":{"properties":{"z":{}}}},"required":["k"]}]}`,
			`{"properties":{"o":{"properties":{"y":{"type":"string"}}}}}`, closed, Holds},
		{"a free-form branch stays open", `{"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","maxProperties":1}]}`,
			`{"properties":{"z":{"type":"string"}}}`, closed, Refuted},
		{"an enumerated object is whole", `{"properties":{"o":{"properties":{"a":{}}}},"enum":[{"o":{"z":1}}]}`, `false`, closed, Refuted},
		{"many branches", `{"type":"object","oneOf":[` + manyBranches + `]}`, `{"properties":{"o":{"properties":{"y":{"type":"string"}}}}}`, closed, Holds},

		{"recursion", `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}}}}}`,
			`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"},"x":{"type":"string"}}}}}`, closed, Holds},
		{"recursion in an open writer", `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}}}}}`,
			`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"},"x":{"type":"string"}}}}}`, Assumptions{}, Refuted},

		{"unevaluated", `{"properties":{"a":{},"b":{}}}`, `{"anyOf":[{"properties":{"a":{}}},{"properties":{"z":{"type":"string"}}}],"unevaluatedProperties":false}`, ignore, Holds},
		{"a schema stays", `{"properties":{"b":{}}}`, `{"additionalProperties":{"type":"string"}}`, ignore, Refuted},
		{"not stays", `{}`, `{"not":{"required":["a"],"properties":{"a":{}},"additionalProperties":false}}`, ignore, Refuted},
		{"false as a property's schema stays", `{}`, `{"properties":{"a":false}}`, ignore, Refuted},

		{"a union of constants", `{"enum":["a","b"]}`, `{"oneOf":[{"const":"a"},{"const":"c"}]}`, enums, Holds},
		{"a single constant stays", `{"enum":["a","b"]}`, `{"const":"a"}`, enums, Refuted},
		{"a union of constants and null", `{"enum":["a","b",null]}`, `{"oneOf":[{"const":"a"},{"type":"null"},{"const":"c"}]}`, enums, Holds},
		{"a constant or null stays", `{"enum":["b",null]}`, `{"oneOf":[{"const":"a"},{"type":"null"}]}`, enums, Refuted},
		{"numbers too", `{"enum":[1,2]}`, `{"enum":[1]}`, enums, Holds},
		{"integers stay integers", `{"enum":[1,1.5]}`, `{"enum":[1,2]}`, enums, Refuted},
		{"oneOf reads as anyOf", `{"enum":["a","b"]}`, `{"oneOf":[{"enum":["a"]},{"type":"string","maxLength":1}]}`, enums, Holds},
		{"the most that contains allows stays", `{"type":"array","items":{"enum":["a","b"]}}`, `{"contains":{"enum":["a"]},"minContains":0,"maxContains":1}`, enums, Refuted},
		{"names stay", `{"type":"object","properties":{"b":{}}}`, `{"propertyNames":{"enum":["a"]}}`, enums, Refuted},
		{"an arm that fits evaluates", `{"type":"object","properties":{"k":{"enum":["a","b"]},"x":{"type":"string"}},"required":["k","x"],"additionalProperties":false}`,
			`{"anyOf":[{"properties":{"k":{"enum":["a"]},"x":{}}},{"required":["z"]}],"unevaluatedProperties":{"type":"integer"}}`, enums, Holds},
		{"a condition stays as it is", `{"type":"object","properties":{"k":{"enum":["b"]},"x":{"type":"string"}},"required":["k","x"]}`,
			`{"properties":{"k":true},"if":{"properties":{"k":{"enum":["a"]},"x":{}}},"unevaluatedProperties":{"type":"integer"}}`, enums, Refuted},

		{"a field that is not read", `{"properties":{"a":{}}}`, `{"properties":{"a":{"type":"string"}},"required":["a"]}`, reads("b"), Holds},
		{"below a field", `{}`, `{"properties":{"a":{"properties":{"b":{"type":"string"},"c":{"type":"string"}}}}}`, reads("a", "c"), Refuted},
		{"beside a field", `{"properties":{"a":{"properties":{"c":{"type":"string"}}}}}`, `{"properties":{"a":{"properties":{"b":{"type":"string"},"c":{"type":"string"}}}}}`, reads("a", "c"), Holds},
		{"elements", `{}`, `{"items":{"properties":{"b":{"type":"string"}}}}`, reads("[]", "b"), Refuted},
		{"other elements", `{}`, `{"items":{"properties":{"b":{"type":"string"}}}}`, reads("[]", "c"), Holds},
		{"values of a map", `{}`, `{"additionalProperties":{"properties":{"b":{"type":"string"}}}}`, reads("{}", "b"), Refuted},
	} {
		q := Question{Writer: mustCompile(t, 0, c.writer), Reader: mustCompile(t, 0, c.reader), Assume: c.assume}
		a := Ask(q)
		checkAnswer(t, q, a)
		if a.Verdict != c.want {
			t.Errorf("%s: %v, want %v (%v, %s)", c.name, a.Verdict, c.want, a.Reason, firstWitness(a))
		}
	}
}

// TestNotes: an answer says which assumption it rests on, and what would break without.
func TestNotes(t *testing.T) {
	q := Question{Writer: mustCompile(t, 0, `{"type":"object","properties":{"a":{}}}`), Reader: mustCompile(t, 0, `{"properties":{"a":{},"b":{"type":"string"}}}`),
		Assume: Assumptions{ClosedWriter: true, IgnoreUnknown: true}}
	want := `holds because writers emit only declared fields`
	if a := Ask(q); a.Verdict != Holds || len(a.Notes) != 1 || a.Notes[0] != want || string(a.Without[0]) != `{"b":1}` {
		t.Errorf("%v %q %s", a.Verdict, a.Notes, a.Without)
	}
}

// TestSeeds: a witness borrows from the contract's examples what it needs anyway.
func TestSeeds(t *testing.T) {
	q := Question{Writer: mustCompile(t, 0, `{"type":"object","properties":{"order_id":{"type":"string"},"n":{"type":"integer"}},"required":["order_id","n"]}`),
		Reader: mustCompile(t, 0, `{"properties":{"n":{"type":"integer","maximum":5}}}`), Seeds: [][]byte{[]byte(`{"order_id":"o-77","n":3,"more":1}`)}}
	if a := Ask(q); len(a.Breaks) != 1 || string(a.Breaks[0].Witness) != `{"n":6,"order_id":"o-77"}` {
		t.Errorf("%v %+v", a.Verdict, a.Breaks)
	}
}
