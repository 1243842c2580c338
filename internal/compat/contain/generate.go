package contain

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Sample is an instance made up from a schema.
type Sample struct {
	Instance []byte
	Refusal  *Refusal // nil if the schema's validator takes the instance
}

// The budget of making instances up. One that takes more is not worth it.
const (
	generateSteps  = 20_000
	generateStates = 4_000
)

// Generate makes up to n different valid instances and up to n near misses,
// each of which breaks one assertion and, where that can be, nothing else. All
// were put to the validator. The same seed gives the same samples.
func Generate(s *Schema, seed uint64, n int) []Sample {
	g := generator{s: s, solver: newSolver(Budget{Steps: generateSteps, States: generateStates}), random: rand.New(rand.NewPCG(seed, 0)), seen: map[string]bool{}, dresser: newDresser(s, seed)}
	g.valid(n)
	g.invalid(n)
	return g.out
}

type generator struct {
	s       *Schema
	solver  *solver
	random  *rand.Rand
	seen    map[string]bool
	dresser *dresser
	out     []Sample
}

// keep puts a value to the validator, and keeps it if it is new and as wanted.
func (g *generator) keep(v any, valid bool) bool {
	text := encode(v)
	w, err := decode(text)
	if err != nil {
		return false
	}
	bad, err := g.s.check(w)
	if err != nil || (bad == nil) != valid {
		return false
	}
	text = encode(g.dressed(w, bad))
	if g.seen[string(text)] {
		return false
	}
	g.seen[string(text)] = true
	sample := Sample{Instance: text}
	if bad != nil {
		sample.Refusal = g.s.refusal(likely(leafOf(bad)))
	}
	g.out = append(g.out, sample)
	return true
}

// dressed makes a value read well, with the same verdict for the same reason.
func (g *generator) dressed(v any, bad *jsonschema.ValidationError) any {
	var path []string
	if bad != nil {
		leaf := likely(leafOf(bad))
		path = strings.Split(unescapePath(leaf.InstanceLocation), "/")[1:]
		path = append([]string{}, path...)
	}
	return g.dresser.dress(v, path, func(w any) bool {
		w, err := decode(encode(w))
		if err != nil {
			return false
		}
		now, err := g.s.check(w)
		if err != nil || (now == nil) != (bad == nil) {
			return false
		}
		return bad == nil || likely(leafOf(now)).AbsoluteKeywordLocation == likely(leafOf(bad)).AbsoluteKeywordLocation
	})
}

// valid starts from the smallest instance and adds more and more of what the
// schema names.
func (g *generator) valid(n int) {
	first := g.solver.solve([]lit{{n: g.s.root}})
	if !first.has {
		return
	}
	count := 0
	if g.keep(first.value, true) {
		count++
	}
	for try := 0; try < 4*n && count < n; try++ {
		if g.keep(g.enrich(first.value, []*node{g.s.root}, 4), true) {
			count++
		}
	}
}

// enrich adds properties and items at random, each with a value of its own schema.
func (g *generator) enrich(v any, ctx []*node, depth int) any {
	ctx = flatten(ctx)
	switch v := v.(type) {
	case map[string]any:
		return g.members(v, ctx, depth)
	case []any:
		if depth > 0 && g.random.IntN(2) == 0 {
			n := &node{kind: kItem, n: int64(len(v))}
			if e, ok := g.fresh(childContext(n, ctx), depth-1); ok {
				return append(slices.Clone(v), e)
			}
		}
	default:
		if e, ok := g.fresh(ctx, 0); ok && g.random.IntN(3) > 0 {
			return e
		}
	}
	return v
}

func (g *generator) members(v map[string]any, ctx []*node, depth int) any {
	out := make(map[string]any, len(v))
	for _, k := range sortedKeys(v) {
		out[k] = g.enrich(v[k], childContext(&node{kind: kProp, name: k}, ctx), depth-1)
	}
	for _, n := range ctx {
		if n.kind != kProp || depth <= 0 || g.random.IntN(3) == 0 {
			continue
		}
		if _, ok := out[n.name]; ok {
			continue
		}
		if e, ok := g.fresh(childContext(n, ctx), depth-1); ok {
			out[n.name] = e
		}
	}
	return out
}

// fresh solves a part on its own, now and then for a particular type.
func (g *generator) fresh(ctx []*node, depth int) (any, bool) {
	var goal []lit
	for _, n := range ctx {
		goal = append(goal, lit{n: n})
	}
	narrow := []*node{
		seal(&node{kind: kTypes, types: typeOrder[g.random.IntN(len(typeOrder))]}),
		seal(&node{kind: kMinLen, n: int64(1 + g.random.IntN(6))}),
		seal(&node{kind: kLower, rat: ratOf("7")}),
	}
	g.random.Shuffle(len(narrow), func(i, j int) { narrow[i], narrow[j] = narrow[j], narrow[i] })
	for i := range narrow {
		extra := goal[:len(goal):len(goal)]
		for _, n := range narrow[i:] {
			extra = append(extra, lit{n: n})
		}
		if out := g.solver.solve(extra); out.result == sat {
			return g.deeper(out.value, ctx, depth), true
		}
	}
	out := g.solver.solve(goal)
	return g.deeper(out.value, ctx, depth), out.result == sat
}

func (g *generator) deeper(v any, ctx []*node, depth int) any {
	if depth <= 0 {
		return v
	}
	switch v.(type) {
	case map[string]any, []any:
		return g.enrich(v, ctx, depth-1)
	}
	return v
}

// invalid breaks one assertion after the other, with all others kept.
func (g *generator) invalid(n int) {
	var spots []*node
	collectSpots(g.s.root, map[*node]bool{}, &spots)
	g.random.Shuffle(len(spots), func(i, j int) { spots[i], spots[j] = spots[j], spots[i] })
	count := 0
	for _, spot := range spots {
		if count == n {
			return
		}
		without := dropping{spot: spot, done: map[*node]*node{}}
		out := g.solver.solve([]lit{{n: without.node(g.s.root)}, {n: g.s.root, neg: true}})
		if out.has && g.keep(out.value, false) {
			count++
		}
	}
}

func collectSpots(n *node, seen map[*node]bool, out *[]*node) {
	if seen[n] {
		return
	}
	seen[n] = true
	if n.place.schema != "" && n.kind != kRef && n.kind != kProp {
		*out = append(*out, n)
	}
	if n.kind == kNot || n.kind == kEnum {
		return
	}
	for _, k := range n.kids {
		collectSpots(k, seen, out)
	}
}

// dropping copies a schema without one assertion.
type dropping struct {
	spot *node
	done map[*node]*node
}

func (d *dropping) node(n *node) *node {
	if n == d.spot {
		return nodeTrue
	}
	if c, ok := d.done[n]; ok {
		return c
	}
	if n.kind == kRef || n.kind == kEnum || len(n.kids) == 0 {
		d.done[n] = n
		return n
	}
	kids := make([]*node, len(n.kids))
	same := true
	for i, k := range n.kids {
		kids[i] = d.node(k)
		same = same && kids[i] == k
	}
	out := n
	switch {
	case same:
	case n.kind == kAnd:
		out = and(kids...)
	default:
		c := *n
		c.kids = kids
		out = seal(&c)
	}
	d.done[n] = out
	return out
}
