package delivery

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/evcontract/evcontract/event"
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

type carriedKey struct{}

// carried are the events of one call of a handler.
type carried struct {
	ms   []event.Message
	make func(context.Context, event.Message) context.Context
}

// carry is what ContextOf looks into.
func (r *runner) carry(ctx context.Context, ms []event.Message) context.Context {
	if r.Context == nil {
		return ctx
	}
	return context.WithValue(ctx, carriedKey{}, carried{ms, r.Context})
}

// ContextOf is the context of the event at index i of those that a Batch handler
// was called with: what Inbox.Context makes of it. A context continues one trace
// only, and the events of a batch come out of many: a handler starts a span of
// its own with links to them (metrics.Links), or one below each of these
// contexts. It ends with ctx. Where Inbox.Context is not set, or i is out of
// range, it is ctx itself. It may be called from several goroutines if
// Inbox.Context may.
func ContextOf(ctx context.Context, i int) context.Context {
	c, ok := ctx.Value(carriedKey{}).(carried)
	if !ok || i < 0 || i >= len(c.ms) {
		return ctx
	}
	return c.make(ctx, c.ms[i])
}
