package codegen

import (
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// decode prints the whole payload's decoder.
func (p producer) decode() {
	p.line("")
	p.comment("Decode" + p.name + " reads and validates a whole payload, and gives the key of the fact that it tells.")
	p.line("func Decode%s(data []byte) (%s, %sKey, error) {", p.name, p.name, p.name)
	p.line("var payload %s", p.name)
	p.line("s := event.NewScanner(data)")
	p.line("payload.decode(&s)")
	p.line("if err := s.End(); err != nil {")
	p.line("return %s{}, %sKey{}, err", p.name, p.name)
	p.line("}")
	if !p.keysInPayload() {
		p.line("return payload, %sKey{}, nil", p.name)
		p.line("}")
		return
	}
	var args []string
	for _, k := range p.keys {
		args = append(args, "payload."+k.spec.access)
	}
	p.line("key := New%sKey(%s)", p.name, strings.Join(args, ", "))
	for _, x := range p.hiddenFields() {
		p.line("%s", x)
	}
	p.line("return payload, key, nil")
	p.line("}")
}

// keysInPayload reports whether a payload alone tells its key.
func (p producer) keysInPayload() bool {
	for _, k := range p.keys {
		if !k.spec.inPayload() {
			return false
		}
	}
	return true
}

// hiddenFields empties what a producer doesn't set, so that a payload that was
// decoded equals the one that was published.
func (p producer) hiddenFields() []string {
	var list []string
	for _, k := range p.keys {
		zero := `""`
		if k.typ != "string" {
			zero = "0"
		}
		list = append(list, "payload."+k.spec.access+" = "+zero)
	}
	if id := p.id.eventID; id != nil && id.inPayload() && p.sameAsKey(id) == nil {
		list = append(list, "payload."+id.access+` = ""`)
	}
	return list
}

// identify prints how consumers learn what a message is about.
func (p producer) identify() {
	p.line("")
	p.line("func identify%s(m event.Message) (event.Identity, error) {", p.name)
	switch {
	case p.proto != nil && !p.scanID.anyInPayload():
	case p.proto != nil:
		p.unmarshal("m.Payload", "event.Identity{}", "true")
	case len(p.scanned.fields) > 0:
		p.line("var v %s", p.scanned.name)
		p.line("s := event.NewScanner(m.Payload)")
		p.line("v.decode(&s)")
		p.line("if err := s.End(); err != nil {")
		p.line("return event.Identity{}, err")
		p.line("}")
	}
	var keys []string
	for i := range p.keys {
		keys = append(keys, p.scannedKey(i))
	}
	p.line("return event.Identity{")
	p.line("Key: key%s(%s),", p.name, strings.Join(keys, ", "))
	p.line("Lane: event.Lane{Type: %s, ID: %s},", quote(p.contract.Identity.Aggregate.Type.Value), p.scannedText(p.scanID.lane))
	if p.scanID.version != nil {
		p.line("Version: %s,", p.scannedVersion())
	}
	p.line("Revision: m.Schema[strings.LastIndexByte(m.Schema, '/')+1:],")
	p.scannedTime()
	p.line("}, nil")
	p.line("}")
	p.occurredFunction()
}

func (p producer) scannedKey(i int) string {
	r := p.scanID.keys[i]
	if r.inPayload() {
		return scanned(r)
	}
	return arrived(r.locator)
}

// scanned is the expression of a role's value where a message is identified.
func scanned(r *roleSpec) string {
	if r.message {
		return r.access
	}
	return "v." + r.access
}

func (p producer) scannedText(r *roleSpec) string {
	if !r.inPayload() {
		return arrived(r.locator)
	}
	return asText(scanned(r), r.typ.goType())
}

func (p producer) scannedVersion() string {
	r := p.scanID.version
	switch {
	case r.inPayload() && r.typ.kind == uintKind:
		return scanned(r)
	case r.inPayload():
		return "uint64(max(" + scanned(r) + ", 0))"
	case r.locator.Carrier == contract.InAttribute && r.locator.Name == "aggregateversion":
		return "m.Version"
	}
	return "event.ParseVersion(" + arrived(r.locator) + ")"
}

// scannedTime takes a time that cannot be read for none: where formats are
// asserted, the consumer's decoder refuses it.
func (p producer) scannedTime() {
	switch r := p.scanID.at; {
	case r == nil, r.locator.Carrier == contract.InAttribute && r.locator.Name == "time":
		p.line("Time: m.Time,")
	case r.message && r.typ.kind == timeKind:
		p.line("Time: occurred%s(%s),", p.name, r.access)
	case r.inPayload():
		p.line("Time: occurred%s(%s),", p.name, scanned(r))
	default:
		p.line("Time: occurred%s(%s),", p.name, arrived(r.locator))
	}
}

func (p producer) occurredFunction() {
	r := p.scanID.at
	if r == nil || r.locator.Carrier == contract.InAttribute && r.locator.Name == "time" {
		return
	}
	p.line("")
	if r.message && r.typ.kind == timeKind {
		p.line("func occurred%s(t *timestamppb.Timestamp) time.Time {", p.name)
		p.line("if t == nil {")
		p.line("return time.Time{}")
		p.line("}")
		p.line("return t.AsTime()")
		p.line("}")
		return
	}
	p.line("func occurred%s(text string) time.Time {", p.name)
	p.line("t, _ := event.ParseTime(text) // what tells no time is the zero time")
	p.line("return t")
	p.line("}")
}
