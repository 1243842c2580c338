package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// command is one process to measure.
type command struct {
	dir  string
	args []string
	ends []int  // exit codes that say it did its work
	fail string // what its output holds where it did not all the same; empty: nothing tells
}

// buf compares two folders. It ends with findings also where a file does not
// compile; then it has judged nothing.
func buf(dir, now, against string) command {
	return command{dir, []string{"buf", "breaking", now, "--against", against, "--error-format", "json"}, []int{0, 100}, `"type":"COMPILE"`}
}

// evcontract compares two folders.
func (w workshop) evcontract(dir, now, against string) command {
	return command{dir: dir, args: []string{w.program, "check", now, "--against", against}, ends: []int{0, 1}}
}

// usage is what a process and its children took.
type usage struct{ wall, cpu, memory float64 } // seconds, seconds, MiB

func (c command) run() (usage, error) {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	var said, found bytes.Buffer
	cmd.Stderr, cmd.Stdout = &said, &found
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	state := cmd.ProcessState
	if state == nil || !slices.Contains(c.ends, state.ExitCode()) {
		return usage{}, fmt.Errorf("%s: %w: %s", strings.Join(c.args, " "), errors.Join(errFailed, err), said.String())
	}
	if c.fail != "" && strings.Contains(found.String(), c.fail) {
		line, _, _ := strings.Cut(found.String()[strings.Index(found.String(), c.fail):], "\n")
		return usage{}, fmt.Errorf("%s: %w: %s", strings.Join(c.args, " "), errFailed, line)
	}
	u := usage{wall: wall.Seconds(), cpu: (state.UserTime() + state.SystemTime()).Seconds()}
	if r, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.memory = float64(r.Maxrss) / 1024 // in KiB on Linux
	}
	return u, nil
}

// median takes each figure's own median.
func median(all []usage) usage {
	pick := func(of func(usage) float64) float64 {
		var values []float64
		for _, u := range all {
			values = append(values, of(u))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return usage{
		wall:   pick(func(u usage) float64 { return u.wall }),
		cpu:    pick(func(u usage) float64 { return u.cpu }),
		memory: pick(func(u usage) float64 { return u.memory }),
	}
}
