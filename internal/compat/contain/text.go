package contain

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// maxLetters bounds the length of a string that is written into a witness.
const maxLetters = 1 << 20

// strProblem is what a string must satisfy.
type strProblem struct {
	s        *solver
	min, max int64
	autos    []*automaton
	demands  []demand
	except   map[string]bool
	opaque   []lit
	lits     []lit
	deps     uint64
	broken   *lit // a pattern without an automaton
}

// demand is what some automata in a row must say together: each what is wanted
// of it, or, negated, not all of them.
type demand struct {
	from int
	want []bool
	neg  bool
}

func (d demand) met(autos []*automaton, states []int) bool {
	for i, want := range d.want {
		if autos[d.from+i].states[states[d.from+i]].ends != want {
			return d.neg
		}
	}
	return !d.neg
}

// lost says that the demand cannot be met any more, whatever follows.
func (d demand) lost(autos []*automaton, states []int) bool {
	absorbed := 0
	for i, want := range d.want {
		if !autos[d.from+i].states[states[d.from+i]].absorbed {
			continue
		}
		if !d.neg && !want {
			return true
		}
		if want {
			absorbed++
		}
	}
	return d.neg && absorbed == len(d.want)
}

func (s *solver) solveString(lits []lit) outcome {
	p := strProblem{s: s, max: math.MaxInt64, except: map[string]bool{}, lits: lits}
	for _, l := range lits {
		p.add(l)
	}
	if p.min > p.max {
		return conflict(p.deps)
	}
	out := p.plain()
	if out.result == unsat || len(p.opaque) == 0 && p.broken == nil {
		return out
	}
	if v, ok := p.sample(out, p.outside()); ok {
		return found(v)
	}
	if out.result == sat {
		out.result = unknown
		if p.broken != nil {
			out.why = p.broken.cause()
		} else {
			out.why = p.opaque[0].cause()
		}
	}
	return out
}

func (p *strProblem) add(l lit) {
	p.deps |= l.deps
	switch {
	case l.n.kind == kOpaque:
		p.predicate(l)
	case l.n.kind == kEnum:
		for _, v := range l.n.values.list {
			if t, ok := v.(string); ok {
				p.except[t] = true
			}
		}
	case l.n.kind == kPattern:
		p.demand(l, []patternPart{{l.n.pats[0].text, true}})
	case l.n.kind == kMinLen && !l.neg:
		p.min = max(p.min, l.n.n)
	case l.n.kind == kMinLen:
		p.max = min(p.max, l.n.n-1)
	case !l.neg:
		p.max = min(p.max, l.n.n)
	default:
		p.min = max(p.min, l.n.n+1)
	}
}

// predicate takes of an opaque predicate what automata know of it.
func (p *strProblem) predicate(l lit) {
	o := l.n.opaque
	if len(o.parts) > 0 && (o.exact || !l.neg) {
		p.demand(l, o.parts)
	}
	if !o.exact {
		p.opaque = append(p.opaque, l)
	}
}

func (p *strProblem) demand(l lit, parts []patternPart) {
	d := demand{from: len(p.autos), neg: l.neg}
	for _, part := range parts {
		a := p.s.automata[part.text]
		if a == nil {
			a = newAutomaton(part.text)
			p.s.automata[part.text] = a
		}
		if a.broken {
			p.autos, p.broken = p.autos[:d.from], &l
			return
		}
		p.autos, d.want = append(p.autos, a), append(d.want, part.want)
	}
	p.demands = append(p.demands, d)
}

// outside looks for a string beyond all that refused patterns could take.
func (p *strProblem) outside() outcome {
	wider := *p
	wider.autos, wider.demands = slices.Clip(p.autos), slices.Clip(p.demands)
	for _, l := range p.opaque {
		if l.neg && len(l.n.opaque.parts) > 0 {
			wider.demand(l, l.n.opaque.parts)
		}
	}
	if len(wider.demands) == len(p.demands) {
		return outcome{}
	}
	return wider.plain()
}

// sample evaluates the whole problem on strings that are likely to pass.
func (p *strProblem) sample(results ...outcome) (string, bool) {
	tries := []string{"", "a", "A", "0", "1", "-1", "abc", "a b", "a-b", "é", "!", "a.b", "/", "2024-02-30", "not a format at all"}
	for _, l := range p.opaque {
		tries = append(slices.Clone(l.n.opaque.samples), tries...)
	}
	for _, r := range results {
		if v, ok := r.value.(string); ok {
			tries = append(tries, v)
		}
	}
next:
	for _, v := range tries {
		for _, l := range p.lits {
			if l.eval(v) != yes {
				continue next
			}
		}
		return v, true
	}
	return "", false
}

// plain decides without the opaque predicates.
func (p *strProblem) plain() outcome {
	if len(p.autos) == 0 {
		return p.free()
	}
	if p.min > int64(p.s.states) {
		return spent("states")
	}
	return p.product()
}

// free chooses among all strings of the allowed lengths.
func (p *strProblem) free() outcome {
	if p.min > maxLetters {
		return spent("length")
	}
	for n := p.min; n <= p.max && n <= p.min+1; n++ {
		for i := 0; i <= len(p.except); i++ {
			v := nthString(int(n), i)
			if !p.except[v] {
				return found(v)
			}
			if n == 0 {
				break
			}
		}
	}
	return conflict(p.deps) // only "" is left, and it is excepted
}

// nthString enumerates different strings of one length.
func nthString(n, i int) string {
	if n == 0 {
		return ""
	}
	r := rune('a' + i)
	if i >= 26 {
		r = rune(0x4e00 + i - 26)
	}
	if r > 0x10ffff {
		r = rune(0x100 + i%0xd000)
	}
	return strings.Repeat("a", n-1) + string(r)
}

// point is a state of the product: automata, letters so far up to min, and how
// far the string is still the start of an excepted one.
type point struct {
	states []int
	letter int64
	trie   int
	from   int
	rune   rune
}

// product walks the states breadth first, so that the first hit is shortest.
func (p *strProblem) product() outcome {
	tree, letters := newTrie(p.except)
	runes := alphabet(p.autos, letters)
	first := point{states: make([]int, len(p.autos)), from: -1}
	queue := []point{first}
	seen := map[string]bool{first.key(): true}
	depth, levelEnd := int64(0), 1
	for i := 0; i < len(queue); i++ {
		if i == levelEnd {
			depth, levelEnd = depth+1, len(queue)
		}
		if depth > p.max {
			return conflict(p.deps)
		}
		at := queue[i]
		if p.accepts(at, tree) {
			return found(spell(queue, i))
		}
		for _, r := range runes {
			to := p.step(at, i, r, tree)
			k := to.key()
			if seen[k] {
				continue
			}
			seen[k] = true
			if p.dead(to) {
				continue
			}
			queue = append(queue, to)
			if p.s.states--; p.s.states < 0 {
				return spent("states")
			}
		}
	}
	return conflict(p.deps)
}

func (p *strProblem) accepts(at point, tree *trie) bool {
	if at.letter < p.min || tree.excepted(at.trie) {
		return false
	}
	for _, d := range p.demands {
		if !d.met(p.autos, at.states) {
			return false
		}
	}
	return true
}

// dead says that what is asked can never come round any more.
func (p *strProblem) dead(at point) bool {
	for _, d := range p.demands {
		if d.lost(p.autos, at.states) {
			return true
		}
	}
	return false
}

func (p *strProblem) step(at point, i int, r rune, tree *trie) point {
	to := point{states: make([]int, len(at.states)), from: i, rune: r, letter: min(at.letter+1, p.min), trie: tree.step(at.trie, r)}
	for j, a := range p.autos {
		to.states[j] = a.step(at.states[j], r)
	}
	return to
}

func (at point) key() string {
	b := make([]byte, 0, 4*len(at.states)+12)
	for _, s := range at.states {
		b = binary.LittleEndian.AppendUint32(b, uint32(s))
	}
	b = binary.AppendVarint(b, at.letter)
	return string(binary.AppendVarint(b, int64(at.trie)))
}

func spell(queue []point, i int) string {
	var out []rune
	for ; queue[i].from >= 0; i = queue[i].from {
		out = append(out, queue[i].rune)
	}
	slices.Reverse(out)
	return string(out)
}

// trie follows the excepted strings; node -1 is off every one of them.
type trie struct {
	next []map[rune]int
	ends []bool
}

func newTrie(words map[string]bool) (*trie, []rune) {
	t := &trie{next: []map[rune]int{{}}, ends: []bool{false}}
	letters := map[rune]bool{}
	for _, w := range sortedKeys(words) {
		at := 0
		for _, r := range w {
			letters[r] = true
			to, ok := t.next[at][r]
			if !ok {
				to = len(t.next)
				t.next, t.ends = append(t.next, map[rune]int{}), append(t.ends, false)
				t.next[at][r] = to
			}
			at = to
		}
		t.ends[at] = true
	}
	list := make([]rune, 0, len(letters))
	for r := range letters {
		list = append(list, r)
	}
	slices.Sort(list)
	return t, list
}

func (t *trie) step(at int, r rune) int {
	if at < 0 {
		return -1
	}
	if to, ok := t.next[at][r]; ok {
		return to
	}
	return -1
}

func (t *trie) excepted(at int) bool { return at >= 0 && t.ends[at] }
