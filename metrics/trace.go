package metrics

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/evcontract/evcontract/delivery"
	"github.com/evcontract/evcontract/event"
)

// Inject is what delivery.SetInject is given: an event carries the trace of the
// context that it was published with, in its headers. Without a propagator it is
// W3C Trace Context (traceparent, tracestate). Baggage is for the program to
// add, because what is in it is stored and sent with every event.
func Inject(p propagation.TextMapPropagator) delivery.Inject {
	p = orTraceContext(p)
	return func(ctx context.Context, headers map[string]string) {
		p.Inject(ctx, propagation.MapCarrier(headers))
	}
}

// Extract is what the Context field of an Inbox is given: a handler's context
// continues the trace of the publisher, so that a span that it starts is a child
// of the publisher's. Headers that say no trace, or nonsense, change nothing.
func Extract(p propagation.TextMapPropagator) func(context.Context, event.Message) context.Context {
	p = orTraceContext(p)
	return func(ctx context.Context, m event.Message) context.Context {
		return p.Extract(ctx, propagation.MapCarrier(m.Headers))
	}
}

// Links are the traces of the first n events that a Batch handler was called
// with, for the span of the batch; an event without a trace has none:
//
//	ctx, span := tracer.Start(ctx, "add points", trace.WithLinks(metrics.Links(ctx, len(events))...))
//
// The Context field of the inbox must be set to Extract.
func Links(ctx context.Context, n int) []trace.Link {
	var links []trace.Link
	outer := trace.SpanContextFromContext(ctx)
	for i := range n {
		of := trace.SpanContextFromContext(delivery.ContextOf(ctx, i))
		if of.IsValid() && !of.Equal(outer) {
			links = append(links, trace.Link{SpanContext: of})
		}
	}
	return links
}

func orTraceContext(p propagation.TextMapPropagator) propagation.TextMapPropagator {
	if p == nil {
		return propagation.TraceContext{}
	}
	return p
}
