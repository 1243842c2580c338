package rollout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// told writes a plan in short.
func told(p *rollout.Plan) string {
	var b strings.Builder
	fmt.Fprintln(&b, p.Verdict, p.Through)
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "%d %s", i+1, does(s))
		if s.Back.Waits {
			fmt.Fprintf(&b, "; back in %v", s.Back.Wait)
		}
		fmt.Fprintln(&b)
	}
	for _, n := range p.NoReturn {
		fmt.Fprintf(&b, "%s: no return from step %d: %v\n", n.Service, n.Step, n.Because)
	}
	for _, s := range p.Blocks {
		fmt.Fprintf(&b, "%s:", s.Reason)
		for _, l := range s.Links {
			fmt.Fprintf(&b, " %v cannot read %v %v %s %s;", l.Reader, l.Writer, l.Unblocks, l.First, l.Then)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func does(s rollout.Step) string {
	if s.Kind == rollout.Wait {
		return fmt.Sprintf("wait %v until %v is drained", s.Time, s.Drained)
	}
	return fmt.Sprintf("%s %v -> %v", s.Service, s.From, s.To)
}

// refuted reads lines of READER REVISION WRITER REVISION.
func refuted(lines string) func(rollout.Pair) rollout.Answer {
	bad := map[rollout.Pair]bool{}
	for line := range strings.Lines(lines) {
		w := strings.Fields(line)
		bad[rollout.Pair{Reader: rollout.Party{Service: w[0], Revision: w[1]}, Writer: rollout.Party{Service: w[2], Revision: w[3]}}] = true
	}
	return func(p rollout.Pair) rollout.Answer {
		if bad[p] {
			return rollout.Refuted
		}
		return rollout.Holds
	}
}

const week = 7 * 24 * time.Hour

func TestStories(t *testing.T) {
	orders := rollout.Service{Name: "orders", Now: []string{"1"}, To: []string{"2"}, Keeps: week}
	loyalty := rollout.Service{Name: "loyalty", Now: []string{"1"}, To: []string{"2"}, Keeps: week}
	through := orders
	through.Via, through.To = []string{"2"}, []string{"3"}
	canary := orders
	canary.Now, canary.To = []string{"1", "2"}, []string{"3"}
	audit := loyalty
	audit.Name = "audit"
	fresh := loyalty
	fresh.Now = nil
	for _, c := range []struct {
		name     string
		services []rollout.Service
		bad      string
		want     string
	}{
		{"all is well", []rollout.Service{orders, loyalty}, "", `safe []
1 orders [1] -> [2]
2 loyalty [1] -> [2]
`},
		{"consumers first", []rollout.Service{orders, loyalty}, "loyalty 1 orders 2", `safe []
1 loyalty [1] -> [2]
2 orders [1] -> [2]; back in 168h0m0s
loyalty: no return from step 2: [{{loyalty 1 orders 2} refuted}]
`},
		{"producers first", []rollout.Service{orders, loyalty}, "loyalty 2 orders 1", `safe []
1 orders [1] -> [2]
2 wait 168h0m0s until [orders 1] is drained
3 loyalty [1] -> [2]
orders: no return from step 3: [{{loyalty 2 orders 1} refuted}]
`},
		{"a circle", []rollout.Service{orders, loyalty}, "loyalty 1 orders 2\nloyalty 2 orders 1", `blocked []
circle: loyalty 2 cannot read orders 1 true orders loyalty; loyalty 1 cannot read orders 2 true loyalty orders;
`},
		{"two circles that share a service", []rollout.Service{orders, loyalty, audit}, "loyalty 1 orders 2\nloyalty 2 orders 1\naudit 1 orders 2\naudit 2 orders 1", `blocked []
circle: loyalty 2 cannot read orders 1 false orders loyalty; loyalty 1 cannot read orders 2 false loyalty orders;
circle: audit 2 cannot read orders 1 false orders audit; audit 1 cannot read orders 2 false audit orders;
`},
		{"a stop on the way", []rollout.Service{through, loyalty}, "loyalty 1 orders 3\nloyalty 2 orders 1", `safe [orders 2]
1 orders [1] -> [2]
2 wait 168h0m0s until [orders 1] is drained
3 loyalty [1] -> [2]
4 orders [2] -> [3]; back in 168h0m0s
orders: no return from step 3: [{{loyalty 2 orders 1} refuted}]
loyalty: no return from step 4: [{{loyalty 1 orders 3} refuted}]
circle: loyalty 2 cannot read orders 1 true orders loyalty; loyalty 1 cannot read orders 3 true loyalty orders;
`},
		{"a canary ends first", []rollout.Service{canary, loyalty}, "loyalty 2 orders 1\nloyalty 1 orders 3", `safe []
1 orders [1 2] -> [2]
2 wait 168h0m0s until [orders 1] is drained
3 loyalty [1] -> [2]
4 orders [2] -> [3]; back in 168h0m0s
orders: no return from step 3: [{{loyalty 2 orders 1} refuted}]
loyalty: no return from step 4: [{{loyalty 1 orders 3} refuted}]
`},
		{"the consumer stays", []rollout.Service{orders, {Name: "loyalty", Now: []string{"1"}}}, "loyalty 1 orders 2", `blocked []
reader-stays: loyalty 1 cannot read orders 2 true  ;
`},
		{"a new consumer", []rollout.Service{orders, fresh}, "loyalty 2 orders 1", `safe []
1 orders [1] -> [2]
2 wait 168h0m0s until [orders 1] is drained
3 loyalty [] -> [2]
orders: no return from step 3: [{{loyalty 2 orders 1} refuted}]
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := rollout.Problem{Services: c.services, Read: refuted(c.bad)}
			plan, err := rollout.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(plan); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
			if err := newReplay(p).steps(plan.Steps); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestManyCanaries shows that services which depend on nothing in common are
// settled apart, and that giving up is told.
func TestManyCanaries(t *testing.T) {
	var p rollout.Problem
	var lines string
	for i := range 12 {
		a, b := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)
		p.Services = append(p.Services,
			rollout.Service{Name: a, Now: []string{"1", "2"}, To: []string{"3"}},
			rollout.Service{Name: b, Now: []string{"1"}, To: []string{"2"}})
		lines += fmt.Sprintf("%s 2 %s 1\n%s 1 %s 3\n", b, a, b, a)
	}
	p.Read = refuted(lines)
	plan, err := rollout.Solve(p)
	if err != nil || plan.Verdict != rollout.Safe {
		t.Fatal(err, plan.Verdict)
	}
	if err := newReplay(p).steps(plan.Steps); err != nil {
		t.Error(err)
	}
	for i := range 11 {
		lines += fmt.Sprintf("b%d 1 b%d 2\nb%d 2 b%d 1\n", i, i+1, i, i+1)
	}
	p.Read = refuted(lines)
	plan, err = rollout.Solve(p)
	if err != nil || plan.Verdict != rollout.Undecided || !plan.GaveUp {
		t.Error(err, plan.Verdict, plan.GaveUp)
	}
}

func TestRefusesNonsense(t *testing.T) {
	for _, p := range []rollout.Problem{
		{Services: []rollout.Service{{Name: "a"}, {Name: "a"}}},
		{Services: []rollout.Service{{}}},
	} {
		if _, err := rollout.Solve(p); err == nil {
			t.Errorf("%+v", p)
		}
	}
	if plan, err := rollout.Solve(rollout.Problem{}); err != nil || plan.Verdict != rollout.Safe || len(plan.Steps) > 0 {
		t.Error(err, plan)
	}
}
