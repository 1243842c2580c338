package contain

import (
	"errors"
	"strings"
	"testing"
)

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct {
		name, root string
		others     files
		kind       ErrorKind
		at         string
	}{
		{"a remote reference", `{"properties":{"a":{"$ref":"https://example.com/x.json"}}}`, nil, RemoteRef, "dir/s.json#/properties/a/$ref"},
		{"a dangling pointer", `{"$ref":"#/$defs/no"}`, nil, DanglingRef, "dir/s.json#/$ref"},
		{"a dangling anchor", `{"items":{"$ref":"#no"}}`, nil, DanglingRef, "dir/s.json#/items/$ref"},
		{"a dangling file", `{"$ref":"no.json"}`, nil, DanglingRef, "dir/s.json#/$ref"},
		{"a dangling pointer of another file", `{"$ref":"o.json#/$defs/no"}`, files{"dir/o.json": `{}`}, DanglingRef, "dir/s.json#/$ref"},
		{"a bad keyword", `{"properties":{"a":{"type":"strin"}}}`, nil, BadSchema, "dir/s.json#/properties/a/type"},
		{"a bad keyword of another file", `{"$ref":"o.json"}`, files{"dir/o.json": `{"minLength":"x"}`}, BadSchema, "dir/o.json#/minLength"},
		{"no JSON", `{`, nil, BadDocument, "dir/s.json#"},
		{"a huge number", `{"minimum":1e100000000}`, nil, BadDocument, "dir/s.json#/minimum"},
		{"one identifier twice", `{"$defs":{"a":{"$id":"x.json"},"b":{"$id":"x.json"}}}`, nil, DuplicateID, "dir/s.json#"},
		{"a bad pattern", `{"pattern":"("}`, nil, BadPattern, "dir/s.json#/pattern"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := files{"dir/s.json": c.root}
			for k, v := range c.others {
				all[k] = v
			}
			_, err := Compile(Source{Path: "dir/s.json", Load: all.load})
			var own *Error
			if !errors.As(err, &own) {
				t.Fatalf("%T %v", err, err)
			}
			if own.Kind != c.kind || own.At.String() != c.at {
				t.Errorf("kind %d at %s: %v", own.Kind, own.At, err)
			}
		})
	}
}

func TestCompileReadsRealSchemas(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown $schema":      `{"$schema":"http://iglucentral.com/schemas/x/jsonschema/1-0-0#","type":"object"}`,
		"a huge count":            `{"maxLength":1e30,"minItems":0}`,
		"lookaround":              `{"pattern":"^(?!x)"}`,
		"ECMA-262 escapes":        `{"pattern":"\\u00e9\\cA\\/"}`,
		"a keyword of elsewhere":  `{"definitions":{"a":{}},"nullable":true,"$ref":"#/definitions/a"}`,
		"format and content":      `{"format":"nosuch","contentEncoding":"base64"}`,
		"a reference with spaces": `{"$ref":"#/$defs/a%20b~1c","$defs":{"a b/c":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := compileText(0, text)
			if err != nil {
				t.Fatal(err)
			}
			if a := Ask(Question{Writer: s, Reader: s}); a.Verdict != Holds {
				t.Errorf("does not read itself: %v %v", a.Verdict, a.Reason)
			}
		})
	}
}

func TestCompileAcrossFiles(t *testing.T) {
	all := files{
		"a/s.json":      `{"$ref":"../b/common.json#/$defs/money"}`,
		"b/common.json": `{"$id":"https://example.com/common.json","$defs":{"money":{"type":"object","properties":{"amount":{"$ref":"#/$defs/n"}}},"n":{"type":"integer"}}}`,
	}
	s, err := Compile(Source{Path: "a/s.json", Load: all.load})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Validate([]byte(`{"amount":"x"}`))
	var r *Refusal
	if !errors.As(err, &r) || r.Instance != "/amount" || r.Keyword != "type" {
		t.Fatalf("%v", err)
	}
	if r.Schema.String() != "b/common.json#/$defs/n/type" {
		t.Errorf("at %s", r.Schema)
	}
	part, err := Compile(Source{Path: "b/common.json#/$defs/n", Load: all.load})
	if err != nil || part.Validate([]byte(`1.5`)) == nil {
		t.Errorf("the fragment is not selected: %v", err)
	}
}

// TestHostile: what would take for ever ends soon, and never in a panic.
func TestHostile(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 500) + `{}` + strings.Repeat(`}`, 500)
	nested := `{"type":"integer"}`
	for range 8 {
		nested = `{"oneOf":[` + nested + `,{"not":` + nested + `}]}`
	}
	many := `{"enum":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 1), ",") + strings.Repeat(`,1`, 20000) + `]}`
	for name, text := range map[string]string{
		"an exponential automaton": `{"type":"string","pattern":"(a|b)*a(a|b){30}"}`,
		"deep":                     deep,
		"nested oneOf":             nested,
		"a large enum":             many,
		"a large size":             `{"type":"array","minItems":1000000,"items":{"type":"string","minLength":1000000}}`,
		"large counts":             `{"type":"object","minProperties":1000000,"patternProperties":{"^a":{},"b$":{},"c":{},"d":{},"e":{},"f":{},"g":{},"h":{},"i":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := compileText(0, text)
			if err != nil {
				t.Skip(err)
			}
			for _, other := range []string{`{"type":"string","pattern":"(a|b)*b(a|b){30}"}`, `{"items":{"type":"integer"}}`, `false`, `{"uniqueItems":true,"maxProperties":5}`} {
				o := mustCompile(t, 0, other)
				for _, q := range []Question{{Writer: s, Reader: o}, {Writer: o, Reader: s}} {
					checkAnswer(t, q, Ask(q))
				}
			}
		})
	}
}
