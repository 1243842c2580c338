package delivery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/evcontract/evcontract/event"
)

// PanicError is a panic of user code, as an error.
type PanicError struct {
	Value any
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Unwrap gives the error that was panicked with, if it was one.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func panicked(value any) error {
	return &PanicError{Value: value, Stack: string(debug.Stack())}
}

// protect makes a panic of f its error, and one of its error's methods as well:
// a nil pointer in an error may have none.
func protect(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = panicked(value)
		}
	}()
	err = f()
	ask(err)
	return err
}

// ask calls what is asked of an error that user code has made.
func ask(err error) {
	if err != nil {
		_, _ = chain(err), event.IsPermanent(err)
	}
}

// errGoexit is the end of a loop whose user code called runtime.Goexit, as a
// test's FailNow does.
var errGoexit = errors.New("a goroutine was ended by what it called: runtime.Goexit, or FailNow of a test")

// together runs loops at the same time until all have ended; when one does, the
// context of the others ends. A panic is an error of its loop: it must not end
// the process, whose other work has nothing to do with it.
func together(ctx context.Context, loops ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(loops))
	var running sync.WaitGroup
	for i, loop := range loops {
		errs[i] = errGoexit
		running.Go(func() {
			defer cancel()
			errs[i] = protect(func() error { return loop(ctx) })
		})
	}
	running.Wait()
	return errors.Join(errs...)
}
