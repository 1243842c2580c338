package delivery

import (
	"context"
	"maps"
	"sync/atomic"
)

// Inject adds the trace context of ctx to the headers of an event.
type Inject func(ctx context.Context, headers map[string]string)

var inject atomic.Pointer[Inject]

// SetInject sets what every store adds to the headers of published events; nil
// adds nothing. It is one for the whole program, as a tracer's propagator is,
// because Append is called with nothing but a transaction. What it adds comes
// out at the other end through Inbox.Context.
func SetInject(f Inject) {
	if f == nil {
		inject.Store(nil)
		return
	}
	inject.Store(&f)
}

// HeadersOf are the headers of a draft with what is injected. Stores call it.
func HeadersOf(ctx context.Context, own map[string]string) map[string]string {
	f := inject.Load()
	if f == nil {
		return own
	}
	headers := map[string]string{}
	(*f)(ctx, headers)
	maps.Copy(headers, own) // what the caller says wins
	return headers
}
