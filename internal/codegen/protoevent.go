package codegen

import (
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/types/gofeaturespb"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
)

// protoCode is what is generated for an event whose schema is Protobuf: types
// to fill in and to view, around the official message.
type protoCode struct {
	*protoFiles
	schema  *protobuf.Schema
	message *protogen.Message
	arm     *protogen.Field // of the envelope, nil where the message is the event
	fields  []*protoField
	ways    map[*roleSpec][]*protogen.Field // to the field that plays a role
}

// protoField is one field of the fill-in type.
type protoField struct {
	*protogen.Field
	name string // OrderID
	typ  string
	time bool // time.Time stands for a Timestamp
}

// newProtoEvent makes the fill-in type of one event.
func (g *generator) newProtoEvent(e *contract.Event, schema *protobuf.Schema) *eventCode {
	c := g.nameEvent(e)
	g.names[c.name] = true
	c.id, c.scanID = readIdentity(e), readIdentity(e)
	g.demand(c)
	p := &protoCode{protoFiles: g.proto, schema: schema, message: g.proto.message(schema.Descriptor()), ways: map[*roleSpec][]*protogen.Field{}}
	c.proto = p
	if p.message.APILevel == gofeaturespb.GoFeatures_API_OPAQUE {
		g.findings.impossible(e.Name.Value.String(), e.Pos, "Write option features.(pb.go).api_level = API_HYBRID in the .proto file; code that others generated from it keeps its getters and setters.", "%s uses the opaque Go API, which generated code cannot fill in: set features.(pb.go).api_level to API_HYBRID", p.message.Desc.FullName())
		return c
	}
	for _, f := range p.message.Fields {
		if schema.Arm() != nil && f.Desc.FullName() == schema.Arm().FullName() {
			p.arm = f
		}
	}
	for _, id := range []*identity{&c.id, &c.scanID} {
		for _, r := range id.all() {
			if r.inPayload() && !p.locate(r) {
				g.findings.impossible(e.Name.Value.String(), r.pos, "", "%s: %s is no single field that can play this role", r.name, r.locator)
			}
		}
	}
	p.fill(c)
	c.keyFields()
	c.outsideFields()
	return c
}

// locate finds the field that plays a role, and the Go expression of its value
// below a message p.
func (p *protoCode) locate(r *roleSpec) bool {
	m, access := p.message, "p"
	for i, step := range r.locator.Path {
		f := fieldNamed(m, step)
		last := i == len(r.locator.Path)-1
		if f == nil || f.Desc.IsList() || f.Desc.IsMap() || inOneof(f) && f != p.arm || !last && f.Message == nil {
			return false
		}
		p.ways[r] = append(p.ways[r], f)
		access += ".Get" + f.GoName + "()"
		m = f.Message
	}
	way := p.ways[r]
	f := way[len(way)-1]
	r.access, r.message = access, true
	r.typ = &typ{kind: protoRoles[protoScalars[f.Desc.Kind()]], shape: anything(r.pos)}
	switch {
	case r.role == timeRole && isTimestamp(f):
		r.typ.kind = timeKind
	case r.typ.kind == rawKind && r.role == eventIDRole:
		return f.Desc.Kind().String() == "bytes"
	case r.typ.kind == intKind && f.Desc.Kind().String() != "int64":
		r.access = "int64(" + access + ")"
	case r.typ.kind == uintKind && f.Desc.Kind().String() != "uint64":
		r.access = "uint64(" + access + ")"
	}
	return fits(r)
}

// protoRoles are the kinds that a role can be taken from.
var protoRoles = map[string]goKind{
	"string": goString, "int32": intKind, "int64": intKind, "uint32": uintKind, "uint64": uintKind,
}

func fieldNamed(m *protogen.Message, step contract.Step) *protogen.Field {
	if m == nil || step.Kind != contract.FieldStep {
		return nil
	}
	for _, f := range m.Fields {
		if string(f.Desc.Name()) == step.Name {
			return f
		}
	}
	return nil
}

// fill lists the fields that a producer may set: not those of other arms, nor
// what comes from the key.
func (p *protoCode) fill(c *eventCode) {
	used := names{}
	for _, name := range c.outsideNames() {
		used[name] = true
	}
	for _, f := range p.message.Fields {
		if p.roleOf(c, f).hidden() || p.otherArm(f) {
			continue
		}
		field := &protoField{Field: f, name: used.take(exported(string(f.Desc.Name()))), typ: p.whole(f)}
		if p.roleOf(c, f)&timeRole != 0 && isTimestamp(f) {
			field.typ, field.time = "time.Time", true
		}
		p.fields = append(p.fields, field)
	}
}

// otherArm reports whether a field belongs to another event of the envelope.
func (p *protoCode) otherArm(f *protogen.Field) bool {
	return p.arm != nil && inOneof(f) && f.Oneof == p.arm.Oneof && f != p.arm
}

// roleOf is how a field of the root takes part in the identity.
func (p *protoCode) roleOf(c *eventCode, f *protogen.Field) role {
	var all role
	for _, r := range c.id.all() {
		if way := p.ways[r]; len(way) == 1 && way[0] == f {
			all |= r.role
		}
	}
	return all
}

// field gives the fill-in field of a message's field.
func (p *protoCode) field(f *protogen.Field) *protoField {
	for _, have := range p.fields {
		if have.Field == f {
			return have
		}
	}
	return nil
}
