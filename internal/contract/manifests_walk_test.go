package contract_test

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// schemaKeys collects what a schema knows: the place of each key, as
// reads[].event, and what stands there.
type schemaKeys struct {
	t        *testing.T
	defs     map[string]any
	got      map[string]string
	offered  map[string][]any // by place, what enum, default and examples show
	enums    map[string][]string
	defaults map[string]any
}

func (s schemaKeys) walk(at string, schema map[string]any) {
	s.offer(at, schema)
	if def := schema["default"]; def != nil && s.defaults != nil {
		s.defaults[at] = def
	}
	if ref, ok := schema["$ref"].(string); ok {
		def := object(s.defs[strings.TrimPrefix(ref, "#/$defs/")])
		if def == nil {
			s.t.Fatalf("%s: there is no %s", at, ref)
		}
		s.walk(at, def)
		return
	}
	s.got[at] = schema["type"].(string)
	switch properties := object(schema["properties"]); {
	case properties != nil:
		if schema["additionalProperties"] != false {
			s.t.Errorf("%s is open", at)
		}
		for key, sub := range properties {
			s.walk(at+"."+key, object(sub))
		}
	case schema["items"] != nil:
		s.walk(at+"[]", object(schema["items"]))
	case schema["additionalProperties"] != nil:
		s.walk(at+"{}", object(schema["additionalProperties"]))
	}
}

func (s schemaKeys) offer(at string, schema map[string]any) {
	if s.offered == nil || at == "" {
		return
	}
	s.offered[at] = append(s.offered[at], append(list(schema["enum"]), list(schema["examples"])...)...)
	for _, word := range list(schema["enum"]) {
		s.enums[at] = append(s.enums[at], word.(string))
	}
	if def := schema["default"]; def != nil {
		s.offered[at] = append(s.offered[at], def)
	}
}

// structKeys collects the same from a struct's yaml tags.
func structKeys(at string, t reflect.Type, into map[string]string) {
	types := map[string]reflect.Type{}
	leafTypes(at, t, types)
	for at, t := range types {
		into[at] = schemaType(t)
	}
}

// leafTypes maps every place of a manifest to the type that is decoded there.
func leafTypes(at string, t reflect.Type, into map[string]reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if strings.HasPrefix(t.Name(), "At[") {
		value, _ := t.FieldByName("Value")
		t = value.Type
	}
	into[at] = t
	switch {
	case isText(t):
	case t.Kind() == reflect.Slice:
		leafTypes(at+"[]", t.Elem(), into)
	case t.Kind() == reflect.Map:
		leafTypes(at+"{}", t.Elem(), into)
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			if name, option, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" && name != "-" && option == "" {
				leafTypes(at+"."+name, f.Type, into)
			}
		}
	}
}

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// vocabulary is the words of a closed vocabulary, which its error lists.
func vocabulary(t reflect.Type) []string {
	if !isText(t) {
		return nil
	}
	err := reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte("?"))
	if err == nil {
		return nil
	}
	_, words, ok := strings.Cut(err.Error(), "not known here: want ")
	if !ok {
		return nil
	}
	return strings.Split(strings.Replace(words, " or ", ", ", 1), ", ")
}

func schemaType(t reflect.Type) string {
	switch {
	case isText(t) || t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Slice:
		return "array"
	case t.Kind() == reflect.Int:
		return "integer"
	case t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() == reflect.Bool:
		return "boolean"
	}
	return "object"
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return slices.Clone(l)
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
