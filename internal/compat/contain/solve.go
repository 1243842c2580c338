package contain

import (
	"encoding/binary"
	"slices"
)

// lit is a signed node. deps are the branching levels it rests on, one bit each.
type lit struct {
	n    *node
	neg  bool
	deps uint64
}

func (l lit) eval(v any) truth {
	t := eval(l.n, v)
	if l.neg {
		return t.flip()
	}
	return t
}

type result uint8

const (
	unsat result = iota
	sat
	unknown
)

// outcome is what became of a goal. An unknown one may carry a candidate value.
type outcome struct {
	result result
	value  any
	has    bool
	core   uint64 // levels that the conflict rests on
	why    cause
}

// cause says what kept a goal from being decided.
type cause struct {
	budget  string
	keyword string
	place   place
}

func conflict(core uint64) outcome { return outcome{core: core} }
func found(v any) outcome          { return outcome{result: sat, value: v, has: true} }
func spent(budget string) outcome  { return outcome{result: unknown, why: cause{budget: budget}} }

// frame is a goal in progress.
type frame struct {
	key    string
	serial int
	rests  []int // depths of open goals that were taken for empty below
}

// shaky is an empty goal that rests on open ones; it lasts as long as the deepest of them.
type shaky struct {
	rests  []int
	depth  int
	serial int
}

// solver finds instances of goals. It belongs to one question.
type solver struct {
	steps, states, depth int
	work                 int
	ids                  map[[2]uint64]uint32
	memo                 map[string]outcome
	shaky                map[string]shaky
	open                 map[string]int
	stack                []frame
	serial               int
	automata             map[string]*automaton
}

// The defaults of Budget.
const (
	defaultSteps  = 200_000
	defaultStates = 20_000
	defaultDepth  = 200
)

func newSolver(b Budget) *solver {
	s := &solver{steps: b.Steps, states: b.States, depth: b.Depth,
		ids: map[[2]uint64]uint32{}, memo: map[string]outcome{}, shaky: map[string]shaky{}, open: map[string]int{}, automata: map[string]*automaton{}}
	if s.steps <= 0 {
		s.steps = defaultSteps
	}
	if s.states <= 0 {
		s.states = defaultStates
	}
	if s.depth <= 0 {
		s.depth = defaultDepth
	}
	return s
}

func (s *solver) spend() bool {
	s.steps--
	return s.steps >= 0
}

// charge counts small work; 512 pieces are one step.
func (s *solver) charge(work int) {
	s.work += work
	s.steps -= s.work >> 9
	s.work &= 511
}

// id numbers nodes by content in the order in which they are met.
func (s *solver) id(n *node) uint32 {
	id, ok := s.ids[n.hash]
	if !ok {
		id = uint32(len(s.ids) + 1)
		s.ids[n.hash] = id
	}
	return id
}

// key is the goal as a set; dead means that it contradicts itself.
func (s *solver) key(goal []lit) (key string, dead bool) {
	var space [16]uint32
	codes := space[:0]
	for _, l := range goal {
		if l.n.kind == kTrue || l.n.kind == kFalse {
			if (l.n.kind == kFalse) != l.neg {
				return "", true
			}
			continue
		}
		c := s.id(l.n) << 1
		if l.neg {
			c |= 1
		}
		codes = append(codes, c)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	b := make([]byte, 0, 4*len(codes))
	for i, c := range codes {
		if i > 0 && codes[i-1] == c&^1 && c&1 == 1 {
			return "", true
		}
		b = binary.LittleEndian.AppendUint32(b, c)
	}
	return string(b), false
}

func depsOf(goal []lit) uint64 {
	var d uint64
	for _, l := range goal {
		d |= l.deps
	}
	return d
}

// solve looks for one value that satisfies every literal of the goal.
func (s *solver) solve(goal []lit) outcome {
	key, dead := s.key(goal)
	if dead {
		return conflict(depsOf(goal))
	}
	if out, ok := s.memo[key]; ok {
		out.core = depsOf(goal)
		return out
	}
	if s.assumedEmpty(key) {
		return conflict(depsOf(goal))
	}
	if !s.spend() {
		return spent("steps")
	}
	if len(s.stack) >= s.depth {
		return spent("depth")
	}
	s.serial++
	s.open[key] = len(s.stack)
	s.stack = append(s.stack, frame{key: key, serial: s.serial})
	out := s.split(goal)
	out.stands(goal)
	s.close(key, out)
	out.core = depsOf(goal)
	return out
}

// assumedEmpty says whether the goal is open, or was found empty while goals
// that are still open were taken for empty.
func (s *solver) assumedEmpty(key string) bool {
	if d, ok := s.open[key]; ok {
		s.rest(d)
		return true
	}
	sh, ok := s.shaky[key]
	if !ok {
		return false
	}
	if sh.depth >= len(s.stack) || s.stack[sh.depth].serial != sh.serial {
		delete(s.shaky, key)
		return false
	}
	for _, d := range sh.rests {
		s.rest(d)
	}
	return true
}

func (s *solver) rest(depth int) {
	top := &s.stack[len(s.stack)-1]
	if !slices.Contains(top.rests, depth) {
		top.rests = append(top.rests, depth)
	}
}

func (s *solver) close(key string, out outcome) {
	depth := len(s.stack) - 1
	rests := s.stack[depth].rests
	s.stack = s.stack[:depth]
	delete(s.open, key)
	if i := slices.Index(rests, depth); i >= 0 {
		rests = slices.Delete(rests, i, i+1)
	}
	if out.result != unsat || len(rests) == 0 {
		if out.result != unknown || out.why.budget != "depth" {
			s.memo[key] = out
		}
		return
	}
	for _, d := range rests {
		s.rest(d)
	}
	deepest := slices.Max(rests)
	s.shaky[key] = shaky{rests: rests, depth: deepest, serial: s.stack[deepest].serial}
}

// typeOrder puts what reads well in a witness first.
var typeOrder = [...]typ{tString, tNumber, tObject, tArray, tBool, tNull}

// split decides a goal type by type.
func (s *solver) split(goal []lit) outcome {
	mask := tAll
	for _, l := range goal {
		if l.neg {
			mask &= l.n.touch
		} else {
			mask &= l.n.may
		}
	}
	maybe := outcome{}
	for _, t := range typeOrder {
		if mask&t == 0 {
			continue
		}
		x := search{s: s, t: t, seen: map[uint32]lit{}}
		out := x.start(goal)
		if out.result == sat {
			return out
		}
		if out.result == unknown && (maybe.result != unknown || !maybe.has && out.has) {
			maybe = out
		}
	}
	return maybe
}
