package codegen

import (
	"fmt"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// toMessage prints how a payload becomes the official message.
func (p protoProducer) toMessage() {
	p.line("")
	p.line("func (payload *%s) message() (*%s, error) {", p.name, p.official())
	p.line("p := &%s{", p.official())
	for _, f := range p.proto.fields {
		switch {
		case inOneof(f.Field):
		case f.time:
			p.line("%s: timestamppb.New(payload.%s),", f.GoName, f.name)
		default:
			p.line("%s: payload.%s,", f.GoName, f.name)
		}
	}
	p.line("}")
	for _, o := range p.proto.message.Oneofs {
		if !o.Desc.IsSynthetic() {
			p.oneof(string(o.Desc.Name()), o.GoName)
		}
	}
	p.line("return p, nil")
	p.line("}")
}

// oneof sets the member that is there, and refuses two.
func (p protoProducer) oneof(name, goName string) {
	p.line("set%s := 0", goName)
	for _, f := range p.proto.fields {
		if !inOneof(f.Field) || string(f.Oneof.Desc.Name()) != name {
			continue
		}
		x := "payload." + f.name
		p.line("if %s != nil {", x)
		p.line("set%s++", goName)
		if pointed(f.Field) {
			x = "*" + x
		}
		p.line("p.%s = &%s{%s: %s}", goName, p.proto.ident(f.GoIdent), f.GoName, x)
		p.line("}")
	}
	p.line("if set%s > 1 {", goName)
	p.line("return nil, errors.New(%s)", quote(fmt.Sprintf("%s: several members of the oneof %s are set, and one event has one", p.event(), name)))
	p.line("}")
}

// decode prints the whole payload's decoder.
func (p protoProducer) decode() {
	p.line("")
	p.comment("Decode" + p.name + " reads a whole payload, and gives the key of the fact that it tells.")
	p.line("func Decode%s(data []byte) (%s, %sKey, error) {", p.name, p.name, p.name)
	if len(p.proto.fields) == 0 && !p.keysInPayload() { // nothing of the message is kept
		p.line("if _, err := unmarshal%s(data, false); err != nil {", p.name)
		p.line("return %s{}, %sKey{}, err", p.name, p.name)
		p.line("}")
		p.line("return %s{}, %sKey{}, nil", p.name, p.name)
		p.line("}")
		return
	}
	p.unmarshal("data", p.name+"{}, "+p.name+"Key{}", "false")
	p.line("payload := %s{", p.name)
	for _, f := range p.proto.fields {
		switch {
		case inOneof(f.Field):
		case f.time:
			p.line("%s: occurred%s(p.%s),", f.name, p.name, f.GoName)
		default:
			p.line("%s: p.%s,", f.name, f.GoName)
		}
	}
	p.line("}")
	for _, f := range p.proto.fields {
		if inOneof(f.Field) {
			p.member("payload."+f.name, f)
		}
	}
	if !p.keysInPayload() {
		p.line("return payload, %sKey{}, nil", p.name)
	} else {
		var args []string
		for _, k := range p.keys {
			args = append(args, k.spec.access)
		}
		p.line("return payload, New%sKey(%s), nil", p.name, strings.Join(args, ", "))
	}
	p.line("}")
}

// member takes a member of a oneof out of its wrapper.
func (p protoProducer) member(target string, f *protoField) {
	takeMember(p.printer, p.proto.protoFiles, target, "p", f)
}

// unmarshal prints how bytes become the official message p, or an error.
func (p producer) unmarshal(data, zero, discard string) {
	p.line("p, err := unmarshal%s(%s, %s)", p.name, data, discard)
	p.line("if err != nil {")
	p.line("return %s, err", zero)
	p.line("}")
}

// unmarshalFunction prints the one place that knows the encoding and the arm.
func (p protoProducer) unmarshalFunction() {
	p.line("")
	p.comment(fmt.Sprintf("unmarshal%s reads the message. With discard, unknown fields are left out; without, Protobuf keeps them and JSON is refused.", p.name))
	p.line("func unmarshal%s(data []byte, discard bool) (*%s, error) {", p.name, p.official())
	p.line("p := &%s{}", p.official())
	if p.contract.Encoding() == contract.JSON {
		p.line("if err := (protojson.UnmarshalOptions{DiscardUnknown: discard}).Unmarshal(data, p); err != nil {")
	} else {
		p.line("if err := (proto.UnmarshalOptions{DiscardUnknown: discard}).Unmarshal(data, p); err != nil {")
	}
	p.line("return nil, err")
	p.line("}")
	if arm := p.proto.arm; arm != nil {
		p.line("if p.Get%s() == nil {", arm.GoName)
		p.line("return nil, errors.New(%s)", quote(fmt.Sprintf("%s: the envelope does not hold %s", p.event(), arm.Desc.Name())))
		p.line("}")
	}
	p.line("return p, nil")
	p.line("}")
}
