// Command evcontract declares, lints, checks, generates and delivers event
// contracts. Each command is one file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/evcontract/evcontract/delivery/deliverytest"
)

func main() { os.Exit(Main()) }

// Main runs the program on the process's arguments and gives its exit code.
func Main() int {
	if deliverytest.Child(openDrill) {
		return exitClean // it was started by a drill, to be killed
	}
	if vetTool(os.Args[1:]) {
		return exitClean
	}
	growHeap(150) // most commands end soon: collecting garbage less often is cheaper
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{out: os.Stdout, err: os.Stderr, now: time.Now}
	return a.run(ctx, os.Args[1:])
}

// growHeap lets the heap grow by so many percent before garbage is collected,
// unless the environment says how much.
func growHeap(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(3 << 30) // from here on memory is dearer than time
	}
}

// fitHeap settles how far the heap of a check grows from here on. Where it is small,
// what was read is garbage for the most part: it is collected now, and then before the
// heap has twice its size, which costs next to nothing. In the heap of a large
// repository collecting is what takes the time.
func fitHeap() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	switch {
	case m.HeapAlloc < 6<<20: // it will hardly be collected at all
	case m.HeapAlloc < 64<<20:
		growHeap(100)
		runtime.GC()
	default:
		growHeap(200)
	}
}

// app is what a command needs of the world.
type app struct {
	out, err io.Writer
	now      func() time.Time
}

// Exit codes: nothing at or above the threshold, findings, could not do it.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailure  = 2
)

// errFindings ends a command that did its work and found something. It has been
// printed already.
var errFindings = errors.New("findings")

// errUnreadable ends a command that printed what it could not read.
var errUnreadable = errors.New("unreadable")

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errUnreadable):
		return exitFailure
	}
	fmt.Fprintln(a.err, "evcontract:", err)
	return exitFailure
}
