package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Killing is what a run of Kills did.
type Killing struct {
	Seed   uint64 // of the times at which processes were killed
	Kills  int
	Starts int
	Facts  int // business changes that were committed meanwhile
	Took   time.Duration
}

// Kills changes orders, and starts child processes over the world and kills each
// with SIGKILL at a random time, until so many were killed; then it lets one
// come to rest. What it did is checked by Check. The process must call Child, or
// Main in a test.
func (w *World) Kills(ctx context.Context, kills int, seed uint64) (Killing, error) {
	dice := rand.New(rand.NewPCG(seed, 0))
	r := Killing{Seed: seed}
	start := time.Now()
	for version := uint64(1); r.Kills < kills; version++ {
		for o := range 4 {
			if err := w.Change(ctx, fact(fmt.Sprintf("o-%d", o), version)); err != nil {
				return r, err
			}
			r.Facts++
		}
		d := time.Duration(slow*(20+dice.IntN(180))) * time.Millisecond
		killed, err := w.killable(20*time.Second).KilledAfter(ctx, d)
		if err != nil {
			return r, err
		}
		r.Starts++
		if killed {
			r.Kills++
		}
	}
	rest := time.Minute + 50*time.Millisecond*time.Duration(r.Facts) // what was left undone takes its time
	killed, err := w.killable(rest).Child(ctx)
	r.Starts++
	r.Took = time.Since(start)
	if killed {
		err = errors.Join(err, errors.New("the last process was killed by somebody else"))
	}
	return r, err
}

// killable is a task in which a kill is no reason to give an event up: kills
// count as attempts.
func (w *World) killable(within time.Duration) Task {
	retry := w.Policy.Retry
	retry.Attempts = 1000
	return Task{Source: w.DB.Source, Within: within, Batch: 3, Retry: retry}
}
