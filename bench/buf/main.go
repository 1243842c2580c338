// Command buf measures evcontract check against buf breaking, as whole
// processes: wall time, CPU time and peak memory, medians of several rounds, each
// as the ratio of buf's to ours. It needs git, and buf on PATH:
//
//	go install github.com/bufbuild/buf/cmd/buf@v1.75.0
//	cd bench && go run ./buf
//
// BENCH_REPO adds a real repository: a path, or what git clone takes, then the
// old and the new ref, and FILE#MESSAGE for events to name as roots, with spaces
// between them:
//
//	BENCH_REPO="../googleapis HEAD~50 HEAD google/pubsub/v1/pubsub.proto#google.pubsub.v1.PubsubMessage"
//
// Every figure ends as one JSON line on standard output.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often every command is measured")
	only := flag.String("only", "", "measure cases whose name contains this")
	flag.Parse()
	if err := run(*rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "buf:", err)
		os.Exit(2)
	}
}

// contest is one change that both tools judge. Both are to end as they end
// where they did their work: with findings or without, not with an error.
type contest struct {
	name string
	goal goals
	ours command
	bufs command
}

// goals are the least ratios of buf's figure to ours; 0 where there is none.
type goals struct{ wall, cpu, memory float64 }

func run(rounds int, only string) error {
	if _, err := exec.LookPath("buf"); err != nil {
		fmt.Fprintln(os.Stderr, "buf is not on PATH: nothing is compared with it (go install github.com/bufbuild/buf/cmd/buf@v1.75.0)")
		return nil
	}
	dir, err := os.MkdirTemp("", "evcontract-buf")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "evcontract")
	build := exec.Command("go", "build", "-o", program, "./cmd/evcontract")
	build.Dir, build.Stderr = "..", os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build ./cmd/evcontract in the folder above: %w; run this in bench", err)
	}
	w := workshop{dir: dir, program: program}
	contests, err := w.contests(os.Getenv("BENCH_REPO"))
	if err != nil {
		return err
	}
	growth := map[string]usage{}
	for _, c := range contests {
		if !strings.Contains(c.name, only) {
			continue
		}
		mine, err := c.measure(rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		growth[c.name] = mine
	}
	grown(growth)
	return nil
}

// measure runs both commands in turn, so that a busy minute of the machine
// meets both, and prints their figures.
func (c *contest) measure(rounds int) (usage, error) {
	var ours, bufs []usage
	for range rounds {
		for _, side := range []struct {
			command command
			into    *[]usage
		}{{c.ours, &ours}, {c.bufs, &bufs}} {
			u, err := side.command.run()
			if err != nil {
				return usage{}, err
			}
			*side.into = append(*side.into, u)
		}
	}
	mine, theirs := median(ours), median(bufs)
	print := func(what, unit string, mine, theirs, goal float64) {
		name := "buf/" + c.name + "/" + what
		emit(figure{Name: name + "/buf", Value: theirs, Unit: unit})
		emit(figure{Name: name, Value: mine, Unit: unit, Ratio: theirs / mine, Against: name + "/buf", Goal: goal})
	}
	print("wall", "s", mine.wall, theirs.wall, c.goal.wall)
	print("cpu", "s", mine.cpu, theirs.cpu, c.goal.cpu)
	print("memory", "MiB", mine.memory, theirs.memory, c.goal.memory)
	return mine, nil
}

// grown prints what ten times the files cost.
func grown(of map[string]usage) {
	small, ok := of["a-tenth"]
	large, ok2 := of["a-directory"]
	if ok && ok2 {
		emit(figure{Name: "buf/growth/cpu", Value: large.cpu, Unit: "s", Ratio: large.cpu / small.cpu, Against: "buf/a-tenth/cpu", Goal: "<= 12"})
	}
}

// figure is one line of the output.
type figure struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Ratio   float64 `json:"ratio,omitempty"`
	Against string  `json:"against,omitempty"`
	Goal    any     `json:"goal,omitempty"`
}

func emit(f figure) {
	if least, ok := f.Goal.(float64); ok && least == 0 {
		f.Goal = nil
	}
	line, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, string(line))
}

var errFailed = errors.New("did not do its work")
