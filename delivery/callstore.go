package delivery

import (
	"context"
	"time"

	"github.com/evcontract/evcontract/event"
)

// CallStore is what Effects needs of a database.
type CallStore interface {
	// Claim hands out calls that are due, of the named effects; nobody else is
	// given them for the time of hold.
	Claim(ctx context.Context, owner string, names []string, limit int, hold time.Duration) ([]Call, error)

	// Answer writes the state of a claimed call. It returns ErrFenced when the
	// claim ran out and another executor took the call.
	Answer(ctx context.Context, owner string, c Call) error
}

// CallState is where a third-party call stands.
type CallState string

const (
	CallPending   CallState = "pending"   // not made, or surely not received
	CallSent      CallState = "sent"      // made; the answer is not known here
	CallConfirmed CallState = "confirmed" // the third party has it
	CallFailed    CallState = "failed"    // refused for good
	CallUnknown   CallState = "unknown"   // nobody here can tell: ask before sending again
)

// Call is a third-party call on its way.
type Call struct {
	event.Effect
	State     CallState
	Attempts  int
	Age       time.Duration // since it was recorded
	Reference string        // what the third party calls it
	Error     string
	Next      time.Duration // until it is due again; negative: a person must look
}
