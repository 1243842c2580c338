package deliverytest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Mutant is a part that is taken out of the runtime, to show that a drill
// notices. Want are the invariants of which at least one must break.
type Mutant struct {
	Name string
	Want []string
	tidy bool // no fault of the broker hides what is missing
	wrap func(*System)
}

// Mutants are all of them.
var Mutants = []Mutant{
	{Name: "the dedupe insert is removed", Want: []string{"I3"}, wrap: func(s *System) {
		s.Store = mutantStore{Store: s.World.DB.Store, entered: func(a *delivery.Entered) {
			if a.Seen == delivery.Done {
				a.Seen = ""
			}
		}}
	}},
	{Name: "the version guard is removed", Want: []string{"I4", "I5"}, wrap: func(s *System) {
		s.Store = mutantStore{
			Store:   s.World.DB.Store,
			entered: func(a *delivery.Entered) { a.Mark = delivery.Mark{} },
			changes: func(c *delivery.Changes) { c.Marks = nil },
		}
	}},
	{Name: "parking is removed", Want: []string{"I2", "I9"}, wrap: func(s *System) {
		s.Store = mutantStore{Store: s.World.DB.Store, changes: func(c *delivery.Changes) { c.Park, c.Block = nil, nil }}
	}},
	{Name: "what is parked does not block its lane", Want: []string{"I4"}, tidy: true, wrap: func(s *System) {
		s.Store = mutantStore{Store: s.World.DB.Store, entered: func(a *delivery.Entered) { a.Blocked = "" }}
	}},
	{Name: "the acknowledgement comes before the commit", Want: []string{"I2", "I10"}, wrap: func(s *System) {
		s.Consume = func(b delivery.Broker) delivery.Broker { return hasty{b} }
		s.Store = &Faulty{Store: s.World.DB.Store, Nth: -1}
	}},
	{Name: "attempts are not recorded", Want: []string{"I9", "I2"}, wrap: func(s *System) {
		s.Store = mutantStore{Store: s.World.DB.Store, enlisted: true}
	}},
	{Name: "rows that the broker refused are marked", Want: []string{"I2", "I9"}, wrap: func(s *System) {
		s.Publish = func(b delivery.Broker) delivery.Broker { return deaf{&Unruly{Broker: b, Seed: 3, Refuse: 0.3}} }
	}},
	{Name: "quarantine keeps no evidence", Want: []string{"I2", "I8"}, wrap: func(s *System) {
		s.Store = mutantStore{Store: s.World.DB.Store, changes: func(c *delivery.Changes) { c.Quarantine = nil }}
	}},
	{Name: "calls are made again without asking", Want: []string{"I7"}, wrap: func(s *System) {
		s.Store = mutantStore{Store: s.World.DB.Store, forgetful: true}
	}},
}

// drillMutants takes parts out one at a time: each must be noticed.
func drillMutants(t *testing.T, fresh func(testing.TB) *Database) {
	for _, m := range Mutants {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			var found []Violation
			// A run ends when it has come to rest, and a mutant may never: on a slow
			// machine it must be let run for longer to come to the fault at all.
			for within := 3 * time.Second; within < 30*time.Second; within *= 3 {
				var err error
				if found, err = m.Found(t.Context(), fresh(t), within); err != nil {
					t.Fatal(err)
				}
				for _, v := range found {
					if slices.Contains(m.Want, v.Invariant) {
						t.Logf("caught by %s", v)
						return
					}
				}
			}
			t.Errorf("not caught: want one of %v, found %v", m.Want, found)
		})
	}
}

// Found runs the mixed drill over a mutant, until it comes to rest or within has
// passed, and says which invariants broke.
func (m Mutant) Found(ctx context.Context, db *Database, within time.Duration) ([]Violation, error) {
	w := NewWorld(db)
	if err := w.Create(ctx); err != nil {
		return nil, err
	}
	if err := w.populate(ctx, 6, 4, faults); err != nil {
		return nil, err
	}
	s := System{World: w, Batch: 4}
	if w.Tidy = m.tidy; !m.tidy {
		s.Publish = func(b delivery.Broker) delivery.Broker {
			return &Unruly{Broker: b, Seed: 5, Duplicate: 0.5, Reorder: 0.4}
		}
	}
	m.wrap(&s)
	err := s.Run(ctx, within)
	found, checkErr := w.Check(ctx, "o-1", "o-2", "o-3", "o-4", "o-5", "o-6")
	if err != nil {
		found = append(found, Violation{"I9", err.Error()})
	}
	return found, checkErr
}

// mutantStore changes what the inbox is told and what it writes.
type mutantStore struct {
	delivery.Store
	entered   func(*delivery.Entered)
	changes   func(*delivery.Changes)
	enlisted  bool // attempts are lost
	forgetful bool // calls in flight look as if they were never made
}

func (s mutantStore) Work(ctx context.Context, m delivery.Member, f func(context.Context, delivery.Work) error) error {
	return s.Store.Work(ctx, m, func(ctx context.Context, w delivery.Work) error { return f(ctx, mutantWork{w, s}) })
}

func (s mutantStore) Enlist(ctx context.Context, m delivery.Member, keys []event.Key, attempt bool) (delivery.Enlisted, error) {
	if !s.enlisted || !attempt {
		return s.Store.Enlist(ctx, m, keys, attempt)
	}
	_, err := s.Store.Enlist(ctx, m, keys, false)
	attempts := map[event.Key]delivery.Attempt{}
	for _, key := range keys {
		attempts[key] = delivery.Attempt{Key: key, Count: 1}
	}
	return delivery.Enlisted{Attempts: attempts}, err
}

func (s mutantStore) Claim(ctx context.Context, owner string, names []string, limit int, hold time.Duration) ([]delivery.Call, error) {
	calls, err := s.Store.Claim(ctx, owner, names, limit, hold)
	if s.forgetful {
		for i := range calls {
			calls[i].State = delivery.CallPending
		}
	}
	return calls, err
}

func (s mutantStore) Answer(ctx context.Context, owner string, c delivery.Call) error {
	if s.forgetful && c.State == delivery.CallConfirmed && c.Attempts == 1 {
		c.State, c.Next = delivery.CallUnknown, 0 // the answer was lost
	}
	return s.Store.Answer(ctx, owner, c)
}

type mutantWork struct {
	delivery.Work
	s mutantStore
}

func (w mutantWork) Enter(ctx context.Context, entries []delivery.Entry) ([]delivery.Entered, error) {
	answers, err := w.Work.Enter(ctx, entries)
	if w.s.entered != nil {
		for i := range answers {
			w.s.entered(&answers[i])
		}
	}
	return answers, err
}

func (w mutantWork) Record(ctx context.Context, c delivery.Changes) error {
	if w.s.changes != nil {
		w.s.changes(&c)
	}
	return w.Work.Record(ctx, c)
}

// hasty acknowledges first, and then loses the first batch and every fifth as a crash would.
type hasty struct{ delivery.Broker }

func (b hasty) Consume(ctx context.Context, topics []string, f func(context.Context, []event.Message) error) error {
	n := 0
	return b.Broker.Consume(ctx, topics, func(ctx context.Context, ms []event.Message) error {
		if n++; n%5 == 1 {
			return nil
		}
		_ = f(ctx, ms) // it is acknowledged whatever comes of it
		return nil
	})
}

// deaf doesn't hear what the broker refused.
type deaf struct{ delivery.Broker }

func (b deaf) Publish(ctx context.Context, ms []event.Message) []error {
	_ = b.Broker.Publish(ctx, ms)
	return nil
}
