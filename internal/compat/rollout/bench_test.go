package rollout_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// fleet is 30 services of which each runs a revision, shall run another, and has
// events of a third in flight. knots is how many pairs of services forbid each
// other's order.
func fleet(knots int) rollout.Problem {
	const services = 30
	r := rand.New(rand.NewPCG(30, 3))
	var p rollout.Problem
	for i := range services {
		p.Services = append(p.Services, rollout.Service{
			Name: fmt.Sprintf("s%d", i), Now: []string{"v2"}, To: []string{"v3"}, Keeps: week,
			Sent: []rollout.Sent{{Revision: "v1", Left: week / 2}},
		})
	}
	rank := r.Perm(services)
	answers := map[rollout.Pair]rollout.Answer{}
	party := func(i int, revision string) rollout.Party {
		return rollout.Party{Service: p.Services[i].Name, Revision: revision}
	}
	for i := range services {
		for j := range services {
			if rank[i] < rank[j] && r.IntN(4) == 0 {
				if r.IntN(2) == 0 {
					answers[rollout.Pair{Reader: party(i, "v2"), Writer: party(j, "v3")}] = rollout.Refuted
				} else {
					answers[rollout.Pair{Reader: party(j, "v3"), Writer: party(i, "v2")}] = rollout.Refuted
				}
			}
		}
	}
	for range knots {
		i, j := r.IntN(services/2), services/2+r.IntN(services/2)
		answers[rollout.Pair{Reader: party(i, "v2"), Writer: party(j, "v3")}] = rollout.Refuted
		answers[rollout.Pair{Reader: party(i, "v3"), Writer: party(j, "v2")}] = rollout.Unknown
	}
	p.Read = func(pair rollout.Pair) rollout.Answer {
		if a, known := answers[pair]; known {
			return a
		}
		return rollout.Holds
	}
	return p
}

// BenchmarkSolve plans for 30 services with 3 revisions each, with all ways back.
func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct {
		name  string
		knots int
		want  rollout.Verdict
	}{{"safe", 0, rollout.Safe}, {"blocked", 5, rollout.Blocked}} {
		b.Run(c.name, func(b *testing.B) {
			p := fleet(c.knots)
			for b.Loop() {
				if plan, err := rollout.Solve(p); err != nil || plan.Verdict != c.want {
					b.Fatal(err, plan.Verdict)
				}
			}
		})
	}
}
