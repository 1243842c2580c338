package codegen

import (
	"fmt"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
)

// draft prints the function that makes an event without writing it.
func (p producer) draft() {
	p.line("")
	p.comment(fmt.Sprintf("Draft%s makes the event without writing it, for tx.Append with others.", p.name))
	p.line("func Draft%s(key %sKey, payload %s) (event.Draft, error) {", p.name, p.name, p.name)
	p.line("if key.key.IsZero() {")
	p.line("return event.Draft{}, fmt.Errorf(\"%s: %%w\", event.ErrZeroKey)", p.event())
	p.line("}")
	p.fill()
	if p.root.alters {
		p.line("data := event.Encode(func(b []byte) []byte { return payload.append(b, true) })")
	} else {
		p.line("data := event.Encode(payload.append)")
	}
	p.line("s := event.NewScanner(data)")
	p.line("new(%s).decode(&s)", p.name)
	p.line("if err := s.End(); err != nil {")
	p.line("return event.Draft{}, fmt.Errorf(\"%s: %%w\", err)", p.event())
	p.line("}")
	p.checkVersion()
	p.line("return event.Draft{")
	p.attributes()
	p.body()
	p.line("}, nil")
	p.line("}")
}

// body prints the digest of what one key must always say.
func (p producer) body() {
	if p.root.alters {
		p.line("Body: sha256.Sum256(payload.append(make([]byte, 0, len(data)), false)),")
	} else {
		p.line("Body: sha256.Sum256(data),")
	}
}

// fill puts into the payload what user code may not, or need not.
func (p producer) fill() {
	p.line("id := event.NewID(%s, key.key)", quote(p.event()))
	if id := p.id.eventID; id != nil && id.inPayload() {
		p.line("payload.%s = id.String()", id.access)
	}
	for _, k := range p.keys {
		if k.spec.inPayload() {
			p.line("payload.%s = key.%s", k.spec.access, k.name)
		}
	}
	if at := p.id.at; at != nil && (at.typ == nil || at.typ.kind == timeKind) {
		p.line("if payload.%s.IsZero() {", at.access)
		p.line("payload.%s = time.Now().UTC()", at.access)
		p.line("}")
		if at.typ != nil && !at.typ.shape.assert { // a decoder that asserts formats refuses it
			p.line("if year := payload.%s.Year(); year < 0 || year > 9999 {", at.access)
			p.line("return event.Draft{}, fmt.Errorf(\"%s: %s: no date and time is written with the year %%d\", year)", p.event(), at.locator)
			p.line("}")
		}
	}
}

// checkVersion refuses a version that no aggregate has, unless the schema does.
func (p producer) checkVersion() {
	v := p.id.version
	if v == nil || v.typ != nil && v.typ.shape.low != "" && v.typ.shape.low != "0" && v.typ.shape.low[0] != '-' {
		return
	}
	p.line("if %s < 1 {", valueOf(v))
	p.line("return event.Draft{}, fmt.Errorf(\"%s: the aggregate's version is %%d: the first is 1\", %s)", p.event(), valueOf(v))
	p.line("}")
}

// attributes prints the draft's fields.
func (p producer) attributes() {
	e := p.contract
	p.line("Event: %s,", quote(p.event()))
	p.line("Revision: %s,", quote(e.Revision()))
	p.line("Source: %s,", quote(e.Producer.Value))
	p.line("Topic: %s,", quote(e.Channel.Topic.Value))
	p.line("ID: id,")
	p.line("Key: key.key,")
	p.line("Lane: event.Lane{Type: %s, ID: %s},", quote(e.Identity.Aggregate.Type.Value), p.text(p.id.lane))
	switch v := p.id.version; {
	case v == nil:
	case v.typ != nil && v.typ.kind == intKind:
		p.line("Version: uint64(%s),", valueOf(v))
	default:
		p.line("Version: %s,", valueOf(v))
	}
	partition := p.id.part
	if partition == nil {
		partition = p.id.lane
	}
	p.line("PartitionKey: %s,", p.text(partition))
	p.occurred()
	p.line("ContentType: \"application/%s\",", e.Encoding())
	p.headers()
	p.line("Payload: data,")
}

// valueOf is the expression of a role's value, of the payload or of its message.
func valueOf(r *roleSpec) string {
	if r.message {
		return r.access
	}
	return "payload." + r.access
}

func (p producer) occurred() {
	at := p.id.at
	switch {
	case at == nil:
	case at.typ != nil && at.typ.kind == goString:
		p.line("Time: occurred%s(%s),", p.name, valueOf(at))
	case at.message:
		p.line("Time: occurred%s(%s),", p.name, at.access)
	default:
		p.line("Time: payload.%s,", at.access)
	}
}

// text is the expression of a role's value as a string: from the key where the
// key holds it, else from the payload.
func (p producer) text(r *roleSpec) string {
	if k := p.sameAsKey(r); k != nil {
		for _, f := range p.keys {
			if f.spec == k {
				return asText("key."+f.name, f.typ)
			}
		}
	}
	if r.access == "" && p.id.lane != nil && r.locator.String() == p.id.lane.locator.String() {
		r = p.id.lane
	}
	if r.typ != nil {
		return asText(valueOf(r), r.typ.goType())
	}
	return valueOf(r)
}

// headers carries the roles that travel in transport headers. Attributes of
// CloudEvents are filled from the draft itself; extensions that the draft has
// no field for travel beside the headers.
func (p producer) headers() {
	var list []string
	seen := map[string]bool{}
	for _, r := range p.id.all() {
		name := headerName(r.locator)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		list = append(list, quote(name)+": "+p.headerText(r))
	}
	if list != nil {
		p.line("Headers: map[string]string{%s},", strings.Join(list, ", "))
	}
}

func (p producer) headerText(r *roleSpec) string {
	switch {
	case r.role == eventIDRole:
		return "id.String()"
	case p.sameAsKey(r) != nil:
		return p.text(r)
	case r.role == versionRole:
		return asText("payload."+r.access, "uint64")
	case r.role == timeRole:
		return "payload." + r.access + ".Format(time.RFC3339Nano)"
	}
	return p.text(r)
}

// attributeFields are the CloudEvents attributes that a message has a field
// for.
var attributeFields = map[string]string{
	"id": "ID", "source": "Source", "type": "Type", "subject": "Subject", "partitionkey": "PartitionKey",
}

// headerName is the header in which a role travels, "" where it needs none.
func headerName(l contract.Locator) string {
	switch l.Carrier {
	case contract.InHeader:
		return l.Name
	case contract.InAttribute:
		if attributeFields[l.Name] == "" && l.Name != "time" && l.Name != "aggregateversion" {
			return "ce_" + l.Name
		}
	}
	return ""
}

// arrived is the expression of a role's value in a message, as a string.
func arrived(l contract.Locator) string {
	if field := attributeFields[l.Name]; l.Carrier == contract.InAttribute && field != "" {
		return "m." + field
	}
	return "m.Headers[" + quote(headerName(l)) + "]"
}
