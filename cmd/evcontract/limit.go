package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// limit is a safety net for what should have ended long ago. Answers depend on
// budgets of steps, never on it: when it is used up there is no answer, and the
// command could not do its work.
type limit struct{ timeout time.Duration }

// defaultTimeout is far beyond what a large workspace takes.
const defaultTimeout = 10 * time.Minute

func (l *limit) bind(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&l.timeout, "timeout", defaultTimeout, "give up after this long, with exit code 2 and no answer; 0: never")
}

// within gives what f gives, unless it takes too long or the user interrupts. f
// is left behind then: it may be deep in a proof, and the process ends.
func within[T any](ctx context.Context, l limit, f func(context.Context) (T, error)) (T, error) {
	var none T
	if l.timeout < 0 {
		return none, fmt.Errorf("--timeout %s: want a duration such as 10m, or 0", l.timeout)
	}
	if l.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.timeout)
		defer cancel()
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f(ctx)
		done <- outcome{v, err}
	}()
	var out outcome
	select {
	case out = <-done:
	case <-ctx.Done():
	}
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return none, fmt.Errorf("there is no answer after %s: give it longer with --timeout, or look for the schema that takes so long by checking parts of the workspace", l.timeout)
	case err != nil:
		return none, errors.New("interrupted")
	}
	return out.value, out.err
}
