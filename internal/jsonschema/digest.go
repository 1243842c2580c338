package jsonschema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/source"
)

// DigestAt is a Digest of one subschema and what it refers to; of a value that
// is no schema, such as a keyword's, a hash over the value; "" where there is nothing.
func (s *Schema) DigestAt(r Ref) string {
	if r.Node == nil {
		return ""
	}
	return s.closure.digest(r)
}

func (c *closure) digest(r Ref) string {
	w := canon{closure: c, numbers: map[place]int{}}
	if c.schemas[r.place()] == nil {
		w.value(r.Node)
	} else {
		w.schemas(r)
	}
	sum := sha256.Sum256(w.out.Bytes())
	return hex.EncodeToString(sum[:])
}

// canon writes schemas so that two that say the same in the same structure are
// written alike: keys sorted, notes left out, and each $ref as the number of its
// target, which is written once, behind the schema that first needs it.
type canon struct {
	*closure
	out     bytes.Buffer
	numbers map[place]int
	pending []Ref
}

func (w *canon) schemas(root Ref) {
	w.number(root)
	for i := 0; i < len(w.pending); i++ {
		w.out.WriteString("\n" + w.of(w.pending[i]).draft.String() + " ")
		w.schema(w.pending[i])
	}
}

// number gives a schema that is referred to its number.
func (w *canon) number(r Ref) int {
	n, known := w.numbers[r.place()]
	if !known {
		n = len(w.numbers)
		w.numbers[r.place()] = n
		w.pending = append(w.pending, r)
	}
	return n
}

func (w *canon) schema(r Ref) {
	if r.Node.Kind != source.Map {
		w.value(r.Node)
		return
	}
	d := w.of(r).draft
	w.out.WriteByte('{')
	for _, m := range sorted(r.Node.Members) {
		if !w.counts(r, m.Key, d) {
			continue
		}
		w.text(m.Key)
		w.keyword(r.sub(m.Key, m.Value), m.Key, d)
		w.out.WriteByte(',')
	}
	w.out.WriteByte('}')
}

// counts reports whether a keyword says something to a reader. One that nobody
// knows may, unless its name says that it is somebody's extension.
func (w *canon) counts(r Ref, name string, d draft) bool {
	k, known := keywords[name]
	if onlyRef(r.Node, d) {
		return name == "$ref"
	}
	return !k.note && !k.names && (known || !strings.HasPrefix(name, "x-"))
}

func (w *canon) keyword(at Ref, name string, d draft) {
	if slices.Contains(refKeywords, name) {
		if target, ok := w.links[at.place()]; ok {
			w.out.WriteString("->" + itoa(w.number(target)))
			return
		}
	}
	k := keywords[name]
	switch {
	case k.in&d == 0 || k.holds == noSchema:
		w.unordered(name, at.Node)
	case k.holds == oneSchema, k.holds == schemaOrList && at.Node.Kind == source.Map:
		w.schema(at)
	case at.Node.Kind == source.List:
		w.list(at)
	case at.Node.Kind == source.Map:
		w.members(at)
	default:
		w.value(at.Node)
	}
}

func (w *canon) list(at Ref) {
	w.out.WriteByte('[')
	for i, item := range at.Node.Items {
		w.schema(at.sub(itoa(i), item))
		w.out.WriteByte(',')
	}
	w.out.WriteByte(']')
}

func (w *canon) members(at Ref) {
	w.out.WriteByte('{')
	for _, m := range sorted(at.Node.Members) {
		w.text(m.Key)
		w.schema(at.sub(m.Key, m.Value))
		w.out.WriteByte(',')
	}
	w.out.WriteByte('}')
}

// unordered writes the value of a keyword that holds no schema; where it is a
// set, its order doesn't count.
func (w *canon) unordered(name string, n *source.Node) {
	if n.Kind != source.List || !slices.Contains([]string{"required", "enum", "type"}, name) {
		w.value(n)
		return
	}
	var items []string
	for _, item := range n.Items {
		one := canon{}
		one.value(item)
		items = append(items, one.out.String())
	}
	slices.Sort(items)
	w.out.WriteString("[" + strings.Join(items, ",") + "]")
}

// value writes data: keys sorted, everything else as it stands.
func (w *canon) value(n *source.Node) {
	switch n.Kind {
	case source.List:
		w.out.WriteByte('[')
		for _, item := range n.Items {
			w.value(item)
			w.out.WriteByte(',')
		}
		w.out.WriteByte(']')
	case source.Map:
		w.out.WriteByte('{')
		for _, m := range sorted(n.Members) {
			w.text(m.Key)
			w.value(m.Value)
			w.out.WriteByte(',')
		}
		w.out.WriteByte('}')
	default:
		w.out.Write(n.JSON())
	}
}

func (w *canon) text(key string) {
	n := source.Node{Kind: source.String, Text: key}
	w.out.Write(n.JSON())
	w.out.WriteByte(':')
}

func sorted(members []source.Member) []source.Member {
	return slices.SortedFunc(slices.Values(members), func(a, b source.Member) int { return strings.Compare(a.Key, b.Key) })
}
