package codegen

import (
	"fmt"
	"slices"
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
		p.decode(r)
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
	if p.batches() {
		p.line("//")
		p.comment("A handler of several events answers with one error for each, in order, or with nil. An error rolls back the whole batch, which is then handled again in smaller parts.")
	}
	p.line("type %s[T any] struct {", p.name)
	for _, r := range p.reads {
		switch {
		case r.upcast != nil:
		case r.reading.Batch.Value:
			p.line("%s func(ctx context.Context, tx T, events []%s) []error", r.field, r.name)
		default:
			p.line("%s func(ctx context.Context, tx T, e %s) error", r.field, r.name)
		}
	}
	p.line("}")
}

// batches reports whether any handler takes several events at once.
func (c *consumerCode) batches() bool {
	return slices.ContainsFunc(c.reads, func(r *readCode) bool { return r.upcast == nil && r.reading.Batch.Value })
}

var orders = map[contract.Order]string{
	contract.Latest: "event.OrderLatest", contract.Contiguous: "event.OrderContiguous",
}

func (p consumerPrinter) consumer() {
	p.line("")
	p.comment("Consumer is what an inbox runs. From gives the handlers the real transaction: sqlite.From, postgres.From." + p.upcastDoc())
	params := "from func(event.Tx) T"
	for _, r := range p.reads {
		if r.upcast != nil {
			params += fmt.Sprintf(", %s func(%s) (%s, error)", r.upcaster(), r.name, r.upcast.name)
		}
	}
	p.line("func (c %s[T]) Consumer(%s) event.Consumer {", p.name, params)
	p.line("return event.Consumer{")
	p.line("Name: %s,", quote(p.contract.Name.Value))
	p.line("Revision: %s,", quote(p.revision))
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
		p.line("%s,", p.route(r))
		p.line("},")
	}
	p.line("},")
	p.line("}")
	p.line("}")
}

func (p consumerPrinter) upcastDoc() string {
	if !slices.ContainsFunc(p.reads, func(r *readCode) bool { return r.upcast != nil }) {
		return ""
	}
	return " The other functions turn the events of older major versions into those that a handler takes. They look at nothing but the event: what they refuse goes to quarantine at once."
}

// upcaster is the parameter that turns the event into a later version.
func (r *readCode) upcaster() string { return "upcast" + r.field }

// route is the field that handles the events of one type.
func (p consumerPrinter) route(r *readCode) string {
	decode, last := "decode"+r.name, r
	for last.upcast != nil {
		decode = fmt.Sprintf("upcast%s(%s, %s)", last.name, decode, last.upcaster())
		last = last.upcast
	}
	args := "from"
	if last.target {
		args += ", " + decode
	}
	if last.reading.Batch.Value {
		return "Batch: c.batch" + last.field + "(" + args + ")"
	}
	return "Handle: c.handle" + last.field + "(" + args + ")"
}

// decoding is the type of a function that reads an event of a message.
func (p consumerPrinter) decoding(r *readCode) string {
	return "func(" + p.decodeParams("") + ") (" + r.name + ", error)"
}

// decodeParams are what an event is read from. An event carries its transaction
// only where it has effects to ask for.
func (p consumerPrinter) decodeParams(names string) string {
	list := []string{"event.Message", "event.Identity"}
	if len(p.contract.Effects) > 0 {
		list = append(list, "event.Tx")
	}
	if names == "" {
		return strings.Join(list, ", ")
	}
	for i, name := range strings.Split(names, " ")[:len(list)] {
		list[i] = name + " " + list[i]
	}
	return strings.Join(list, ", ")
}

func (p consumerPrinter) decodeArgs(m, id string) string {
	if len(p.contract.Effects) > 0 {
		return m + ", " + id + ", tx"
	}
	return m + ", " + id
}

// handle prints what a route calls for the events of one handler.
func (p consumerPrinter) handle(r *readCode) {
	if r.upcast != nil {
		p.upcastFunction(r)
		return
	}
	params, unset, decode := "from func(event.Tx) T", "c."+r.field+" == nil", "decode"+r.name
	if r.target {
		params += ", decode " + p.decoding(r)
		unset += " || decode == nil"
		decode = "decode"
	}
	batch := r.reading.Batch.Value
	p.line("")
	if batch {
		p.line("func (c %s[T]) batch%s(%s) func(context.Context, event.Tx, []event.Message, []event.Identity) []error {", p.name, r.field, params)
	} else {
		p.line("func (c %s[T]) handle%s(%s) func(context.Context, event.Tx, event.Message, event.Identity) error {", p.name, r.field, params)
	}
	p.line("if %s {", unset)
	p.line("return nil // the inbox refuses to start, and names the event")
	p.line("}")
	if batch {
		p.batchBody(r, decode)
	} else {
		p.line("return func(ctx context.Context, tx event.Tx, m event.Message, id event.Identity) error {")
		p.line("e, err := %s(%s)", decode, p.decodeArgs("m", "id"))
		p.line("if err != nil {")
		p.line("return err")
		p.line("}")
		p.line("return c.%s(ctx, from(tx), e)", r.field)
		p.line("}")
	}
	p.line("}")
}

// batchBody prints how several events are read and handled. None is handled
// where one cannot be read: the batch is rolled back anyway.
func (p consumerPrinter) batchBody(r *readCode, decode string) {
	p.line("return func(ctx context.Context, tx event.Tx, ms []event.Message, ids []event.Identity) []error {")
	p.line("events := make([]%s, len(ms))", r.name)
	p.line("errs := make([]error, len(ms))")
	p.line("for i := range ms {")
	p.line("events[i], errs[i] = %s(%s)", decode, p.decodeArgs("ms[i]", "ids[i]"))
	p.line("}")
	p.line("if errors.Join(errs...) != nil {")
	p.line("return errs")
	p.line("}")
	p.line("return c.%s(ctx, from(tx), events)", r.field)
	p.line("}")
}

// upcastFunction prints how an older event is read as a later one.
func (p consumerPrinter) upcastFunction(r *readCode) {
	from, to := r.reading.Event.Value, r.upcast.reading.Event.Value
	p.line("")
	p.comment(fmt.Sprintf("upcast%s reads %s as %s.", r.name, from, to))
	p.line("func upcast%s(decode %s, upcast func(%s) (%s, error)) %s {", r.name, p.decoding(r), r.name, r.upcast.name, p.decoding(r.upcast))
	p.line("if decode == nil || upcast == nil {")
	p.line("return nil // the inbox refuses to start, and names the event")
	p.line("}")
	p.line("return func(%s) (%s, error) {", p.decodeParams("m id tx"), r.upcast.name)
	p.line("old, err := decode(%s)", p.decodeArgs("m", "id"))
	p.line("if err != nil {")
	p.line("return %s{}, err", r.upcast.name)
	p.line("}")
	p.line("e, err := upcast(old)")
	p.line("if err != nil {")
	p.line("return %s{}, event.Permanent(fmt.Errorf(\"%s cannot become %s: %%w\", err))", r.upcast.name, from, to)
	p.line("}")
	p.carry()
	p.line("return e, nil")
	p.line("}")
	p.line("}")
}

// carry prints what an event takes over from its message.
func (p consumerPrinter) carry() {
	if len(p.contract.Effects) > 0 {
		p.line("e.id, e.tx = id, tx")
	} else {
		p.line("e.id = id")
	}
}

// decode prints how an event is read of a message.
func (p consumerPrinter) decode(r *readCode) {
	p.line("")
	p.line("func decode%s(%s) (%s, error) {", r.name, p.decodeParams("m id tx"), r.name)
	if r.view != nil {
		p.decodeView(r)
	} else {
		if len(p.contract.Effects) > 0 {
			p.line("e := %s{id: id, tx: tx}", r.name)
		} else {
			p.line("e := %s{id: id}", r.name)
		}
		p.line("s := event.NewScanner(m.Payload)")
		p.line("e.decode(&s)")
		p.line("if err := s.End(); err != nil {")
		p.line("return %s{}, event.Permanent(err)", r.name)
		p.line("}")
	}
	p.line("return e, nil")
	p.line("}")
}

// carried are the fields that an event has beside its payload.
func (p consumerPrinter) carried() []string {
	if len(p.contract.Effects) > 0 {
		return []string{"id event.Identity", "tx event.Tx"}
	}
	return []string{"id event.Identity"}
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
		p.printStruct(r.root, append([]string{""}, p.carried()...)...)
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
