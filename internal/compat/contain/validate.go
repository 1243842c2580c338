package contain

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Refusal is why the validator refuses an instance.
type Refusal struct {
	Instance string // JSON pointer
	Keyword  string
	Schema   Location
	Message  string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Instance, r.Message) }

// Validate asks the validator, compiled from the user's document. The error is
// a *Refusal, or says that the instance is not JSON.
func (s *Schema) Validate(instance []byte) error {
	v, err := decode(instance)
	if err != nil {
		return err
	}
	invalid, err := s.check(v)
	if err != nil || invalid == nil {
		return err
	}
	return s.refusal(leafOf(invalid))
}

func (s *Schema) refusal(leaf *jsonschema.ValidationError) *Refusal {
	at := s.locate(leaf.AbsoluteKeywordLocation)
	return &Refusal{Instance: unescapePath(leaf.InstanceLocation), Keyword: keywordOf(at.Pointer), Schema: at, Message: leaf.Message}
}

// check runs the validator; it answers nil, nil for a valid instance.
func (s *Schema) check(v any) (invalid *jsonschema.ValidationError, err error) {
	defer func() {
		if r := recover(); r != nil {
			invalid, err = nil, fmt.Errorf("the validator gave up: %v", r)
		}
	}()
	err = s.compiled.Validate(v)
	if errors.As(err, &invalid) {
		return invalid, nil
	}
	return nil, err
}

// leafOf walks to the most specific cause. The validator collects causes in map
// order, so they are sorted first.
func leafOf(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(e.Causes) > 0 {
		if isUnion(e.AbsoluteKeywordLocation) {
			return e
		}
		e = slices.MinFunc(e.Causes, func(a, b *jsonschema.ValidationError) int {
			return cmpString(a.AbsoluteKeywordLocation+a.InstanceLocation, b.AbsoluteKeywordLocation+b.InstanceLocation)
		})
	}
	return e
}

func isUnion(absolute string) bool {
	switch lastToken(absolute) {
	case "anyOf", "oneOf", "contains", "minContains":
		return true
	}
	return false
}

// keywordOf is the last token of a schema pointer that is not an index or a name.
func keywordOf(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i := len(tokens) - 1; i > 0; i-- {
		t := tokens[i]
		if t != "" && (t[0] < '0' || t[0] > '9') {
			if i > 1 && (tokens[i-1] == "properties" || tokens[i-1] == "patternProperties" || tokens[i-1] == "dependencies" || tokens[i-1] == "dependentRequired") && !isKeyword(t) {
				continue
			}
			return t
		}
	}
	return "false"
}

func isKeyword(t string) bool {
	switch t {
	case "type", "enum", "const", "required", "minimum", "maximum", "pattern", "not", "anyOf", "oneOf":
		return true
	}
	return false
}

// marker keeps, beside the validator's schema, what its compiled form loses,
// and checks the patterns that only an ECMAScript engine can.
type marker struct{ prep *preparer }

// marked is what marker found.
type marked struct {
	emptyEnum bool
	dynamic   string
	ecma      *ecmaPattern
	examples  []any // and the default
}

func (x marker) Compile(ctx jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	var found marked
	if e, ok := m["enum"].([]any); ok && len(e) == 0 {
		found.emptyEnum = true
	}
	found.dynamic, _ = m["$dynamicRef"].(string)
	if err := x.compileAnchors(ctx, found.anchor()); err != nil {
		return nil, err
	}
	if s, ok := m[ecmaKeyword].(string); ok {
		found.ecma = newECMA(s)
	}
	found.examples, _ = m["examples"].([]any)
	for _, keyword := range []string{"example", "default"} {
		if v, ok := m[keyword]; ok {
			found.examples = append(found.examples[:len(found.examples):len(found.examples)], v)
		}
	}
	if !found.emptyEnum && found.dynamic == "" && found.ecma == nil && len(found.examples) == 0 {
		return nil, nil
	}
	return &found, nil
}

// anchor is the name in a $dynamicRef, if it ends in one.
func (x *marked) anchor() string {
	u, err := url.Parse(x.dynamic)
	if err != nil || strings.HasPrefix(u.Fragment, "/") {
		return ""
	}
	return u.Fragment
}

// compileAnchors compiles what a dynamic reference of this name may lead to, so
// that the prover sees it: nothing else need refer to it.
func (x marker) compileAnchors(ctx jsonschema.CompilerContext, name string) error {
	if name == "" {
		return nil
	}
	for _, u := range sortedKeys(x.prep.docs) {
		d := x.prep.docs[u]
		for _, a := range d.anchors {
			if at := d.url + "#" + a.pointer; a.name == name && x.prep.bearers[at] == nil {
				s, err := ctx.CompileRef(d.address(a.pointer), "$dynamicRef", false)
				if err != nil {
					return err
				}
				x.prep.bearers[at] = s
			}
		}
	}
	return nil
}

func (x *marked) Validate(ctx jsonschema.ValidationContext, v any) error {
	s, ok := v.(string)
	if x.ecma == nil || !ok {
		return nil
	}
	switch x.ecma.match(s) {
	case yes:
		return nil
	case unsure: // check turns it into an error: the value is neither valid nor invalid
		panic(fmt.Sprintf("the pattern %q takes too long", x.ecma.text))
	}
	return ctx.Error("pattern", "does not match pattern '%s'", x.ecma.text)
}
