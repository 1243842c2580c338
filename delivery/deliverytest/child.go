package deliverytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Task is what a child process does: run a system until it is at rest.
type Task struct {
	Source string        // of the database
	Die    delivery.Step // kill the process here,
	Nth    int           // the nth time that it is reached
	Within time.Duration
	Batch  int

	Retry event.Retry // of the consumers' policy; the world's own where it says no attempts
}

const taskVariable = "EVCONTRACT_DRILL_TASK"

// Main is TestMain for a package with drills: a child process does its task, any
// other runs the tests. It doesn't return.
func Main(m *testing.M, open func(source string) (*Database, error)) {
	if Child(open) {
		return
	}
	os.Exit(m.Run())
}

// Child does the task of a drill and ends the process, when this process is the
// child of a drill. A program that runs drills calls it first thing in main.
func Child(open func(source string) (*Database, error)) bool {
	text := os.Getenv(taskVariable)
	if text == "" {
		return false
	}
	var task Task
	err := json.Unmarshal([]byte(text), &task)
	if err == nil {
		err = task.run(open)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "drill:", err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}

func (task Task) run(open func(string) (*Database, error)) (err error) {
	db, err := open(task.Source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	left := make(chan int, 1)
	left <- task.Nth
	step := func(s delivery.Step) {
		if s != task.Die {
			return
		}
		n := <-left - 1
		left <- n
		if n == 0 {
			Kill()
		}
	}
	w := NewWorld(db)
	if task.Retry.Attempts > 0 {
		w.Policy.Retry = task.Retry
	}
	return System{World: w, Step: step, Batch: task.Batch}.Run(ctx, task.Within)
}

// start begins a task in a child process.
func (task Task) start(ctx context.Context) (*exec.Cmd, *limited, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), taskVariable+"="+string(text))
	out := &limited{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out, cmd.Start()
}

// limited keeps the first part of what is written to it.
type limited struct{ text []byte }

func (l *limited) Write(p []byte) (int, error) {
	if room := 8192 - len(l.text); room > 0 {
		l.text = append(l.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// Child runs a task in a child process and says whether it was killed.
func (task Task) Child(ctx context.Context) (killed bool, err error) {
	cmd, out, err := task.start(ctx)
	if err != nil {
		return false, err
	}
	return ended(cmd.Wait(), out)
}

// KilledAfter runs a task in a child process and kills it after d.
func (task Task) KilledAfter(ctx context.Context, d time.Duration) (killed bool, err error) {
	cmd, out, err := task.start(ctx)
	if err != nil {
		return false, err
	}
	timer := time.AfterFunc(d, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer timer.Stop()
	return ended(cmd.Wait(), out)
}

func ended(err error, out *limited) (killed bool, _ error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return true, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("child: %w\n%s", err, out.text)
	}
	return false, nil
}
