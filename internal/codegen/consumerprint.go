package codegen

import (
	"fmt"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// consumerPrinter prints the part of a consumer's code that user code sees.
type consumerPrinter struct {
	*printer
	*consumerCode
}

func (p consumerPrinter) print() {
	p.consumerType()
	p.consumer()
	for _, r := range p.reads {
		p.handle(r)
	}
	for _, r := range p.reads {
		p.event(r)
	}
}

func (p consumerPrinter) consumerType() {
	p.line("")
	summary := strings.TrimSpace(p.contract.Summary.Value)
	p.comment(fmt.Sprintf("%s handles the events that consumer %s reads. %s", p.name, p.contract.Name.Value, summary))
	p.line("//")
	p.comment("Every handler must be set: an inbox refuses to start a consumer without one. A handler changes the database through tx only, and neither commits it nor rolls it back.")
	p.line("type %s[T any] struct {", p.name)
	for _, r := range p.reads {
		p.line("%s func(ctx context.Context, tx T, e %s) error", r.field, r.name)
	}
	p.line("}")
}

var orders = map[contract.Order]string{
	contract.Latest: "event.OrderLatest", contract.Contiguous: "event.OrderContiguous",
}

func (p consumerPrinter) consumer() {
	p.line("")
	p.comment("Consumer is what an inbox runs. From gives the handlers the real transaction: sqlite.From, postgres.From.")
	p.line("func (c %s[T]) Consumer(from func(event.Tx) T) event.Consumer {", p.name)
	p.line("return event.Consumer{")
	p.line("Name: %s,", quote(p.contract.Name.Value))
	p.line("Revision: %s,", quote(p.revision()))
	p.line("Policy: event.Policy{")
	for _, f := range p.policy() {
		p.line("%s,", f)
	}
	p.line("},")
	p.line("Routes: []event.Route{")
	for _, r := range p.reads {
		order := orders[r.reading.Order.Value]
		if order == "" {
			order = "event.OrderAny"
		}
		e := r.event.contract
		p.line("{")
		p.line("Event: %s,", quote(e.Name.Value.String()))
		p.line("Topic: %s,", quote(e.Channel.Topic.Value))
		p.line("Order: %s,", order)
		p.line("Identify: identify%s,", r.event.name)
		p.line("Handle: c.handle%s(from),", r.field)
		p.line("},")
	}
	p.line("},")
	p.line("}")
	p.line("}")
}

func (p consumerPrinter) handle(r *readCode) {
	p.line("")
	p.line("func (c %s[T]) handle%s(from func(event.Tx) T) func(context.Context, event.Tx, event.Message, event.Identity) error {", p.name, r.field)
	p.line("if c.%s == nil {", r.field)
	p.line("return nil // the inbox refuses to start, and names the event")
	p.line("}")
	p.line("return func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {")
	if r.view != nil {
		p.decodeView(r)
	} else {
		p.line("e := %s{id: id, tx: tx}", r.name)
		p.line("s := event.NewScanner(m.Payload)")
		p.line("e.decode(&s)")
		p.line("if err := s.End(); err != nil {")
		p.line("return event.Permanent(err)")
		p.line("}")
	}
	p.line("return c.%s(ctx, from(tx), e)", r.field)
	p.line("}")
	p.line("}")
}

// event declares what a handler gets.
func (p consumerPrinter) event(r *readCode) {
	p.line("")
	what := "the fields that it declares"
	if len(r.reading.Fields) == 0 {
		what = "every field"
	}
	p.comment(fmt.Sprintf("%s is %s as consumer %s reads it: %s.", r.name, r.event.contract.Name.Value, p.contract.Name.Value, what))
	if r.view != nil {
		p.printView(r)
	} else {
		p.printStruct(r.root, "", "id event.Identity", "tx event.Tx")
		p.printTypes(r.event.contract.Name.Value.String(), r.build.types[1:])
	}
	for _, m := range []struct{ doc, name, result, body string }{
		{"Key is the idempotency key of the fact.", "Key", "event.Key", "e.id.Key"},
		{"Lane is the aggregate that the event is about.", "Lane", "event.Lane", "e.id.Lane"},
		{"Version is the aggregate's version.", "Version", "uint64", "e.id.Version"},
		{"Attempt counts from 1.", "Attempt", "int", "e.id.Attempt"},
	} {
		p.line("")
		p.comment(m.doc)
		p.line("func (e %s) %s() %s { return %s }", r.name, m.name, m.result, m.body)
	}
	for _, effect := range r.effects {
		p.effect(r, effect)
	}
}

func (p consumerPrinter) effect(r *readCode, e effectCode) {
	p.line("")
	p.comment(fmt.Sprintf("%s asks for the third-party call %s. It is made after the transaction commits, with this request and a key that no retry and no replay changes; asking twice for one event changes nothing.", e.method, e.name))
	p.line("func (e %s) %s(ctx context.Context, request []byte) error {", r.name, e.method)
	p.line("return e.tx.Intend(ctx, event.Effect{")
	p.line("Key: event.NewEffectKey(e.id.Key, %s, %s),", quote(p.contract.Name.Value), quote(e.name))
	p.line("Name: %s,", quote(e.name))
	p.line("Consumer: %s,", quote(p.contract.Name.Value))
	p.line("Event: e.id.Key,")
	p.line("Request: request,")
	p.line("})")
	p.line("}")
}
