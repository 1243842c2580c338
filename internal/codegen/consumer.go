package codegen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
)

// consumerCode is what is generated for one consumer.
type consumerCode struct {
	contract *contract.Consumer
	revision string
	name     string // Loyalty
	file     string
	reads    []*readCode
}

// readCode is how the consumer reads one event.
type readCode struct {
	reading *contract.Reading
	event   *eventCode
	field   string // of the consumer: OrderPaidV1
	name    string // of the payload's type: LoyaltyOrderPaidV1
	build   *builder
	root    *typ
	view    *view // of a Protobuf event, instead of root
	effects []effectCode
	upcast  *readCode // what its events are turned into before they are handled; nil: they have a handler of their own
	target  bool      // of an upcast
}

// effectCode is one third-party call that a handler may ask for.
type effectCode struct{ method, name string }

// methods are what every event has beside its payload.
var methods = []string{"Key", "Lane", "Version", "Attempt"}

func (g *generator) newConsumer(declared *contract.Consumer) *consumerCode {
	inherited := *declared
	inherited.Inherit(g.set.Workspace.Defaults)
	name := exported(declared.Name.Value)
	if g.names[name] {
		name += "Consumer"
	}
	c := &consumerCode{contract: &inherited, revision: declared.Revision(g.set), name: g.names.take(name)}
	c.file = g.fileName(declared.Name.Value, "consumer")
	for i := range inherited.Reads {
		reading := &inherited.Reads[i]
		if e := g.event(reading.Event.Value); e != nil {
			c.reads = append(c.reads, g.newRead(c, reading, e))
		}
	}
	g.linkUpcasts(c)
	return c
}

// linkUpcasts finds what the events of older major versions are turned into.
func (g *generator) linkUpcasts(c *consumerCode) {
	for _, r := range c.reads {
		to := r.reading.Upcast
		if why := c.contract.UpcastFault(r.reading); why != "" {
			g.findings.impossible(r.reading.Event.Value.String(), to.Pos, "Name a later major version of the event that this consumer reads.", "consumer %s turns it into %s: %s", c.contract.Name.Value, to.Value, why)
			continue
		}
		for _, other := range c.reads {
			if !to.Pos.IsZero() && other.reading.Event.Value == to.Value {
				r.upcast, other.target = other, true
			}
		}
	}
}

func (g *generator) newRead(c *consumerCode, reading *contract.Reading, e *eventCode) *readCode {
	r := &readCode{reading: reading, event: e, field: e.name, name: c.name + e.name}
	taken := names{}
	for _, m := range methods {
		taken[m] = true
	}
	for _, effect := range c.contract.Effects {
		if !reading.Upcast.Pos.IsZero() {
			break // an upcaster asks for nothing: the handler does
		}
		method := exported(effect.Value)
		if taken[method] {
			method += "Effect"
		}
		r.effects = append(r.effects, effectCode{taken.take(method), effect.Value})
	}
	if e.proto != nil {
		g.names[r.name] = true
		r.view = g.newView(e.proto, r.declared(), e.proto.message, r.name, taken)
		return r
	}
	r.build = g.builder(e, r.name)
	r.build.fields, r.build.enums = treatments(reading)
	for name := range taken {
		r.build.reserved = append(r.build.reserved, name)
	}
	if !e.contract.Vendored {
		r.build.adopt(e.payload)
	}
	r.root = r.build.build(r.build.relax(e.reader.root()), r.want(), nil, r.name)
	r.name = r.root.name
	return r
}

// treatments is what a reader does with what it doesn't know: unless it says
// otherwise it ignores fields and refuses enum values.
func treatments(r *contract.Reading) (fields, enums contract.Treatment) {
	fields, enums = r.UnknownFields.Value, r.UnknownEnums.Value
	if fields == "" {
		fields = contract.Ignore
	}
	if enums == "" {
		enums = contract.Reject
	}
	return fields, enums
}

// adopt takes over the enums that a producer's types have names for.
func (b *builder) adopt(other *builder) {
	for s, t := range other.byShape {
		if t.kind == enumKind {
			b.byShape[s] = t
		}
	}
}

// declared is what the consumer declared.
func (r *readCode) declared() *want {
	w := &want{all: len(r.reading.Fields) == 0}
	for _, f := range r.reading.Fields {
		*w.add(f.Value) = want{all: true}
	}
	return w
}

// want is what the consumer declared, and what identifies the event.
func (r *readCode) want() *want {
	w := r.declared()
	for _, spec := range r.event.id.all() {
		if !spec.inPayload() {
			continue
		}
		if known := w.find(spec.locator.Path); known != nil {
			if known != everything {
				known.role |= spec.role
			} else if spec.role&(timeRole|versionRole) != 0 {
				w.add(spec.locator.Path).role |= spec.role
			}
			continue
		}
		w.addUnkept(spec.locator.Path)
	}
	return w
}

func (g *generator) event(name contract.Name) *eventCode {
	for _, e := range g.events {
		if e.contract.Name.Value == name {
			return e
		}
	}
	return nil
}

// policy lists the fields of event.Policy that the contract fills.
func (c *consumerCode) policy() []string {
	p := c.contract
	list := []string{"Owner: " + quote(p.Owner.Value)}
	group := func(name, typ string, fields ...string) {
		fields = slices.DeleteFunc(fields, func(f string) bool { return f == "" })
		if len(fields) > 0 {
			list = append(list, name+": event."+typ+"{"+strings.Join(fields, ", ")+"}")
		}
	}
	group("Retry", "Retry",
		number("Attempts", p.Retry.Attempts.Value), span("Initial", p.Retry.Initial.Value),
		span("Max", p.Retry.Max.Value), jitter(p.Retry.Jitter.Value, !p.Retry.Jitter.Pos.IsZero()))
	group("Quarantine", "Quarantine", span("ResolveWithin", p.Quarantine.ResolveWithin.Value), span("Keep", p.Quarantine.Keep.Value))
	group("SLO", "SLO", span("OldestMessage", p.SLO.OldestMessage.Value), span("HandlingP95", p.SLO.HandlingP95.Value),
		fraction("RetryRatio", p.SLO.RetryRatio.Value))
	if s := span("Remember", p.Remember.Value); s != "" {
		list = append(list, s)
	}
	return list
}

func number(name string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d", name, n)
}

func fraction(name string, f float64) string {
	if f == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %v", name, f)
}

// jitter tells none from not said.
func jitter(f float64, said bool) string {
	if f == 0 && said {
		return "Jitter: -1"
	}
	return fraction("Jitter", f)
}

func span(name string, d contract.Duration) string {
	if d == 0 {
		return ""
	}
	return name + ": " + duration(time.Duration(d))
}
