package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/delivery/deliverytest"
	"github.com/evcontract/evcontract/event"
)

// oneCall is a store of one call. It is done when the call's answer is noted.
type oneCall struct {
	call  delivery.Call
	notes []delivery.Call
	done  context.CancelFunc
}

func (s *oneCall) Claim(context.Context, string, []string, int, time.Duration) ([]delivery.Call, error) {
	return []delivery.Call{s.call}, nil
}

func (s *oneCall) Answer(_ context.Context, _ string, c delivery.Call) error {
	s.notes = append(s.notes, c)
	if c.State != delivery.CallSent {
		s.done()
	}
	return nil
}

// A request that was cut off may still arrive: nobody is asked before its time
// and the time that it may be on its way are over.
func TestNobodyIsAskedWhileARequestIsOnItsWay(t *testing.T) {
	lost := errors.New("the answer was lost")
	const within, settle = 10 * time.Second, 7 * time.Second
	for _, c := range []struct {
		name  string
		fails error
		took  time.Duration
		least time.Duration
	}{
		{"an early failure", lost, time.Second, within - time.Second + settle},
		{"one at the end of its time", lost, within, settle},
		{"one that surely did not leave", delivery.NotSent(lost), time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			clock := deliverytest.NewClock(time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC))
			s := &oneCall{call: delivery.Call{Effect: event.Effect{Name: "mail"}, State: delivery.CallPending}, done: cancel}
			err := delivery.Effects{Store: s, Clock: clock, Do: map[string]delivery.Effect{"mail": {
				Within: within, Settle: settle, Retry: event.Retry{Initial: time.Millisecond, Attempts: 3},
				Call: func(context.Context, event.Effect) (string, error) { clock.Advance(c.took); return "", c.fails },
			}}}.Run(ctx)
			if err != nil || len(s.notes) != 2 {
				t.Fatalf("%d notes, %v", len(s.notes), err)
			}
			if sent := s.notes[0]; sent.State != delivery.CallSent || sent.Next < within+settle {
				t.Errorf("another executor may ask after %s, while the request is on its way", sent.Next)
			}
			if after := s.notes[1].Next; after < c.least || c.least == 0 && after > time.Second {
				t.Errorf("%s: due again after %s, want %s", s.notes[1].State, after, c.least)
			}
		})
	}
}
