package codegen

import (
	"strconv"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
)

// eventCode is what is generated for one event: the decisions, before anything
// is printed.
type eventCode struct {
	contract *contract.Event
	name     string     // in Go: OrderPaidV1
	file     string     // order_paid_v1
	lower    string     // orderPaidV1
	reader   *reader    // of a JSON Schema
	proto    *protoCode // of a Protobuf schema
	id       identity

	payload *builder // what a producer fills in
	root    *typ
	keys    []keyField
	outside []outsideField

	scan    *builder // what every consumer reads to identify a message
	scanned *typ
	scanID  identity
}

// keyField is one field of the key, as its constructor takes it.
type keyField struct {
	spec *roleSpec
	name string // paymentID
	typ  string // string
}

// outsideField is a role that travels outside the payload and that the producer
// must give.
type outsideField struct {
	spec      *roleSpec
	name, typ string
	doc       string
}

// newEvent makes the types of one event with a JSON Schema.
func (g *generator) newEvent(e *contract.Event, schema *jsonschema.Schema) *eventCode {
	c := g.nameEvent(e)
	c.reader = newReader(schema, g.set.Workspace.Formats.Value == contract.Assert)
	c.id = readIdentity(e)
	g.demand(c)

	root := c.reader.root()
	w := &want{all: true}
	c.id.mark(w)
	c.payload = g.builder(c, c.name)
	c.payload.hides = true
	c.payload.reserved = c.outsideNames()
	c.root = c.payload.build(root, w, nil, c.name)
	if c.root.kind != structKind {
		g.findings.impossible(c.payload.event, root.pos, "Make the payload an object with properties; where it is one of several objects, all of them need those that identify the event.", "the payload is no object with named members: no Go type can stand for it")
		return c
	}
	c.payload.locate(&c.id, c.root)
	c.keyFields()
	c.outsideFields()
	g.newScan(c, root)
	return c
}

// nameEvent reserves the names that user code will see.
func (g *generator) nameEvent(e *contract.Event) *eventCode {
	n := e.Name.Value
	major := "V" + strconv.Itoa(n.Major)
	name := exported(n.Short()) + major
	if g.names[name] || g.names[name+"Key"] { // of another context: the number of a second taker would read as a major
		name = exported(n.Base) + major
	}
	name = g.names.take(name)
	c := &eventCode{contract: e, name: name, lower: unexported(name)}
	for _, made := range []string{name + "Key", "New" + name + "Key", "Publish" + name, "Draft" + name, "Decode" + name, c.lower + "Mark", c.lower + "Identity", "identify" + name, "key" + name, "occurred" + name, "unmarshal" + name} {
		g.names[made] = true
	}
	c.file = g.fileName(n.Short()+"_v"+strconv.Itoa(n.Major), "event")
	// The root takes this name when it is built.
	delete(g.names, name)
	return c
}

func (g *generator) builder(c *eventCode, prefix string) *builder {
	return &builder{
		names: g.names, prefix: prefix, event: c.contract.Name.Value.String(),
		fields: contract.Reject, enums: contract.Reject, choice: g.choice,
		byShape: map[*shape]*typ{}, judges: map[judgeKey]string{}, findings: g.findings,
	}
}

// demand complains of what an event must declare before it can be published.
func (g *generator) demand(c *eventCode) {
	name, pos := c.contract.Name.Value.String(), c.contract.Pos
	if len(c.id.keys) == 0 {
		g.findings.impossible(name, pos, "List under identity.idempotency_key the fields that name the business fact.", "the event declares no idempotency_key")
	}
	if c.id.lane == nil || c.contract.Identity.Aggregate.Type.Value == "" {
		g.findings.impossible(name, pos, "Name under identity.aggregate a type, and the field that holds the id.", "the event declares no aggregate with a type and an id")
	}
	if c.contract.Channel.Topic.Value == "" {
		g.findings.impossible(name, pos, "Name under channel the topic that the event is sent to.", "the event declares no topic")
	}
}

// newScan makes the type that only holds what identifies an event.
func (g *generator) newScan(c *eventCode, root *shape) {
	c.scanID = readIdentity(c.contract)
	c.scanID.eventID, c.scanID.part = nil, nil
	w := &want{}
	c.scanID.mark(w)
	c.scan = g.builder(c, c.lower+"Identity")
	c.scan.loose = true
	c.scan.findings = &findings{seen: map[string]bool{}} // the producer's builder complained
	delete(g.names, c.lower+"Identity")
	c.scanned = c.scan.build(root, w, nil, c.lower+"Identity")
	c.scan.locate(&c.scanID, c.scanned)
}

// keyFields names the fields of the key after those of the payload.
func (c *eventCode) keyFields() {
	used := names{"key": true}
	for _, spec := range c.id.keys {
		k := keyField{spec: spec, typ: "string"}
		if spec.typ != nil {
			k.typ = spec.typ.goType()
		}
		k.name = used.take(unexported(spec.lastName()))
		c.keys = append(c.keys, k)
	}
}

// lastName is the name of the field or header that a role's value stands in.
func (r *roleSpec) lastName() string {
	if !r.inPayload() {
		return r.locator.Name
	}
	return r.locator.Path[len(r.locator.Path)-1].Name
}

// outsideSpecs are roles whose values neither the payload nor the key hold.
func (c *eventCode) outsideSpecs() []outsideField {
	var list []outsideField
	for _, o := range []outsideField{
		{c.id.lane, "AggregateID", "string", "AggregateID travels outside the payload."},
		{c.id.version, "AggregateVersion", "uint64", "AggregateVersion travels outside the payload."},
		{c.id.part, "PartitionKey", "string", "PartitionKey travels outside the payload."},
		{c.id.at, "OccurredAt", "time.Time", "OccurredAt travels outside the payload. Left zero, it is now."},
	} {
		if o.spec != nil && !o.spec.inPayload() && c.sameAsKey(o.spec) == nil {
			list = append(list, o)
		}
	}
	return list
}

func (c *eventCode) outsideNames() []string {
	var list []string
	for _, o := range c.outsideSpecs() {
		list = append(list, o.name)
	}
	return list
}

// outsideFields gives the partition key its own field only where it is not the
// aggregate's id.
func (c *eventCode) outsideFields() {
	for _, o := range c.outsideSpecs() {
		if o.spec == c.id.part && c.id.lane != nil && c.id.lane.locator.String() == o.spec.locator.String() {
			continue
		}
		o.spec.access = o.name
		c.outside = append(c.outside, o)
	}
}

// sameAsKey gives the key field that stands at the same place.
func (c *eventCode) sameAsKey(r *roleSpec) *roleSpec {
	for _, k := range c.id.keys {
		if k.locator.String() == r.locator.String() {
			return k
		}
	}
	return nil
}
