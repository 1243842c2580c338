package deliverytest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Long reports whether the long runs of drills are wanted.
func Long() bool { return os.Getenv("EVCONTRACT_LONG") != "" }

func scaled(short, long int) int {
	if Long() {
		return long
	}
	return short
}

// Drills break things and check the invariants from the database alone.
func Drills(t *testing.T, fresh func(testing.TB) *Database) {
	for _, d := range []struct {
		name string
		run  func(*testing.T, *World)
		many func(*testing.T, func(testing.TB) *Database)
	}{
		{name: "everything at once", run: drillFaults},
		{name: "killed at every step", many: drillSteps},
		{name: "killed at random", run: drillKills},
		{name: "two of everything", run: drillPairs},
		{name: "handler that kills the process", run: drillPoison},
		{name: "a store that fails at call n", many: drillFaulty},
		{name: "mutants", many: drillMutants},
	} {
		if d.many != nil {
			t.Run(d.name, func(t *testing.T) { d.many(t, fresh) })
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(fresh(t))
			if err := w.Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			d.run(t, w)
		})
	}
}

// populate commits changes of some orders, in the order of their versions.
func (w *World) populate(ctx context.Context, orders, versions int, spoil func(*Fact)) error {
	for v := 1; v <= versions; v++ {
		for o := 1; o <= orders; o++ {
			f := fact(fmt.Sprintf("o-%d", o), uint64(v))
			if spoil != nil {
				spoil(&f)
			}
			if err := w.Change(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// verify fails the test for every invariant that is broken.
func (w *World) verify(t *testing.T, poisoned ...string) {
	t.Helper()
	found, err := w.Check(t.Context(), poisoned...)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range found {
		if i == 10 {
			t.Errorf("and %d more", len(found)-i)
			break
		}
		t.Error(v)
	}
}

// faults are spoiled facts of the mixed drill: what o-1 to o-5 run into.
func faults(f *Fact) {
	if f.Version != 2 {
		return
	}
	switch f.Order {
	case "o-1":
		f.Fault, f.Times = "error", 2
	case "o-2":
		f.Fault = "error"
	case "o-3":
		f.Fault, f.Times = "panic", 1
	case "o-4":
		f.Fault = "permanent"
	case "o-5":
		f.Fault, f.Times = "hang", 1
	}
}

func drillFaults(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 8, 4, faults); err != nil {
		t.Fatal(err)
	}
	unruly := func(b delivery.Broker) delivery.Broker {
		return &Unruly{Broker: b, Seed: 7, Duplicate: 0.3, Refuse: 0.1}
	}
	if err := (System{World: w, Publish: unruly, Batch: 10}).Run(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	w.verify(t, "o-2", "o-4")
	for _, name := range Consumers {
		n, err := w.DB.Count(t.Context(), "SELECT count(*) FROM evc_quarantine q JOIN evc_consumer c ON c.id = q.consumer WHERE c.name = $1", name)
		if err != nil || n != 2 {
			t.Errorf("%s: %d cases, want 2 (%v)", name, n, err)
		}
	}
}

// drillSteps kills a child at every named step, and lets the next one finish.
func drillSteps(t *testing.T, fresh func(testing.TB) *Database) {
	for i, step := range delivery.Steps {
		if slow > 1 && i%4 != 2 && !Long() {
			continue // without the race detector all of them run
		}
		t.Run(strings.ReplaceAll(string(step), " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := NewWorld(fresh(t))
			if err := w.Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.populate(t.Context(), 3, 2, func(f *Fact) {
				if f.Order == "o-1" && f.Version == 1 {
					f.Fault, f.Times = "error", 1
				}
			}); err != nil {
				t.Fatal(err)
			}
			task := Task{Source: w.DB.Source, Die: step, Nth: 1, Within: 20 * time.Second, Batch: 4}
			killed, err := task.Child(t.Context())
			if err != nil || !killed {
				t.Fatalf("the child was not killed: %v", err)
			}
			task.Die = ""
			if killed, err = task.Child(t.Context()); err != nil || killed {
				t.Fatalf("the next child: killed %v, %v", killed, err)
			}
			w.verify(t)
		})
	}
}

func drillKills(t *testing.T, w *World) {
	r, err := w.Kills(t.Context(), scaled(6/slow, 500), uint64(time.Now().UnixNano()))
	t.Logf("%+v", r)
	if err != nil {
		t.Fatal(err)
	}
	w.verify(t)
}

// drillPairs runs two of everything over one database.
func drillPairs(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 6, 4, faults); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	for range 2 {
		go func() { ended <- System{World: w, Batch: 4}.Run(t.Context(), 20*time.Second) }()
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	w.verify(t, "o-2", "o-4")
}

// drillPoison has an event whose handler kills the process each time, in one
// consumer: it ends in quarantine, and its neighbours are handled.
func drillPoison(t *testing.T, w *World) {
	if err := w.populate(t.Context(), 4, 3, func(f *Fact) {
		if f.Order == "o-2" && f.Version == 2 {
			f.Fault, f.Only = "kill", Loyalty
		}
	}); err != nil {
		t.Fatal(err)
	}
	// The pauses are longer than a start takes, as they are in earnest: else an
	// innocent event is in flight, by bad luck, each time that the process dies.
	retry := event.Retry{Attempts: w.Policy.Retry.Attempts, Initial: 2 * time.Second, Max: 4 * time.Second, Jitter: 0.5}
	task := Task{Source: w.DB.Source, Within: 60 * time.Second, Batch: 20, Retry: retry}
	starts := 0
	for ; starts < 10; starts++ {
		killed, err := task.Child(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !killed {
			break
		}
	}
	if want := w.Policy.Retry.Attempts; starts != want {
		t.Errorf("%d processes died, want %d", starts, want)
	}
	w.verify(t, "o-2")
	n, err := w.DB.Count(t.Context(), "SELECT count(*) FROM evc_quarantine WHERE reason = 'crash' AND attempts = $1", w.Policy.Retry.Attempts)
	if err != nil || n != 1 {
		t.Errorf("%d cases of a crash, want 1 (%v)", n, err)
	}
}
