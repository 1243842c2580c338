package deliverytest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// Long reports whether the long runs of drills are wanted.
func Long() bool { return os.Getenv("EVCONTRACT_LONG") != "" }

func scaled(short, long int) int {
	if Long() {
		return long
	}
	return short
}

// Drills run every drill over a database and, at the end, the mutants: each must
// be noticed. Evidence is logged; a broken invariant fails the test and tells
// the seed.
func Drills(t *testing.T, fresh func(testing.TB) *Database) {
	seed := uint64(time.Now().UnixNano())
	for _, d := range AllDrills() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			d.test(t, Options{Seed: seed, Kills: scaled(6/slow, 500), Steps: d.stride(), Fresh: func(context.Context) (*Database, error) {
				db := fresh(t)
				db.Close = sync.OnceValue(db.Close) // fresh closes it at the end
				return db, nil
			}})
		})
	}
	t.Run("mutants", func(t *testing.T) { drillMutants(t, fresh) })
}

// stride is how many steps a test leaves out: it has not all day.
func (d Drill) stride() int {
	switch {
	case Long():
		return 1
	case d.Name == "a store that fails at call n":
		return 8 * slow
	case slow > 1:
		return 4
	}
	return 1
}

func (d Drill) test(t *testing.T, o Options) {
	r := d.Run(t.Context(), o)
	if r.Skipped != "" {
		t.Skip(r.Skipped)
	}
	t.Logf("must: %s", r.Must)
	for _, e := range r.Evidence {
		t.Logf("%-50s %s", e.What, e.Shows)
	}
	if r.Err != nil {
		t.Error(r.Err)
	}
	for i, v := range r.Broken {
		if i == 10 {
			t.Errorf("and %d more", len(r.Broken)-i)
			break
		}
		t.Error(v)
	}
	if !r.Passed() {
		t.Logf("seed %d", r.Seed)
	}
}

// populate commits changes of some orders, in the order of their versions.
func (w *World) populate(ctx context.Context, orders, versions int, spoil func(*Fact)) error {
	return w.populateFrom(ctx, orders, 1, versions, spoil)
}

func (w *World) populateFrom(ctx context.Context, orders, from, to int, spoil func(*Fact)) error {
	for v := from; v <= to; v++ {
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
