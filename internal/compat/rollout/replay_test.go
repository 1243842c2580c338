package rollout_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// replay does what a plan says, step by step, and complains of whatever is not
// safe or cannot be done. It shares nothing with the planner.
type replay struct {
	read    func(rollout.Pair) rollout.Answer
	keeps   map[string]time.Duration
	running map[string][]string             // by service
	sent    map[rollout.Party]time.Duration // what runs no longer: when nothing of it is left
	clock   time.Duration
}

func newReplay(p rollout.Problem) *replay {
	r := &replay{read: p.Read, keeps: map[string]time.Duration{}, running: map[string][]string{}, sent: map[rollout.Party]time.Duration{}}
	for _, s := range p.Services {
		r.keeps[s.Name] = s.Keeps
		r.running[s.Name] = slices.Clone(s.Now)
		for _, sent := range s.Sent {
			if !slices.Contains(s.Now, sent.Revision) {
				r.sent[rollout.Party{Service: s.Name, Revision: sent.Revision}] = sent.Left
			}
		}
	}
	return r
}

func (r *replay) copy() *replay {
	c := *r
	c.running, c.sent = maps.Clone(r.running), maps.Clone(r.sent)
	return &c
}

func (r *replay) steps(steps []rollout.Step) error {
	for i, s := range steps {
		if err := r.step(s); err != nil {
			return fmt.Errorf("step %d %+v: %w", i+1, s, err)
		}
	}
	return nil
}

func (r *replay) step(s rollout.Step) error {
	if s.Kind == rollout.Wait {
		r.clock += s.Time
		var last time.Duration
		for _, p := range s.Drained {
			if slices.Contains(r.running[p.Service], p.Revision) {
				return fmt.Errorf("%v runs and is never drained", p)
			}
			until, there := r.sent[p]
			if !there || until > r.clock {
				return fmt.Errorf("%v: there %v, drained at %v, now it is %v", p, there, until, r.clock)
			}
			last = max(last, until)
			delete(r.sent, p)
		}
		if len(s.Drained) == 0 || s.Time > 0 && last != r.clock {
			return fmt.Errorf("waits for nothing, or longer than it must: %v, not %v", r.clock, last)
		}
		return nil
	}
	if !slices.Equal(s.From, r.running[s.Service]) {
		return fmt.Errorf("%v run, not %v", r.running[s.Service], s.From)
	}
	var start []string
	for _, revision := range s.To {
		if !slices.Contains(s.From, revision) {
			start = append(start, revision)
		}
	}
	met := r.met(s.Service, start)
	for _, m := range met {
		if a := r.read(m); a != rollout.Nothing && a != rollout.Holds {
			return fmt.Errorf("%v is %s", m, a)
		}
	}
	if err := same(met, r.read, s.Reads); err != nil {
		return err
	}
	for _, revision := range s.From {
		if !slices.Contains(s.To, revision) {
			r.sent[rollout.Party{Service: s.Service, Revision: revision}] = r.clock + r.keeps[s.Service]
		}
	}
	for _, revision := range s.To {
		delete(r.sent, rollout.Party{Service: s.Service, Revision: revision})
	}
	r.running[s.Service] = s.To
	return nil
}

// same compares the pairs that a step brings about with those that it tells.
func same(met map[rollout.Pair]rollout.Pair, read func(rollout.Pair) rollout.Answer, told []rollout.Meeting) error {
	n := 0
	for _, p := range met {
		if read(p) != rollout.Nothing {
			n++
		}
	}
	if n != len(told) {
		return fmt.Errorf("brings about %d pairs and tells %d", n, len(told))
	}
	for _, m := range told {
		if _, there := met[m.Pair]; !there || read(m.Pair) != m.Answer {
			return fmt.Errorf("tells %v", m)
		}
	}
	return nil
}

// met are all pairs of some revisions that start.
func (r *replay) met(service string, start []string) map[rollout.Pair]rollout.Pair {
	var runs, readable []rollout.Party
	for name, revisions := range r.running {
		for _, revision := range revisions {
			runs = append(runs, rollout.Party{Service: name, Revision: revision})
		}
	}
	for _, revision := range start {
		runs = append(runs, rollout.Party{Service: service, Revision: revision})
	}
	readable = append(readable, runs...)
	for p := range r.sent {
		readable = append(readable, p)
	}
	met := map[rollout.Pair]rollout.Pair{}
	for _, reader := range runs {
		for _, writer := range readable {
			p := rollout.Pair{Reader: reader, Writer: writer}
			for _, revision := range start {
				if party := (rollout.Party{Service: service, Revision: revision}); reader == party || writer == party {
					met[p] = p
				}
			}
		}
	}
	return met
}
