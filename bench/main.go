// Command bench measures publishing, relaying and consuming against the bare
// database in the same run. It runs every scenario once a round and takes the
// median of the rounds, because a shared machine is faster in one minute than in
// the next: the ratios are the result, the absolute numbers are colour.
//
//	cd bench && EVCONTRACT_POSTGRES=… go run . [-rounds 7] [-only relay]
//
// The server must wait for its disk (fsync and synchronous_commit on), as every
// server does whose data matters: without that a bare commit costs nothing, and
// there is nothing left for a batch to save.
//
// Every figure ends as one JSON line on standard output.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Figure is one line of the output.
type Figure struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Ratio   float64 `json:"ratio"`
	Against string  `json:"against"`
	Goal    any     `json:"goal"` // the least ratio as a number, 0 for none; or in words: <= 1.3
}

// scenario is measured once a round: how many of something a second.
type scenario struct {
	name    string
	unit    string
	against string  // the scenario that it is compared with
	goal    float64 // the least ratio; 0 where there is none
	same    string  // it is this scenario, compared with another one: not measured again
	run     func(ctx context.Context, d time.Duration) (perSecond float64, err error)
}

func main() {
	rounds := flag.Int("rounds", 7, "how often every scenario is measured")
	only := flag.String("only", "", "measure scenarios whose name contains this, and what they are compared with")
	each := flag.Duration("for", time.Second, "how long one measurement takes")
	profile := flag.String("cpuprofile", "", "write a profile of the processor time to this file")
	flag.Parse()
	stop := func() {}
	if *profile != "" {
		stop = startProfile(*profile)
	}
	err := run(context.Background(), *rounds, *each, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// startProfile ends the program where it cannot write.
func startProfile(path string) (stop func()) {
	f, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	return func() {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}
}

func run(ctx context.Context, rounds int, each time.Duration, only string) error {
	lite, closeLite, err := sqliteScenarios(ctx)
	if err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	defer closeLite()
	all := lite
	if dsn := os.Getenv("EVCONTRACT_POSTGRES"); dsn == "" {
		fmt.Fprintln(os.Stderr, "EVCONTRACT_POSTGRES is not set: PostgreSQL is not measured")
	} else {
		pg, closePG, err := postgresScenarios(ctx, dsn)
		if err != nil {
			return fmt.Errorf("postgres: %w", err)
		}
		defer closePG()
		all = append(all, pg...)
	}
	if err := measure(ctx, selected(all, only), rounds, each); err != nil {
		return err
	}
	if dsn := os.Getenv("EVCONTRACT_POSTGRES"); dsn != "" && (only == "" || strings.Contains("growth", only)) {
		figures, err := measureGrowth(ctx, dsn)
		if err != nil {
			return fmt.Errorf("growth: %w", err)
		}
		return show(figures)
	}
	return nil
}

func show(figures []Figure) error {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, f := range figures {
		if err := out.Encode(f); err != nil {
			return err
		}
	}
	return nil
}

// selected are the scenarios whose name contains only, and those that they are
// compared with, and so on.
func selected(all []scenario, only string) []scenario {
	want := map[string]bool{}
	for _, s := range all {
		want[s.name] = strings.Contains(s.name, only)
	}
	for more := true; more; {
		more = false
		for _, s := range all {
			for _, name := range []string{s.against, s.same} {
				if want[s.name] && name != "" && !want[name] {
					want[name], more = true, true
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(s scenario) bool { return !want[s.name] })
}

// measure prints the whole output on standard error and the figures on standard
// output.
func measure(ctx context.Context, all []scenario, rounds int, each time.Duration) error {
	results := map[string][]float64{}
	for round := range rounds {
		for _, s := range all {
			if s.same != "" {
				results[s.name] = append(results[s.name], results[s.same][round])
				continue
			}
			start, before := time.Now(), ownTime()
			v, err := s.run(ctx, each)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			results[s.name] = append(results[s.name], v)
			cores := float64(ownTime()-before) / float64(time.Since(start))
			fmt.Fprintf(os.Stderr, "round %d  %-44s %10.0f %-9s %5.2f cores, %6.1f us each\n", round+1, s.name, v, s.unit, cores, cores/v*1e6)
		}
	}
	figures := make([]Figure, len(all))
	for i, s := range all {
		figures[i] = Figure{Name: s.name, Value: median(results[s.name]), Unit: s.unit, Against: s.against, Goal: s.goal}
		if s.against != "" {
			figures[i].Ratio = ratio(results[s.name], results[s.against])
		}
	}
	return show(figures)
}

// ownTime is the processor time that this process has used. On a machine that
// others use too it says more than what a clock says.
func ownTime() time.Duration {
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil {
		return 0
	}
	return time.Duration(own.Utime.Nano() + own.Stime.Nano())
}

// ratio is the median of the ratios of the rounds.
func ratio(a, b []float64) float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return float64(int(median(r)*1000)) / 1000
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
