package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Drill is a fault, what must come of it, and how it is staged on a world.
type Drill struct {
	Name string
	Must string // what must happen

	poisoned []string // lanes that may wait or be in quarantine afterwards
	figures  []figure // evidence beside the usual
	stage    func(context.Context, *Stage) error
}

// Options are how drills are run. Zero fields take the default that stands at
// the field.
type Options struct {
	Fresh     func(context.Context) (*Database, error)     // makes an empty database; a drill closes it
	Crashable func(ctx context.Context) (*Database, error) // makes an empty database, with Crash and Lazily, on a server that a drill may crash; nil: drills that need it are skipped
	Seed      uint64                                       // of everything random; from the clock
	Kills     int                                          // of the drill that kills at random; 6
	Steps     int                                          // of the drills that try every step, try every nth; 1
}

// Stage is what a drill plays on.
type Stage struct {
	*World
	Options
	Dice   *rand.Rand
	Notes  []Evidence // what the drill saw itself
	broken []Violation
	apart  [][]Evidence // of worlds of its own, where it plays on such
}

// Result is what became of one drill.
type Result struct {
	Drill    string
	Must     string
	Seed     uint64 // with it the drill can be run again
	Skipped  string // why it could not be staged on this database
	Evidence []Evidence
	Broken   []Violation
	Err      error // it could not be carried out, or didn't come to rest
	Took     time.Duration
}

// Passed reports whether the drill was carried out and every invariant holds.
func (r Result) Passed() bool { return r.Skipped == "" && r.Err == nil && len(r.Broken) == 0 }

// ErrSkipped is wrapped by what says that a drill cannot be staged, and why.
var ErrSkipped = errors.New("cannot be staged on this database")

// Run stages the drill on an empty database and checks every invariant from the
// tables alone.
func (d Drill) Run(ctx context.Context, o Options) Result {
	o = o.defaults()
	r := Result{Drill: d.Name, Must: d.Must, Seed: o.Seed}
	start := time.Now()
	r.Err = d.run(ctx, o, &r)
	r.Took = time.Since(start)
	if errors.Is(r.Err, ErrSkipped) {
		r.Skipped, r.Err = r.Err.Error(), nil
	}
	if r.Err != nil {
		r.Err = fmt.Errorf("%s, seed %d: %w", d.Name, o.Seed, r.Err)
	}
	return r
}

func (o Options) defaults() Options {
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano())
	}
	if o.Kills == 0 {
		o.Kills = 6
	}
	if o.Steps == 0 {
		o.Steps = 1
	}
	return o
}

func (d Drill) run(ctx context.Context, o Options, r *Result) (err error) {
	w, err := o.world(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.DB.Close()) }()
	s := &Stage{World: w, Options: o, Dice: rand.New(rand.NewPCG(o.Seed, 0))}
	if err := d.stage(ctx, s); err != nil {
		return err
	}
	found, err := w.Check(ctx, d.poisoned...)
	r.Broken = append(s.broken, found...)
	if err != nil {
		return err
	}
	if s.apart != nil {
		r.Evidence = append(s.Notes, spread(s.apart)...)
		return nil
	}
	shown, err := w.evidence(ctx, d.figures)
	r.Evidence = append(s.Notes, shown...)
	return err
}

// world is a new one on an empty database.
func (o Options) world(ctx context.Context) (*World, error) {
	db, err := o.Fresh(ctx)
	if err != nil {
		return nil, fmt.Errorf("empty database: %w", err)
	}
	w := NewWorld(db)
	if err := w.Create(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return w, nil
}

// note adds evidence that isn't in a table.
func (s *Stage) note(what, format string, args ...any) {
	s.Notes = append(s.Notes, Evidence{what, fmt.Sprintf(format, args...)})
}

// each runs f on a world of its own for every nth of n steps, and checks it.
func (s *Stage) each(ctx context.Context, n int, f func(context.Context, int, *World) error) error {
	done := 0
	for i := s.Dice.IntN(s.Steps); i < n; i += s.Steps {
		if err := s.one(ctx, i, f); err != nil {
			return err
		}
		done++
	}
	s.note("runs, each checked by itself", "%d", done)
	return nil
}

func (s *Stage) one(ctx context.Context, i int, f func(context.Context, int, *World) error) (err error) {
	w, err := s.world(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.DB.Close()) }()
	if err := f(ctx, i, w); err != nil {
		return err
	}
	found, err := w.Check(ctx)
	s.broken = append(s.broken, found...)
	if err != nil {
		return err
	}
	shown, err := w.evidence(ctx, nil)
	s.apart = append(s.apart, shown)
	return err
}
