package contain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// hint is what a schema says of its values to people: nothing of it is asserted.
type hint struct {
	format   string
	examples []any
}

// hints collects what the schemas say, by location.
func (l *lowering) hints() map[string]hint {
	hints := map[string]hint{}
	for _, k := range l.order {
		s := k.schema
		h := hint{format: s.Format}
		if m, _ := s.Extensions["evcontract"].(*marked); m != nil {
			h.examples = m.examples
		}
		if h.format != "" || len(h.examples) > 0 {
			hints[s.Location] = h
		}
	}
	return hints
}

// dresser replaces the values that a search has come up with, such as "aaa", by
// some that a person takes for real, as long as the schema takes them as well.
type dresser struct {
	s      *Schema
	also   []*node // what else is to take the values, where it took the first ones
	random *rand.Rand
}

func newDresser(s *Schema, seed uint64) *dresser {
	return &dresser{s: s, random: rand.New(rand.NewPCG(seed, 3))}
}

// dress gives a value another dress. What lies on the path stays as it is, and
// so does everything where the result would not do; a nil path is none.
func (d *dresser) dress(v any, path []string, does func(any) bool) any {
	ctx := append([]*node{d.s.root}, d.also...)
	if whole := d.value("", v, ctx, path); does(whole) {
		return whole
	}
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(m))
	for k, e := range m {
		out[k] = e
	}
	ctx = d.applying(ctx, v)
	for _, k := range sortedKeys(m) {
		out[k] = d.member("", k, m[k], ctx, path)
		if !does(out) {
			out[k] = m[k]
		}
	}
	return out
}

// value dresses one part. The offending part is where the path ends.
func (d *dresser) value(name string, v any, ctx []*node, path []string) any {
	ctx = d.applying(ctx, v)
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range sortedKeys(v) {
			out[k] = d.member(name, k, v[k], ctx, path)
		}
		return out
	case []any:
		if path != nil { // which of the items it is, the path does not say
			return v
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = d.value(singular(name), e, childContext(&node{kind: kItem, n: int64(i)}, ctx), nil)
		}
		return out
	}
	if path != nil {
		return v
	}
	return d.scalar(name, v, ctx)
}

func (d *dresser) member(of, k string, v any, ctx []*node, path []string) any {
	below := childContext(&node{kind: kProp, name: k}, ctx)
	if len(path) > 0 && (path[0] == k || path[0] == "{}") {
		return d.value(k, v, below, path[1:])
	}
	name := k
	if k == "id" && of != "" {
		name = of + "_id"
	}
	return d.value(name, v, below, nil)
}

// applying is the context with the branches that apply to a value.
func (d *dresser) applying(ctx []*node, v any) []*node {
	ctx = flatten(ctx)
	for i := 0; i < len(ctx) && len(ctx) < 1000; i++ {
		switch n := ctx[i]; n.kind {
		case kOr, kOneOf:
			for _, k := range n.kids {
				if eval(k, v) == yes {
					ctx = append(ctx, flatten([]*node{k})...)
				}
			}
		case kIf:
			branch := n.kids[2]
			if eval(n.kids[0], v) == yes {
				branch = n.kids[1]
			}
			ctx = append(ctx, flatten([]*node{branch})...)
		}
	}
	return ctx
}

// scalar takes the first candidate that the context takes.
func (d *dresser) scalar(name string, v any, ctx []*node) any {
	for _, n := range ctx {
		if n.kind == kEnum {
			return v
		}
	}
	for _, c := range d.candidates(name, v, ctx) {
		if typeOf(c) == typeOf(v) && !slices.ContainsFunc(ctx, func(n *node) bool { return eval(n, c) != yes && eval(n, v) == yes }) {
			return c
		}
	}
	return v
}

func (d *dresser) candidates(name string, v any, ctx []*node) []any {
	var list []any
	for _, n := range ctx {
		list = append(list, d.s.hints[n.place.schema].examples...)
	}
	if len(list) > 1 {
		first := d.random.IntN(len(list))
		list[0], list[first] = list[first], list[0]
	}
	if _, ok := v.(string); ok {
		for _, n := range ctx {
			if f := d.s.hints[n.place.schema].format; f != "" {
				list = append(list, d.formatted(f)...)
			}
		}
		return append(list, d.text(name))
	}
	if n, ok := v.(json.Number); ok && len(n) < 3 {
		list = append(list, number(name))
	}
	return list
}

// formatted makes values of a format up.
func (d *dresser) formatted(format string) []any {
	var list []any
	add := func(text string) {
		if holds := jsonschema.Formats[format]; holds == nil || holds(text) {
			list = append(list, text)
		}
	}
	switch format {
	case "uuid":
		add(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", d.random.Uint32(), d.random.IntN(1<<16), d.random.IntN(1<<12), d.random.IntN(1<<12), d.random.Int64N(1<<48)))
	case "date-time":
		add(fmt.Sprintf("2026-%02d-%02dT%02d:%02d:00Z", 1+d.random.IntN(12), 1+d.random.IntN(28), d.random.IntN(24), d.random.IntN(60)))
	case "date":
		add(fmt.Sprintf("2026-%02d-%02d", 1+d.random.IntN(12), 1+d.random.IntN(28)))
	}
	for _, sample := range formatSamples[format] {
		add(sample)
	}
	return list
}

// text makes a text up by the name of what it stands for.
func (d *dresser) text(name string) string {
	words := strings.ToLower(name)
	is := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(words, p) })
	}
	switch {
	case strings.HasSuffix(words, "_at"), strings.HasSuffix(name, "At"), is("time"):
		return d.formatted("date-time")[0].(string)
	case is("date", "birthday"):
		return d.formatted("date")[0].(string)
	case is("email"):
		return "a@example.com"
	case is("url", "uri", "link", "href"):
		return "https://example.com"
	case is("currency"):
		return "EUR"
	case is("country"):
		return "NL"
	case is("language", "locale"):
		return "en"
	case is("phone"):
		return "+31201234567"
	case strings.HasSuffix(words, "id"), strings.HasSuffix(words, "key"), is("number", "code", "sku"):
		return fmt.Sprintf("%s-%d", strings.ReplaceAll(strings.TrimSuffix(words, "_id"), "_", "-"), 1+d.random.IntN(999))
	case name == "":
		return "text"
	}
	return "a " + strings.ReplaceAll(name, "_", " ")
}

// number is a number of an ordinary size, by the name of what it counts.
func number(name string) json.Number {
	words := strings.ToLower(name)
	switch {
	case strings.Contains(words, "amount"), strings.Contains(words, "price"), strings.Contains(words, "total"), strings.Contains(words, "units"):
		return "1299"
	case strings.Contains(words, "quantity"), strings.Contains(words, "qty"), strings.Contains(words, "count"):
		return "2"
	}
	return "1"
}

func singular(name string) string { return strings.TrimSuffix(name, "s") }
