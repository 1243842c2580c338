package compat

import (
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/evcontract/evcontract/internal/contract"
)

// observer compares what was sent with what was read, value by value.
type observer struct {
	*protoReader
	out *outcome
}

func (o *observer) refuse(format string, args ...any) {
	if o.out.refused == "" {
		o.out.refused = fmt.Sprintf(format, args...)
	}
}

func (o *observer) note(kind diffKind, p contract.Path, sent, seen string) {
	o.out.diffs = append(o.out.diffs, diff{kind, p, sent, seen})
}

// messages looks for every value of a sent message in the one that was read.
func (o *observer) messages(p contract.Path, sent, seen protoreflect.Message, fields *fieldSet) {
	for _, f := range populated(sent) {
		at := p.Field(fieldName(f))
		r := o.counterpart(seen.Descriptor(), f)
		if r == nil {
			o.stray(at, sent, f, seen)
			continue
		}
		if sub, read := fields.in(r); read {
			o.field(at, f, sent.Get(f), r, seen, sub)
		}
	}
}

// counterpart is the reader's field that takes what arrives in a field.
func (o *observer) counterpart(m protoreflect.MessageDescriptor, f protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if o.wire == binaryWire {
		return o.numbered(m, f.Number())
	}
	if f.IsExtension() {
		x, err := o.reader.Types().FindExtensionByName(f.FullName())
		if err != nil || x.TypeDescriptor().ContainingMessage().FullName() != m.FullName() {
			return nil
		}
		return x.TypeDescriptor()
	}
	if r := m.Fields().ByJSONName(f.JSONName()); r != nil {
		return r
	}
	return m.Fields().ByTextName(f.JSONName())
}

// numbered is the field, or the extension, of a number.
func (o *observer) numbered(m protoreflect.MessageDescriptor, n protoreflect.FieldNumber) protoreflect.FieldDescriptor {
	if r := m.Fields().ByNumber(n); r != nil {
		return r
	}
	if x, err := o.reader.Types().FindExtensionByNumber(m.FullName(), n); err == nil {
		return x.TypeDescriptor()
	}
	return nil
}

// stray is a value for which the reader has no field. It is lost where the
// reader has the field and gets nothing in it: in JSON the number tells, since
// the name was changed, in binary the name, since the number was.
func (o *observer) stray(p contract.Path, sent protoreflect.Message, f protoreflect.FieldDescriptor, seen protoreflect.Message) {
	if o.as.UnknownFields == contract.Reject && o.wire == jsonWire {
		o.refuse("unknown field %s", p)
		return
	}
	r := o.moved(f, seen.Descriptor())
	if r == nil || o.fed(sent.Descriptor(), r) {
		return
	}
	if o.wire == binaryWire {
		o.note(lost, p, showValue(f, sent.Get(f)), "nothing: it has that as number "+strconv.Itoa(int(r.Number())))
		return
	}
	o.note(lost, p, showValue(f, sent.Get(f)), "nothing: it is not called "+r.JSONName())
}

// moved is the reader's field that a stray one is.
func (o *observer) moved(f protoreflect.FieldDescriptor, m protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	switch {
	case o.wire == jsonWire:
		return o.numbered(m, f.Number())
	case f.IsExtension():
		x, err := o.reader.Types().FindExtensionByName(f.FullName())
		if err != nil || x.TypeDescriptor().ContainingMessage().FullName() != m.FullName() {
			return nil
		}
		return x.TypeDescriptor()
	}
	if r := m.Fields().ByName(f.Name()); r != nil && sortOf(r) == sortOf(f) {
		return r
	}
	return nil
}

// fed reports whether any field of the writer arrives in this one of the reader.
func (o *observer) fed(writer protoreflect.MessageDescriptor, r protoreflect.FieldDescriptor) bool {
	return slices.ContainsFunc(fieldsOf(o.writer, writer), func(f protoreflect.FieldDescriptor) bool {
		to := o.counterpart(r.ContainingMessage(), f)
		return to != nil && to.FullName() == r.FullName()
	})
}

// field compares what one field sent with what another one got.
func (o *observer) field(p contract.Path, f protoreflect.FieldDescriptor, sent protoreflect.Value, r protoreflect.FieldDescriptor, in protoreflect.Message, fields *fieldSet) {
	if o.anything(r) && (!isNull(f) || takesNull(f, r)) {
		return
	}
	seen := in.Get(r)
	if o.wire == jsonWire && r.IsMap() && f.Message() != nil && !f.IsMap() && !f.IsList() && len(populated(sent.Message())) == 0 {
		return // an object with nothing in it
	}
	if inner := structOf(f); r.IsMap() && inner != nil && o.wire == jsonWire {
		f, sent = inner, sent.Message().Get(inner)
	}
	switch {
	case f.IsMap() && r.IsMap():
		o.maps(p.Then(contract.Step{Kind: contract.ValueStep}), f, sent.Map(), r, seen.Map(), fields)
	case f.IsMap() && o.wire == jsonWire || r.IsMap() && o.wire == jsonWire:
		if o.as.UnknownFields == contract.Reject && !r.IsMap() {
			o.refuse("unknown fields in %s", p)
		}
		o.note(mapDiff(in, r), p, showValue(f, sent), showValue(r, seen))
	default:
		o.items(p, f, items(f, sent), r, in, fields)
	}
}

func mapDiff(in protoreflect.Message, r protoreflect.FieldDescriptor) diffKind {
	if !in.Has(r) || r.Message() != nil && !r.IsMap() && !r.IsList() && len(populated(in.Get(r).Message())) == 0 {
		return lost
	}
	return changed
}

// structOf is the map within a Struct, which is all that JSON shows of it.
func structOf(f protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if f.IsList() || f.Message() == nil || f.Message().FullName() != "google.protobuf.Struct" {
		return nil
	}
	return f.Message().Fields().ByNumber(1)
}

// anything reports whether a field stands for any JSON: what was read then is
// what was sent.
func (o *observer) anything(r protoreflect.FieldDescriptor) bool {
	if o.wire == binaryWire || r.Message() == nil {
		return false
	}
	switch r.Message().FullName() {
	case "google.protobuf.Value", "google.protobuf.Struct", "google.protobuf.ListValue":
		return true
	}
	return false
}

// items lists the values of a field; a map's are its entries, as messages.
func items(f protoreflect.FieldDescriptor, v protoreflect.Value) []protoreflect.Value {
	var all []protoreflect.Value
	switch {
	case f.IsMap():
		for _, k := range mapKeys(v.Map()) {
			entry := dynamicpb.NewMessage(f.Message())
			entry.Set(f.MapKey(), k.Value())
			entry.Set(f.MapValue(), v.Map().Get(k))
			all = append(all, protoreflect.ValueOfMessage(entry))
		}
	case f.IsList():
		for i := range v.List().Len() {
			all = append(all, v.List().Get(i))
		}
	default:
		all = append(all, v)
	}
	return all
}

// items compares the values of two fields, of which at most one is a map.
func (o *observer) items(p contract.Path, f protoreflect.FieldDescriptor, sent []protoreflect.Value, r protoreflect.FieldDescriptor, in protoreflect.Message, fields *fieldSet) {
	if f.IsList() || f.IsMap() {
		p = p.Then(contract.Step{Kind: contract.ElementStep})
		if f.IsMap() {
			p[len(p)-1].Kind = contract.ValueStep
		}
	}
	if o.wire == jsonWire && r.Enum() != nil {
		sent = o.knownNames(p, f, sent, r)
	}
	if !in.Has(r) {
		o.nothing(p, f, sent, r, in)
		return
	}
	seen := items(r, in.Get(r))
	switch {
	case r.IsMap():
		o.anyOrder(p, f, sent, r, seen, fields)
	case len(sent) == len(seen):
		for i := range sent {
			o.value(p, f, sent[i], r, seen[i], fields)
		}
	case len(sent) > len(seen):
		o.note(o.fewer(f, r, sent), p, fmt.Sprintf("%d elements", len(sent)), fmt.Sprintf("%d: %s", len(seen), showValue(r, in.Get(r))))
	default:
		o.note(changed, p, fmt.Sprintf("%d elements", len(sent)), fmt.Sprintf("%d: %s", len(seen), showValue(r, in.Get(r))))
	}
}

// nothing compares what was sent with an empty field: where absence cannot be
// told from the zero value, that is what the reader sees.
func (o *observer) nothing(p contract.Path, f protoreflect.FieldDescriptor, sent []protoreflect.Value, r protoreflect.FieldDescriptor, in protoreflect.Message) {
	if len(sent) == 0 {
		return
	}
	last := sent[len(sent)-1]
	if r.HasPresence() || r.IsList() || r.IsMap() {
		o.note(o.unseen(f, r, last), p, showValue(f, last), "nothing")
		return
	}
	trial := observer{o.protoReader, &outcome{}}
	trial.value(p, f, last, r, in.Get(r), nil)
	if len(trial.out.diffs) == 0 && len(sent) == 1 {
		return
	}
	o.note(o.unseen(f, r, last), p, showValue(f, last), showValue(r, in.Get(r)))
	o.note(changed, p, showValue(f, last), showValue(r, in.Get(r)))
}

// unseen says how a value is not seen: a closed enum's reader that ignores what
// it doesn't know has what it asked for.
func (o *observer) unseen(f, r protoreflect.FieldDescriptor, sent protoreflect.Value) diffKind {
	if o.wire == binaryWire && r.IsMap() && f.Message() != nil { // it was read as an entry, and that is put aside with its value
		if value := f.Message().Fields().ByNumber(2); value != nil && !value.IsList() && sent.Message().Has(value) {
			return o.unseen(value, r.MapValue(), sent.Message().Get(value))
		}
		return lost
	}
	travels := o.wire == binaryWire && wireTypes[f.Kind()] == varintWire && (!f.IsPacked() || packable(r)) || o.wire == jsonWire && jsonFormOf(f) == intForm
	if r.Enum() != nil && r.Enum().IsClosed() && o.as.UnknownEnums == contract.Ignore && travels {
		f, sent := unboxed(f, sent)
		if n, ok := integerOf(f, sent); ok && r.Enum().Values().ByNumber(protoreflect.EnumNumber(n.Int64())) == nil {
			return unnamed
		}
	}
	return lost
}

func (o *observer) fewer(f, r protoreflect.FieldDescriptor, sent []protoreflect.Value) diffKind {
	for _, v := range sent {
		if o.unseen(f, r, v) == unnamed {
			return unnamed
		}
	}
	return lost
}

// anyOrder compares values with the entries of a map, which have no order.
func (o *observer) anyOrder(p contract.Path, f protoreflect.FieldDescriptor, sent []protoreflect.Value, r protoreflect.FieldDescriptor, seen []protoreflect.Value, fields *fieldSet) {
	for _, v := range sent {
		found, nearest, least := -1, 0, 0
		for i, s := range seen {
			trial := observer{o.protoReader, &outcome{}}
			trial.value(p, f, v, r, s, fields)
			if len(trial.out.diffs) == 0 && trial.out.refused == "" {
				found = i
				break
			}
			if i == 0 || len(trial.out.diffs) < least {
				nearest, least = i, len(trial.out.diffs)
			}
		}
		switch {
		case found >= 0:
			seen = append(seen[:found:found], seen[found+1:]...)
		case len(seen) > 0 && len(sent) == len(seen):
			o.value(p, f, v, r, seen[nearest], fields)
		default:
			o.note(o.unseen(f, r, v), p, showValue(f, v), "no such entry")
		}
	}
}

// maps compares two maps key by key.
func (o *observer) maps(p contract.Path, f protoreflect.FieldDescriptor, sent protoreflect.Map, r protoreflect.FieldDescriptor, seen protoreflect.Map, fields *fieldSet) {
	for _, k := range mapKeys(sent) {
		v := sent.Get(k)
		if o.wire == jsonWire && r.MapValue().Enum() != nil &&
			len(o.knownNames(p, f.MapValue(), []protoreflect.Value{v}, r.MapValue())) == 0 {
			continue
		}
		at := o.sameKey(f.MapKey(), k, r.MapKey(), seen)
		switch {
		case at.IsValid():
			o.value(p, f.MapValue(), v, r.MapValue(), seen.Get(at), fields)
		case seen.Len() == 0 || o.unseen(f.MapValue(), r.MapValue(), v) == unnamed:
			o.note(o.unseen(f.MapValue(), r.MapValue(), v), p, showValue(f.MapKey(), k.Value()), "no entry")
		case seen.Len() < sent.Len():
			o.note(lost, p, showValue(f.MapKey(), k.Value()), "no such key")
			o.note(changed, p, showValue(f.MapKey(), k.Value()), "the key "+mapKeys(seen)[0].String())
		default:
			o.note(changed, p, "the key "+k.String(), "the key "+fmt.Sprintf("%q", mapKeys(seen)[0].String()))
			if sent.Len() == 1 && seen.Len() == 1 { // then the one is the other
				o.value(p, f.MapValue(), v, r.MapValue(), seen.Get(mapKeys(seen)[0]), fields)
			}
		}
	}
}

// sameKey finds the key that equals one that was sent.
func (o *observer) sameKey(f protoreflect.FieldDescriptor, sent protoreflect.MapKey, r protoreflect.FieldDescriptor, seen protoreflect.Map) protoreflect.MapKey {
	for _, k := range mapKeys(seen) {
		if o.wire == jsonWire && sent.String() == k.String() || o.equal(f, sent.Value(), r, k.Value()) {
			return k
		}
	}
	return protoreflect.MapKey{}
}
