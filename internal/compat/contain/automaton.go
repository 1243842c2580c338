package contain

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
)

// automaton is a deterministic automaton of one pattern, built state by state.
// It reads a pattern as JSON Schema does: anywhere in the string.
type automaton struct {
	prog   *syntax.Prog
	cuts   []rune // where the behaviour of some instruction may change
	states []dfaState
	index  map[string]int
	words  bool // it asks for word boundaries
	broken bool // line anchors are not modelled
}

// dfaState is where a pattern stands in a string. What a word boundary lets
// through depends on the rune that follows: with those, the threads are where
// it goes on from, and their empty moves are followed with the next rune.
type dfaState struct {
	threads  []uint32 // program counters of rune instructions, sorted
	edge     edge     // what came before, where words count
	ends     bool     // accepts if the string ends here
	absorbed bool     // has matched, whatever follows
	next     map[rune]int
}

// edge is what stands on the two sides of a place in a string.
type edge struct{ begin, end, wordBefore, wordAfter bool }

func (e edge) passes(op syntax.EmptyOp) bool {
	boundary := e.wordBefore != e.wordAfter
	return (op&syntax.EmptyBeginText == 0 || e.begin) && (op&syntax.EmptyEndText == 0 || e.end) &&
		(op&syntax.EmptyWordBoundary == 0 || boundary) && (op&syntax.EmptyNoWordBoundary == 0 || !boundary)
}

const modelled = syntax.EmptyBeginText | syntax.EmptyEndText | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary

func newAutomaton(text string) *automaton {
	a := &automaton{index: map[string]int{}}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		a.broken = true
		return a
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		a.broken = true
		return a
	}
	a.prog = prog
	for i := range prog.Inst {
		in := &prog.Inst[i]
		switch in.Op {
		case syntax.InstEmptyWidth:
			op := syntax.EmptyOp(in.Arg)
			a.broken = a.broken || op&^modelled != 0
			a.words = a.words || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
		case syntax.InstRune, syntax.InstRune1:
			a.cutRunes(in)
		case syntax.InstRuneAnyNotNL:
			a.cuts = append(a.cuts, '\n', '\n'+1)
		}
	}
	if a.words {
		a.cuts = append(a.cuts, '0', '9'+1, 'A', 'Z'+1, '_', '_'+1, 'a', 'z'+1)
	}
	a.state([]uint32{uint32(prog.Start)}, edge{begin: true})
	return a
}

func (a *automaton) cutRunes(in *syntax.Inst) {
	if len(in.Rune) == 1 || syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
		for _, r := range in.Rune {
			a.cuts = append(a.cuts, r, r+1)
			if syntax.Flags(in.Arg)&syntax.FoldCase == 0 {
				continue
			}
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				a.cuts = append(a.cuts, f, f+1)
			}
		}
	}
	if len(in.Rune) > 1 {
		for i := 0; i+1 < len(in.Rune); i += 2 {
			a.cuts = append(a.cuts, in.Rune[i], in.Rune[i+1]+1)
		}
	}
}

// state closes threads over empty moves and interns the result.
func (a *automaton) state(starts []uint32, at edge) int {
	st := dfaState{next: map[rune]int{}}
	if a.words {
		slices.Sort(starts)
		st.threads, st.edge = slices.Compact(starts), at
	} else {
		c := a.close(starts, at)
		st.threads, st.absorbed = c.runes, c.matched
		slices.Sort(st.threads)
	}
	if st.absorbed {
		st.threads, st.ends = nil, true
	} else {
		at.end = true
		st.ends = a.close(starts, at).matched
	}
	return a.intern(st)
}

func (a *automaton) close(starts []uint32, at edge) closure {
	c := closure{prog: a.prog, at: at, seen: map[uint32]bool{}}
	for _, pc := range starts {
		c.follow(pc)
	}
	return c
}

func (a *automaton) intern(st dfaState) int {
	key := st.key()
	if id, ok := a.index[key]; ok {
		return id
	}
	id := len(a.states)
	a.states = append(a.states, st)
	a.index[key] = id
	return id
}

func (st *dfaState) key() string {
	b := make([]byte, 1, 1+4*len(st.threads))
	if st.ends {
		b[0] = 1
	}
	if st.absorbed {
		b[0] = 2
	}
	if st.edge.begin {
		b[0] |= 4
	}
	if st.edge.wordBefore {
		b[0] |= 8
	}
	for _, pc := range st.threads {
		b = binary.LittleEndian.AppendUint32(b, pc)
	}
	return string(b)
}

// step is the state after one more rune.
func (a *automaton) step(from int, r rune) int {
	st := &a.states[from]
	if st.absorbed {
		return from
	}
	if to, ok := st.next[r]; ok {
		return to
	}
	to := a.after(st, r)
	a.states[from].next[r] = to
	return to
}

func (a *automaton) after(st *dfaState, r rune) int {
	threads, word := st.threads, a.words && syntax.IsWordChar(r)
	if a.words {
		at := st.edge
		at.wordAfter = word
		c := a.close(st.threads, at)
		if c.matched {
			return a.intern(dfaState{absorbed: true, ends: true, next: map[rune]int{}})
		}
		threads = c.runes
	}
	starts := []uint32{uint32(a.prog.Start)}
	for _, pc := range threads {
		if in := &a.prog.Inst[pc]; in.MatchRune(r) {
			starts = append(starts, in.Out)
		}
	}
	return a.state(starts, edge{wordBefore: word})
}

// closure follows the empty moves of a program.
type closure struct {
	prog    *syntax.Prog
	at      edge
	seen    map[uint32]bool
	runes   []uint32
	matched bool
}

func (c *closure) follow(pc uint32) {
	if c.seen[pc] {
		return
	}
	c.seen[pc] = true
	in := &c.prog.Inst[pc]
	switch in.Op {
	case syntax.InstMatch:
		c.matched = true
	case syntax.InstAlt, syntax.InstAltMatch:
		c.follow(in.Out)
		c.follow(in.Arg)
	case syntax.InstCapture, syntax.InstNop:
		c.follow(in.Out)
	case syntax.InstEmptyWidth:
		if c.at.passes(syntax.EmptyOp(in.Arg)) {
			c.follow(in.Out)
		}
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		c.runes = append(c.runes, pc)
	}
}

// alphabet picks one rune for every class of runes that no automaton tells
// apart, readable ones first.
func alphabet(list []*automaton, more []rune) []rune {
	cuts := []rune{0, 0xD800, 0xE000}
	for _, a := range list {
		cuts = append(cuts, a.cuts...)
	}
	for _, r := range more {
		cuts = append(cuts, r, r+1)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []rune
	seen := map[string]bool{}
	for i, lo := range cuts {
		hi := rune(unicode.MaxRune)
		if i+1 < len(cuts) {
			hi = cuts[i+1] - 1
		}
		if lo > unicode.MaxRune || lo >= 0xD800 && lo < 0xE000 {
			continue
		}
		r := readable(lo, hi)
		if slices.Contains(more, r) {
			out = append(out, r)
			continue
		}
		if sign := signature(list, r); !seen[sign] {
			seen[sign] = true
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b rune) int { return rank(a) - rank(b) })
	return out
}

func readable(lo, hi rune) rune {
	for _, p := range "a0A-_ .xb1" {
		if p >= lo && p <= hi {
			return p
		}
	}
	for r := lo; r <= hi && r < lo+64; r++ {
		if unicode.IsPrint(r) {
			return r
		}
	}
	return lo
}

func rank(r rune) int {
	switch {
	case r >= 'a' && r <= 'z':
		return 0
	case r >= '0' && r <= '9':
		return 1
	case r >= 'A' && r <= 'Z':
		return 2
	case r > ' ' && r < 0x7f:
		return 3
	case unicode.IsPrint(r):
		return 4
	}
	return 5
}

// signature tells which instructions take the rune.
func signature(list []*automaton, r rune) string {
	var b []byte
	for _, a := range list {
		if a.words && syntax.IsWordChar(r) {
			b = append(b, 2)
		}
		for i := range a.prog.Inst {
			switch in := &a.prog.Inst[i]; in.Op {
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				if in.MatchRune(r) {
					b = append(b, 1)
				} else {
					b = append(b, 0)
				}
			}
		}
	}
	return string(b)
}
