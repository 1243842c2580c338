package rollout_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// random makes a small problem. How many pairs do not hold differs from one to
// the next, so that all verdicts come up.
func random(r *rand.Rand) rollout.Problem {
	var p rollout.Problem
	services, revisions := 2+r.IntN(2), 1+r.IntN(3)
	if r.IntN(5) == 0 {
		services, revisions = 4, 2
	}
	pick := func(most int) []string {
		var some []string
		for len(some) == 0 {
			for v := range revisions {
				if len(some) < most && r.IntN(2) == 0 {
					some = append(some, fmt.Sprintf("v%d", v))
				}
			}
		}
		r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		return some
	}
	for i := range services {
		s := rollout.Service{Name: string(rune('a' + i)), Now: pick(1 + r.IntN(2)), Keeps: time.Duration(r.IntN(4)) * time.Hour}
		switch r.IntN(8) {
		case 0: // stays
		case 1:
			s.Now, s.To = nil, pick(1)
		default:
			s.To = pick(1 + r.IntN(8)/7)
		}
		if r.IntN(3) == 0 {
			s.Sent = append(s.Sent, rollout.Sent{Revision: pick(1)[0], Left: time.Duration(r.IntN(6)) * time.Hour})
		}
		p.Services = append(p.Services, s)
	}
	bad := 1 + r.IntN(60)
	answers := map[rollout.Pair]rollout.Answer{}
	for _, reader := range p.Services {
		for _, writer := range p.Services {
			for a := range revisions {
				for b := range revisions {
					pair := rollout.Pair{
						Reader: rollout.Party{Service: reader.Name, Revision: fmt.Sprintf("v%d", a)},
						Writer: rollout.Party{Service: writer.Name, Revision: fmt.Sprintf("v%d", b)},
					}
					answers[pair] = rollout.Holds
					if (a != b || r.IntN(3) == 0) && (reader.Name != writer.Name || r.IntN(6) == 0) && r.IntN(100) < bad {
						answers[pair] = []rollout.Answer{rollout.Refuted, rollout.Refuted, rollout.Unknown}[r.IntN(3)]
					} else if r.IntN(4) == 0 {
						answers[pair] = rollout.Nothing
					}
				}
			}
		}
	}
	p.Read = func(pair rollout.Pair) rollout.Answer { return answers[pair] }
	return p
}

// knotted makes a small problem in which no pair blocks alone: what blocks is a
// circle.
func knotted(r *rand.Rand) rollout.Problem {
	var p rollout.Problem
	services := 3 + r.IntN(3)
	for i := range services {
		p.Services = append(p.Services, rollout.Service{
			Name: string(rune('a' + i)), Now: []string{"old"}, To: []string{"new"}, Keeps: time.Duration(r.IntN(3)) * time.Hour,
		})
	}
	answers := map[rollout.Pair]rollout.Answer{}
	for range services + r.IntN(4) {
		i, j := r.IntN(services), r.IntN(services)
		old, fresh := rollout.Party{Service: p.Services[i].Name, Revision: "old"}, rollout.Party{Service: p.Services[j].Name, Revision: "new"}
		pair := rollout.Pair{Reader: old, Writer: fresh}
		if r.IntN(2) == 0 {
			pair = rollout.Pair{Reader: fresh, Writer: old}
		}
		if i != j {
			answers[pair] = []rollout.Answer{rollout.Refuted, rollout.Refuted, rollout.Unknown}[r.IntN(3)]
		}
	}
	p.Read = func(pair rollout.Pair) rollout.Answer {
		if a, known := answers[pair]; known {
			return a
		}
		return rollout.Holds
	}
	return p
}

// TestBrute compares the planner with a walk through all states: the same verdict,
// every plan replayed, every block minimal, every way back walked.
func TestBrute(t *testing.T) {
	const cases = 4500
	count := map[string]int{}
	for seed := range uint64(cases) {
		generator := random
		if seed%3 == 0 {
			generator = knotted
		}
		p := generator(rand.New(rand.NewPCG(seed, 8)))
		plan, err := rollout.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		problem := verify(p, plan, count)
		if problem != nil {
			t.Fatalf("seed %d: %v\n%s\nplan: %+v", seed, problem, show(p), plan)
		}
	}
	for _, kind := range []string{"safe", "blocked", "undecided", "waits", "standing", "circle of 2", "circle of 3", "no return", "back at once", "back with waits"} {
		if count[kind] < 20 {
			t.Errorf("only %d cases: %s; %v", count[kind], kind, count)
		}
	}
}

func verify(p rollout.Problem, plan *rollout.Plan, count map[string]int) error {
	count[string(plan.Verdict)]++
	if possible := brute(p); possible != (plan.Verdict == rollout.Safe) {
		return fmt.Errorf("verdict %s, brute force says possible: %v", plan.Verdict, possible)
	}
	if plan.Verdict == rollout.Safe {
		return verifySafe(p, plan, count)
	}
	hopeful := p
	hopeful.Read = func(pair rollout.Pair) rollout.Answer {
		if a := p.Read(pair); a != rollout.Unknown {
			return a
		}
		return rollout.Holds
	}
	if possible := brute(hopeful); possible != (plan.Verdict == rollout.Undecided) {
		return fmt.Errorf("verdict %s, without unknown pairs possible: %v", plan.Verdict, possible)
	}
	return verifyBlocks(p, plan, count)
}

func verifySafe(p rollout.Problem, plan *rollout.Plan, count map[string]int) error {
	r := newReplay(p)
	count["standing"] += min(1, len(plan.Standing))
	for i, s := range plan.Steps {
		if err := r.step(s); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if s.Kind == rollout.Wait {
			count["waits"]++
		}
		if err := verifyBack(p, r.copy(), s.Back, count); err != nil {
			return fmt.Errorf("way back from step %d: %w", i+1, err)
		}
		for _, b := range s.After {
			if b.Step > i || b.Answer == rollout.Holds || b.Answer == rollout.Nothing {
				return fmt.Errorf("step %d comes after %v", i+1, b)
			}
		}
	}
	for _, s := range p.Services {
		if want := s.To; len(want) > 0 && !sameSet(r.running[s.Name], want) {
			return fmt.Errorf("%s runs %v in the end", s.Name, r.running[s.Name])
		}
	}
	count["no return"] += min(1, len(plan.NoReturn))
	last := len(plan.Steps) - 1
	if len(plan.Standing) == 0 && last >= 0 && !plan.Steps[last].Back.Possible {
		return fmt.Errorf("nothing was broken before, and there is no way back")
	}
	return nil
}

func verifyBack(p rollout.Problem, r *replay, back rollout.Back, count map[string]int) error {
	here := p
	here.Services = nil
	for _, s := range p.Services {
		b := rollout.Service{Name: s.Name, Now: r.running[s.Name], To: s.Now, Keeps: s.Keeps}
		if len(s.Now) == 0 && len(b.Now) > 0 {
			b.To = nil // it cannot be said that nothing shall run: brute force is not asked
		}
		for party, until := range r.sent {
			if party.Service == s.Name {
				b.Sent = append(b.Sent, rollout.Sent{Revision: party.Revision, Left: max(0, until-r.clock)})
			}
		}
		here.Services = append(here.Services, b)
	}
	if !slices.ContainsFunc(p.Services, func(s rollout.Service) bool { return len(s.Now) == 0 }) {
		if possible := brute(here); possible != back.Possible {
			return fmt.Errorf("possible %v, brute force says %v", back.Possible, possible)
		}
	}
	for _, a := range back.Alone {
		forbidden := false
		var start []string
		for _, revision := range a.To {
			if !slices.Contains(r.running[a.Service], revision) {
				start = append(start, revision)
			}
		}
		for pair := range r.met(a.Service, start) {
			answer := p.Read(pair)
			forbidden = forbidden || answer == rollout.Refuted || answer == rollout.Unknown
		}
		if forbidden != (len(a.Forbid) > 0) {
			return fmt.Errorf("%s may go back alone: %v, but it is forbidden: %v", a.Service, len(a.Forbid) == 0, forbidden)
		}
	}
	if !back.Possible {
		count["no way back"]++
		return nil
	}
	count[map[bool]string{false: "back at once", true: "back with waits"}[back.Waits]]++
	clock := r.clock
	if err := r.steps(back.Steps); err != nil {
		return err
	}
	if r.clock-clock != back.Wait {
		return fmt.Errorf("takes %v, not %v", r.clock-clock, back.Wait)
	}
	for _, s := range p.Services {
		if !sameSet(r.running[s.Name], s.Now) {
			return fmt.Errorf("%s runs %v in the end", s.Name, r.running[s.Name])
		}
	}
	return nil
}

// verifyBlocks: the pairs of a block alone forbid every order, and none of them
// can be left out; no smaller set of pairs forbids every order.
func verifyBlocks(p rollout.Problem, plan *rollout.Plan, count map[string]int) error {
	if len(plan.Blocks) == 0 {
		return fmt.Errorf("no block")
	}
	only := func(pairs []rollout.Pair) bool {
		q := p
		q.Read = func(pair rollout.Pair) rollout.Answer {
			if slices.Contains(pairs, pair) {
				return p.Read(pair)
			}
			return rollout.Holds
		}
		return brute(q)
	}
	for _, b := range plan.Blocks {
		var pairs []rollout.Pair
		for _, l := range b.Links {
			pairs = append(pairs, l.Pair)
			healed := p
			healed.Read = func(pair rollout.Pair) rollout.Answer {
				if pair == l.Pair {
					return rollout.Holds
				}
				return p.Read(pair)
			}
			if brute(healed) != l.Unblocks {
				return fmt.Errorf("%v unblocks: %v is wrong", l, l.Unblocks)
			}
		}
		count[fmt.Sprintf("%s of %d", b.Reason, len(pairs))]++
		if only(pairs) {
			return fmt.Errorf("block %v blocks nothing", b)
		}
		for i := range pairs {
			if !only(slices.Delete(slices.Clone(pairs), i, i+1)) {
				return fmt.Errorf("block %v is not minimal", b)
			}
		}
	}
	if size := len(plan.Blocks[0].Links); size > 1 {
		for _, few := range subsets(bad(p), min(size-1, 2)) {
			if !only(few) {
				return fmt.Errorf("%v blocks, and is smaller", few)
			}
		}
	}
	return nil
}

// bad are all pairs that do not hold.
func bad(p rollout.Problem) []rollout.Pair {
	b := newBrute(p)
	var all []rollout.Pair
	for r := range b.names {
		for w := range b.names {
			if b.bad[r][w] {
				all = append(all, rollout.Pair{Reader: b.names[r], Writer: b.names[w]})
			}
		}
	}
	return all
}

// subsets are those of one pair and, if size is two, of two.
func subsets(pairs []rollout.Pair, size int) [][]rollout.Pair {
	var all [][]rollout.Pair
	for i, a := range pairs {
		all = append(all, []rollout.Pair{a})
		for _, b := range pairs[:i] {
			if size > 1 {
				all = append(all, []rollout.Pair{a, b})
			}
		}
	}
	return all
}

func sameSet(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

func show(p rollout.Problem) string {
	text := ""
	for _, s := range p.Services {
		text += fmt.Sprintf("%+v\n", s)
	}
	for _, pair := range bad(p) {
		text += fmt.Sprintf("%v cannot read %v: %s\n", pair.Reader, pair.Writer, p.Read(pair))
	}
	return text
}
