package contain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"sort"
	"strconv"
	"strings"
)

// maxExponent bounds the decimal exponent of a number literal; beyond it exact
// arithmetic would need more digits than any instance can carry.
const maxExponent = 1000

// valueSet is the finite set of an enum or const.
type valueSet struct {
	list  []any
	keys  []string // canonical text per value, sorted; equal texts are equal values
	index map[string]bool
	types typ
}

func newValueSet(list []any) *valueSet {
	s := &valueSet{index: make(map[string]bool, len(list))}
	for _, v := range list {
		k := canonical(v)
		if s.index[k] {
			continue
		}
		s.index[k] = true
		s.list, s.keys = append(s.list, v), append(s.keys, k)
		s.types |= typeOf(v)
	}
	sort.Strings(s.keys)
	return s
}

func (s *valueSet) has(v any) bool {
	return s.types&typeOf(v) != 0 && s.index[canonical(v)]
}

func typeOf(v any) typ {
	switch v.(type) {
	case nil:
		return tNull
	case bool:
		return tBool
	case json.Number:
		return tNumber
	case string:
		return tString
	case []any:
		return tArray
	}
	return tObject
}

// canonical gives two values the same text exactly when JSON Schema calls them equal.
func canonical(v any) string {
	if text, ok := v.(string); ok { // the most frequent; nothing else begins with a quote
		return `"` + text
	}
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func writeCanonical(b *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.WriteByte('n')
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case json.Number:
		b.WriteString(canonicalNumber(v))
	case string:
		b.WriteString(strconv.Quote(v))
	case []any:
		b.WriteByte('[')
		for _, e := range v {
			writeCanonical(b, e)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for _, k := range sortedKeys(v) {
			b.WriteString(strconv.Quote(k))
			b.WriteByte(':')
			writeCanonical(b, v[k])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

func canonicalNumber(n json.Number) string {
	s := string(n)
	if len(s) < 16 && !strings.ContainsAny(s, ".eE-+") {
		return s
	}
	return ratOf(n).RatString()
}

func ratOf(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// numberOf writes a rational with a finite decimal expansion exactly.
func numberOf(r *big.Rat) json.Number {
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	n, exact := r.FloatPrec()
	if !exact {
		n = 30
	}
	return json.Number(r.FloatString(n))
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// decode reads one JSON document and refuses numbers no engine should expand.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the JSON value")
	}
	if at, n := hugeNumber(v); n != "" {
		return nil, &numberError{at, n}
	}
	return v, nil
}

// numberError is a number that is not expanded.
type numberError struct{ pointer, text string }

func (e *numberError) Error() string { return fmt.Sprintf("the number %.40s is out of range", e.text) }

// hugeNumber finds the first number that is out of range, and where it stands.
func hugeNumber(v any) (pointer, text string) {
	switch v := v.(type) {
	case json.Number:
		if isHuge(string(v)) {
			return "", string(v)
		}
	case []any:
		for i, e := range v {
			if at, n := hugeNumber(e); n != "" {
				return "/" + strconv.Itoa(i) + at, n
			}
		}
	case map[string]any:
		for k, e := range v { // the smallest pointer counts: maps have no order
			at, n := hugeNumber(e)
			if n == "" {
				continue
			}
			if at = "/" + escapeToken(k) + at; text == "" || at < pointer {
				pointer, text = at, n
			}
		}
	}
	return pointer, text
}

func isHuge(s string) bool {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return len(s) > 10*maxExponent
	}
	e, err := strconv.Atoi(s[i+1:])
	return err != nil || e > maxExponent || e < -maxExponent
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
