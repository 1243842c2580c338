package codegen

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/evcontract/evcontract/internal/contract"
)

// protoProducer prints the producer of an event whose schema is Protobuf.
type protoProducer struct{ producer }

func (p protoProducer) print() {
	if p.contract.Vendored {
		p.keyFunction()
		p.unmarshalFunction()
		p.identify()
		return
	}
	p.payloadType()
	p.keyType()
	p.publish()
	p.draft()
	p.toMessage()
	p.decode()
	p.unmarshalFunction()
	p.identify()
}

func (p protoProducer) official() string { return p.proto.ident(p.proto.message.GoIdent) }

func (p protoProducer) payloadType() {
	p.line("")
	p.comment(fmt.Sprintf("%s is what a producer says in %s. %s", p.name, p.event(), strings.TrimSpace(p.contract.Summary.Value)))
	p.line("//")
	p.comment(fmt.Sprintf("It stands for the message %s without the event id and the fields of the key: Publish%s fills them in from the key.", p.proto.message.Desc.FullName(), p.name))
	if d := p.contract.Deprecated; d != nil || p.contract.Status.Value == contract.Deprecated {
		p.line("//")
		p.comment("Deprecated: " + successor(d))
	}
	p.line("type %s struct {", p.name)
	for _, f := range p.proto.fields {
		p.doc(p.proto.schema.DocOf(f.Desc), false)
		p.line("%s %s", f.name, f.typ)
	}
	for _, o := range p.outside {
		p.line("")
		p.comment(o.doc)
		p.line("%s %s", o.name, o.typ)
	}
	p.line("}")
}

func (p protoProducer) draft() {
	p.line("")
	p.comment(fmt.Sprintf("Draft%s makes the event without writing it, for tx.Append with others.", p.name))
	p.line("func Draft%s(key %sKey, payload %s) (event.Draft, error) {", p.name, p.name, p.name)
	p.line("if key.key.IsZero() {")
	p.line("return event.Draft{}, fmt.Errorf(\"%s: %%w\", event.ErrZeroKey)", p.event())
	p.line("}")
	p.line("id := event.NewID(%s, key.key)", quote(p.event()))
	p.now()
	p.fillNested()
	p.line("p, err := payload.message()")
	p.line("if err != nil {")
	p.line("return event.Draft{}, err")
	p.line("}")
	p.fillTop()
	p.agree()
	p.checkVersion()
	p.line("data, err := %s", p.marshal())
	p.line("if err != nil {")
	p.line("return event.Draft{}, fmt.Errorf(\"%s: %%w\", err)", p.event())
	p.line("}")
	p.body()
	p.line("return event.Draft{")
	p.attributes()
	p.line("Body: sha256.Sum256(body),")
	p.line("}, nil")
	p.line("}")
}

// now fills a time that was left out.
func (p protoProducer) now() {
	at := p.id.at
	switch {
	case at == nil:
	case !at.inPayload():
		p.line("if payload.%s.IsZero() {", at.access)
		p.line("payload.%s = time.Now().UTC()", at.access)
		p.line("}")
	case len(p.proto.ways[at]) == 1 && at.typ.kind == timeKind:
		f := p.proto.field(p.proto.ways[at][0])
		p.line("if payload.%s.IsZero() {", f.name)
		p.line("payload.%s = time.Now().UTC()", f.name)
		p.line("}")
	}
}

// hiddenRoles are the values that come from the key, with their expressions.
func (p protoProducer) hiddenRoles() map[*roleSpec]string {
	list := map[*roleSpec]string{}
	if id := p.id.eventID; id != nil && id.inPayload() {
		list[id] = "id.String()"
		if way := p.proto.ways[id]; way[len(way)-1].Desc.Kind().String() == "bytes" {
			list[id] = "id[:]"
		}
	}
	for _, k := range p.keys {
		if !k.spec.inPayload() {
			continue
		}
		x := "key." + k.name
		way := p.proto.ways[k.spec]
		if actual := protoScalars[way[len(way)-1].Desc.Kind()]; actual != k.typ {
			x = actual + "(" + x + ")"
		}
		list[k.spec] = x
	}
	return list
}

// fillTop sets the values from the key in the root message.
func (p protoProducer) fillTop() {
	hidden := p.hiddenRoles()
	for _, r := range p.id.all() {
		if x := hidden[r]; x != "" && len(p.proto.ways[r]) == 1 {
			p.set("p", p.proto.ways[r][0], x)
		}
	}
}

func (p protoProducer) set(owner string, f *protogen.Field, x string) {
	if pointed(f) {
		x = "new(" + x + ")"
	}
	p.line("%s.%s = %s", owner, f.GoName, x)
}

// fillNested sets them in messages below, which the caller owns: they are
// copied, and what disagrees with the key is refused.
func (p protoProducer) fillNested() {
	hidden := p.hiddenRoles()
	copied := map[string]bool{}
	for _, r := range p.id.all() {
		x, way := hidden[r], p.proto.ways[r]
		if x == "" || len(way) == 1 {
			continue
		}
		owner := ""
		for i, f := range way[:len(way)-1] {
			name := f.GoName
			if i == 0 {
				name, owner = p.proto.field(f).name, "payload"
			}
			owner += "." + name
			if !copied[owner] {
				copied[owner] = true
				p.line("if %s == nil {", owner)
				p.line("%s = &%s{}", owner, p.proto.ident(f.Message.GoIdent))
				p.line("} else {")
				p.line("%s = proto.CloneOf(%s)", owner, owner)
				p.line("}")
			}
		}
		f := way[len(way)-1]
		p.refuseOther(owner, f, x, r)
		p.set(owner, f, x)
	}
}

func (p protoProducer) refuseOther(owner string, f *protogen.Field, x string, r *roleSpec) {
	have := owner + ".Get" + f.GoName + "()"
	differs := fmt.Sprintf("have != %s && have != %s", zeroOf(f), x)
	if f.Desc.Kind().String() == "bytes" {
		differs = "len(have) > 0 && !bytes.Equal(have, " + x + ")"
	}
	p.line("if have := %s; %s {", have, differs)
	p.line("return event.Draft{}, fmt.Errorf(\"%s: %s is %%v, and the key says %%v: leave it out\", have, %s)", p.event(), verbatim(r.locator.String()), x)
	p.line("}")
}

func zeroOf(f *protogen.Field) string {
	if f.Desc.Kind().String() == "string" {
		return `""`
	}
	return "0"
}

// agree makes sure that the message says the key that it is published under: a
// value may not fit its field.
func (p protoProducer) agree() {
	if !p.keysInPayload() {
		return
	}
	p.line("if %s != key.key {", p.keyOfMessage())
	p.line("return event.Draft{}, errors.New(%s)", quote(p.event()+": the key's values do not fit the message's fields"))
	p.line("}")
}

func (p protoProducer) keyOfMessage() string {
	var args []string
	for _, k := range p.keys {
		args = append(args, k.spec.access)
	}
	return "key" + p.name + "(" + strings.Join(args, ", ") + ")"
}

func (p producer) marshal() string {
	if p.contract.Encoding() == contract.JSON {
		return "protojson.MarshalOptions{}.Marshal(p)"
	}
	return "proto.MarshalOptions{Deterministic: true}.Marshal(p)"
}

// body leaves out what a retry may change.
func (p protoProducer) body() {
	if p.contract.Encoding() == contract.JSON {
		// The official JSON writer puts blanks in by chance, so that nobody relies on it.
		p.line("var compact bytes.Buffer")
		p.line("if err := json.Compact(&compact, data); err != nil {")
		p.line("return event.Draft{}, fmt.Errorf(\"%s: %%w\", err)", p.event())
		p.line("}")
		p.line("data = compact.Bytes()")
	}
	p.line("constant := proto.CloneOf(p)")
	for _, r := range p.id.all() {
		if !r.role.changes() || !r.inPayload() {
			continue
		}
		way := p.proto.ways[r]
		owner := "constant"
		for _, f := range way[:len(way)-1] {
			owner += ".Get" + f.GoName + "()"
		}
		f := way[len(way)-1]
		if len(way) == 1 {
			p.line("constant.%s = %s", f.GoName, emptyOf(f))
			continue
		}
		p.line("if x := %s; x != nil {", owner)
		p.line("x.%s = %s", f.GoName, emptyOf(f))
		p.line("}")
	}
	p.line("body, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(constant)")
	p.line("if err != nil {")
	p.line("return event.Draft{}, fmt.Errorf(\"%s: %%w\", err)", p.event())
	p.line("}")
}

func emptyOf(f *protogen.Field) string {
	if pointed(f) || f.Message != nil || f.Desc.Kind().String() == "bytes" {
		return "nil"
	}
	return zeroOf(f)
}
