package codegen

import (
	"strconv"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/source"
)

// reader takes shapes out of one schema. A shape is made once for each place,
// so that recursive schemas end.
type reader struct {
	schema *jsonschema.Schema
	assert bool // formats are asserted
	rules  map[string]keywordRule
	known  map[string]*shape
}

func newReader(schema *jsonschema.Schema, assert bool) *reader {
	return &reader{schema: schema, assert: assert, rules: keywords, known: map[string]*shape{}}
}

func (r *reader) root() *shape { return r.shape(r.schema.RootRef()) }

func (r *reader) shape(at jsonschema.Ref) *shape {
	key := at.File + "#" + at.Pointer
	if s := r.known[key]; s != nil {
		return s
	}
	s := &shape{at: at, pos: at.Node.Pos, kinds: allKinds, longest: -1, most: -1, mostOf: -1, fewestIn: 1, mostIn: -1}
	r.known[key] = s
	if at.Node.Kind == source.Bool {
		s.never = at.Node.Text == "false"
		return s
	}
	d := drafts[r.schema.DraftAt(at)]
	refAlone := d <= draft7 && at.Node.Get("$ref") != nil
	for _, m := range at.Node.Members {
		rule, known := r.rules[m.Key]
		if !known || d < rule.since || rule.until != 0 && d > rule.until || refAlone && m.Key != "$ref" {
			continue
		}
		rule.read(&reading{reader: r, shape: s, draft: d, key: m.Key, pos: m.Pos, at: r.schema.Sub(at, m.Key)})
	}
	return s
}

// draft orders the drafts of JSON Schema.
type draft uint8

const (
	draft4 draft = iota + 1
	draft6
	draft7
	draft2019
	draft2020
)

var drafts = map[string]draft{"4": draft4, "6": draft6, "7": draft7, "2019-09": draft2019, "2020-12": draft2020}

// reading is one keyword that is being read into a shape.
type reading struct {
	*reader
	shape *shape
	draft draft
	key   string
	pos   source.Pos
	at    jsonschema.Ref
}

func (r *reading) node() *source.Node { return r.at.Node }

// sub is the shape that stands as the keyword's value, or below it.
func (r *reading) sub(steps ...string) *shape { return r.reader.shape(r.schema.Sub(r.at, steps...)) }

func (r *reading) list() []*shape {
	shapes := make([]*shape, len(r.node().Items))
	for i := range shapes {
		shapes[i] = r.sub(strconv.Itoa(i))
	}
	return shapes
}

func (r *reading) strings() []string {
	list := make([]string, len(r.node().Items))
	for i, item := range r.node().Items {
		list[i] = item.Text
	}
	return list
}

// count reads a limit. One beyond all that can be held is no limit, or one that
// nothing reaches.
func (r *reading) count() int {
	n, err := strconv.ParseFloat(r.node().Text, 64)
	if err != nil || n > 1<<40 {
		return 1 << 40
	}
	return int(n)
}

func (r *reading) cannot() {
	r.shape.unknown = append(r.shape.unknown, keyword{name: r.key, pos: r.pos})
}
