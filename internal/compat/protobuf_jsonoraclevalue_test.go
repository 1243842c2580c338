package compat

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
)

// slots compares what stands in two places.
func (o documentOracle) slots(at string, sent any, w slot, seen any, r slot) string {
	differs := fmt.Sprintf("%s: sent %v, seen %v", at, sent, seen)
	switch {
	case r.what == "value", r.anything:
		if !sameDocument(sent, seen) {
			return differs
		}
		return ""
	case r.what == "list" && w.what == "list":
		return o.lists(at, sent.([]any), *w.of, seen.([]any), *r.of)
	case r.what == "map" && w.what == "map":
		return o.maps(at, sent.(map[string]any), *w.of, seen.(map[string]any), *r.of)
	case w.what == "message" && r.what == "message":
		return o.objects(at, sent.(map[string]any), w.message, seen.(map[string]any), r.message)
	case w.what == "Any" && r.what == "Any":
		return o.anys(at, sent.(map[string]any), seen.(map[string]any))
	case w.what == "map" && r.what == "message":
		return o.mapAsMessage(at, sent.(map[string]any), *w.of, seen.(map[string]any), r.message)
	case w.what == "value":
		if !sameDocument(sent, seen) {
			return differs
		}
		return ""
	case isObject(sent) && (r.what == "map" || w.what == "Any" || r.what == "Any"):
		if isEmpty(sent) && isEmpty(seen) {
			return ""
		}
		return differs
	}
	if problem := o.unknownNumber(sent, r); problem != "" {
		return at + ": " + problem
	}
	if !sameScalar(sent, w, seen, r) {
		return differs
	}
	return ""
}

func isObject(v any) bool {
	_, is := v.(map[string]any)
	return is
}

func (o documentOracle) lists(at string, sent []any, w slot, seen []any, r slot) string {
	var kept []any
	for _, e := range sent {
		if !o.ignored(e, r) {
			kept = append(kept, e)
		}
	}
	if r.what == "enum" && o.as.UnknownEnums == contract.Ignore { // the library keeps numbers
		seen = slices.DeleteFunc(slices.Clone(seen), func(e any) bool { return o.ignored(e, r) })
	}
	if len(kept) != len(seen) {
		return fmt.Sprintf("%s: %d elements, %d seen", at, len(sent), len(seen))
	}
	for i := range kept {
		if d := o.slots(at+"[]", kept[i], w, seen[i], r); d != "" {
			return d
		}
	}
	return ""
}

func (o documentOracle) maps(at string, sent map[string]any, w slot, seen map[string]any, r slot) string {
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		got, has := seen[key]
		switch {
		case o.ignored(sent[key], r):
			continue
		case !has:
			return fmt.Sprintf("%s: no key %q", at, key)
		}
		if d := o.slots(at+"{}", sent[key], w, got, r); d != "" {
			return d
		}
	}
	return ""
}

// mapAsMessage compares keys with fields: what was a key is data, and lost where
// there is no field.
func (o documentOracle) mapAsMessage(at string, sent map[string]any, w slot, seen map[string]any, reader protoreflect.MessageDescriptor) string {
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		to := documentField(o.reader, reader, key)
		if to == nil {
			return fmt.Sprintf("%s: the key %q is lost", at, key)
		}
		got, has := seen[to.JSONName()]
		if d := o.places(at+"{}", sent[key], w, got, has, slotOf(to)); d != "" {
			return d
		}
	}
	return ""
}

func (o documentOracle) anys(at string, sent, seen map[string]any) string {
	content, w := carriedIn(o.writer, sent)
	got, r := carriedIn(o.reader, seen)
	switch {
	case w.what == "" && len(sent) == 0:
		return ""
	case r.what == "":
		return fmt.Sprintf("%s: %v is lost", at, sent["@type"])
	case sent["@type"] != seen["@type"]:
		return fmt.Sprintf("%s: a %v is seen as a %v", at, sent["@type"], seen["@type"])
	}
	if o.incomplete(got, r) { // the library looks only when it is unpacked
		return at + ": a required field is missing"
	}
	return o.slots(at, content, w, got, r)
}

// incomplete reports whether a document lacks what its message requires.
func (o documentOracle) incomplete(v any, s slot) bool {
	switch v := v.(type) {
	case []any:
		return s.of != nil && slices.ContainsFunc(v, func(e any) bool { return o.incomplete(e, *s.of) })
	case map[string]any:
		if s.what == "map" {
			return slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return o.incomplete(e, *s.of) })
		}
		if s.what != "message" {
			return false
		}
		required := s.message.RequiredNumbers()
		for i := range required.Len() {
			if _, has := v[s.message.Fields().ByNumber(required.Get(i)).JSONName()]; !has {
				return true
			}
		}
		for key, inner := range v {
			if fd := documentField(o.reader, s.message, key); fd != nil && o.incomplete(inner, slotOf(fd)) {
				return true
			}
		}
	}
	return false
}

// unknownNumber says what a reader of a closed enum, or one that refuses unknown
// values, has against a number that the enum lacks.
func (o documentOracle) unknownNumber(sent any, r slot) string {
	n, is := enumNumberOf(sent)
	if r.enum == nil || !is || r.enum.Values().ByNumber(n) != nil {
		return ""
	}
	if o.as.UnknownEnums == contract.Reject || r.enum.IsClosed() && o.as.UnknownEnums == "" {
		return fmt.Sprintf("%d is no value of %s", n, r.enum.Name())
	}
	return ""
}

func isZeroNumber(v any) bool {
	n, is := enumNumberOf(v)
	return is && n == 0
}

func enumNumberOf(v any) (protoreflect.EnumNumber, bool) {
	number, is := v.(json.Number)
	if !is {
		return 0, false
	}
	n, err := strconv.ParseInt(string(number), 10, 32)
	return protoreflect.EnumNumber(n), err == nil
}

// sorts are the kinds of scalars between which a value keeps its meaning.
func (s slot) sort() string {
	switch s.what {
	case "float", "double", "bool", "string", "bytes", "enum", "null":
		return s.what
	case "text":
		return s.name
	case "list", "map", "message", "Any", "value":
		return "no scalar"
	}
	return "integer"
}

// sameScalar tells whether what was seen is what was sent. A number is its text
// where 64 bits travel as text; base64, the name of an enum's value and a string
// are three things, whatever they look like.
func sameScalar(sent any, w slot, seen any, r slot) bool {
	from, to := w.sort(), r.sort()
	switch {
	case to == "null" && (from == "integer" || isText(sent, "NULL_VALUE")):
		return true // the library writes null for every number of a NullValue
	case from == "enum" && to == "enum":
		return sameEnum(sent, seen, r)
	case from == "integer" && to == "enum":
		name, is := seen.(string)
		if !is {
			return sameDocument(sent, seen)
		}
		v, n := r.enum.Values().ByName(protoreflect.Name(name)), fmt.Sprint(sent)
		return v != nil && strconv.Itoa(int(v.Number())) == n
	case from == "string" && to == "enum":
		v, s := r.enum.Values().ByName(protoreflect.Name(fmt.Sprint(sent))), r.enum.Values().ByName(protoreflect.Name(fmt.Sprint(seen)))
		return v != nil && s != nil && v.Number() == s.Number()
	case from == "float" || to == "float" || from == "double" || to == "double":
		return sameNumber(sent, seen, from, to)
	case from == "integer" && (to == "integer" || to == "string"):
		return fmt.Sprint(sent) == fmt.Sprint(seen)
	case from == to, strings.HasPrefix(from, "google.") && to == "string":
		return sameDocument(sent, seen)
	case from == "string" && (to == "integer" || strings.HasPrefix(to, "google.")):
		return fmt.Sprint(sent) == fmt.Sprint(seen)
	}
	return isText(sent, "") && isText(seen, "")
}

func isText(v any, text string) bool {
	s, is := v.(string)
	return is && s == text
}

func sameEnum(sent, seen any, r slot) bool {
	number := func(v any) string {
		if text, is := v.(string); is {
			if known := r.enum.Values().ByName(protoreflect.Name(text)); known != nil {
				return strconv.Itoa(int(known.Number()))
			}
		}
		return fmt.Sprint(v)
	}
	return number(sent) == number(seen)
}

// sameNumber compares numbers of which one is a floating one, as they are held:
// the text of a float stands for that float, in whatever it is read.
func sameNumber(sent, seen any, from, to string) bool {
	a, b := fmt.Sprint(sent), fmt.Sprint(seen)
	if a == b && from == to || from == "float" && a == b && to == "double" {
		return true
	}
	bits := func(sort string) int {
		if sort == "float" || from == "float" {
			return 32
		}
		return 64
	}
	x, okX := exactly(a, from, bits(from))
	y, okY := exactly(b, to, bits(to))
	if a == b && !okX && !okY {
		return true // NaN and the infinities
	}
	return okX && okY && x.Cmp(y) == 0
}

func exactly(text, sort string, bits int) (*big.Rat, bool) {
	if sort == "float" || sort == "double" {
		f, err := strconv.ParseFloat(text, bits)
		if err != nil {
			return nil, false
		}
		r := new(big.Rat).SetFloat64(f)
		return r, r != nil
	}
	return new(big.Rat).SetString(text)
}

// sameDocument compares documents; numbers by what they are.
func sameDocument(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, is := b.(map[string]any)
		return is && maps.EqualFunc(x, y, sameDocument)
	case []any:
		y, is := b.([]any)
		return is && slices.EqualFunc(x, y, sameDocument)
	case json.Number:
		y, is := b.(json.Number)
		if !is {
			return false
		}
		f, _ := strconv.ParseFloat(string(x), 64)
		g, _ := strconv.ParseFloat(string(y), 64)
		return f == g
	}
	return a == b
}
