package delivery_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/evcontract/evcontract/delivery"
)

// TestWakers: one that waits often takes no other one's turn.
func TestWakers(t *testing.T) { synctest.Test(t, wakers) }

// wakers has the time of a bubble, which passes while everybody waits: nobody is
// too slow to see that he was woken.
func wakers(t *testing.T) {
	var w delivery.Wakers
	wait := func(owner string) (woken bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		err := w.Wait(ctx, owner, time.Hour)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		return err == nil
	}
	for _, owner := range []string{"a", "b"} {
		if !wait(owner) || wait(owner) {
			t.Errorf("%s looks once before it waits, and then waits", owner)
		}
	}
	w.Wake()
	w.Wake()
	if !wait("a") || wait("a") {
		t.Error("a is woken once")
	}
	if !wait("b") {
		t.Error("a has taken the turn of b")
	}
	w.Forget("a")
	w.Wake()
	if !wait("b") {
		t.Error("b is woken without a")
	}
	if err := w.Wait(t.Context(), "b", time.Millisecond); err != nil {
		t.Errorf("when the time is over: %v", err)
	}
}
