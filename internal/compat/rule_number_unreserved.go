package compat

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/number-unreserved.txtar
var numberUnreservedExample string

var numberUnreserved = &Rule{Doc: rule.Doc{
	ID: "number-unreserved", Kind: rule.Contract, Severity: rule.Warning,
	Title:   "What was removed may be used again by mistake",
	Why:     "Events with the old field, or the old value, are still read for a while. Where its number, or in JSON its name, is given to another one later, they are taken for that, and a check sees it only as long as it compares with a release that had it.",
	Fix:     "Reserve the number and the name where they were removed.",
	Example: numberUnreservedExample,
}, moved: numbersUnreserved, bare: true}

// numbersUnreserved finds fields and enum values that went, wherever the event
// reaches both sides' messages by the same numbers.
func numbersUnreserved(p pair) []move {
	next, ok := p.new.Schema.(*protobuf.Schema)
	prev, ok2 := p.old.Schema.(*protobuf.Schema)
	if !ok || !ok2 {
		return nil
	}
	u := unreserved{next: next, prev: prev, seen: map[[2]protoreflect.Descriptor]bool{}}
	u.messages(prev.Descriptor(), next.Descriptor(), nil)
	return u.found
}

type unreserved struct {
	next, prev *protobuf.Schema
	seen       map[[2]protoreflect.Descriptor]bool
	found      []move
}

// enter reports whether a pair of types is new, and not one type.
func (u *unreserved) enter(old, now protoreflect.Descriptor) bool {
	key := [2]protoreflect.Descriptor{old, now}
	if old == now || u.seen[key] {
		return false
	}
	u.seen[key] = true
	return true
}

func (u *unreserved) messages(old, now protoreflect.MessageDescriptor, path contract.Path) {
	if !u.enter(old, now) {
		return
	}
	for i := range old.Fields().Len() {
		f := old.Fields().Get(i)
		if otherArm(u.prev, f) {
			continue
		}
		at := path.Field(fieldName(f))
		kept := now.Fields().ByNumber(f.Number())
		if kept == nil {
			u.field(f, now, at)
			continue
		}
		u.types(f, kept, at)
	}
}

// types goes into what two fields of one number hold.
func (u *unreserved) types(old, now protoreflect.FieldDescriptor, path contract.Path) {
	inside := fieldPair{writer: old}.inside(path)
	if old.IsMap() && now.IsMap() {
		old, now = old.MapValue(), now.MapValue()
	}
	switch {
	case old.Message() != nil && now.Message() != nil:
		u.messages(old.Message(), now.Message(), inside)
	case old.Enum() != nil && now.Enum() != nil:
		u.enums(old.Enum(), now.Enum(), inside)
	}
}

// field tells a field that went. What became an extension was not removed.
func (u *unreserved) field(f protoreflect.FieldDescriptor, now protoreflect.MessageDescriptor, path contract.Path) {
	if now.ExtensionRanges().Has(f.Number()) {
		return
	}
	open := missing(int(f.Number()), f.Name(), now.ReservedRanges().Has(f.Number()), now.Fields().ByName(f.Name()) != nil || now.ReservedNames().Has(f.Name()), now)
	u.tell(f, now, path, path.String(), "another field", open)
}

func (u *unreserved) enums(old, now protoreflect.EnumDescriptor, path contract.Path) {
	if !u.enter(old, now) {
		return
	}
	told := map[protoreflect.EnumNumber]bool{}
	for i := range old.Values().Len() {
		v := old.Values().Get(i)
		if now.Values().ByNumber(v.Number()) != nil || told[v.Number()] {
			continue
		}
		told[v.Number()] = true
		open := missing(int(v.Number()), v.Name(), now.ReservedRanges().Has(v.Number()), now.Values().ByName(v.Name()) != nil || now.ReservedNames().Has(v.Name()), now)
		u.tell(v, now, path, string(v.Name()), "another value", open)
	}
}

// unkept is what is not reserved of something that went, and what would.
type unkept struct {
	what       string // "number and name"
	statements []string
}

func missing(number int, name protoreflect.Name, numberKept, nameKept bool, in protoreflect.Descriptor) unkept {
	var what, statements []string
	if !numberKept {
		what, statements = append(what, "number"), append(statements, "reserved "+strconv.Itoa(number)+";")
	}
	if !nameKept {
		quoted := strconv.Quote(string(name))
		if in.ParentFile().Syntax() == protoreflect.Editions {
			quoted = string(name)
		}
		what, statements = append(what, "name"), append(statements, "reserved "+quoted+";")
	}
	return unkept{strings.Join(what, " and "), statements}
}

// tell enters what went and is not reserved.
func (u *unreserved) tell(went, now protoreflect.Descriptor, path contract.Path, name, another string, open unkept) {
	if open.what == "" {
		return
	}
	u.found = append(u.found, move{
		direction: rule.Forward, path: path.String(),
		message: fmt.Sprintf("%s was removed, and nothing keeps its %s from being used for %s: write %s into %s",
			name, open.what, another, strings.Join(open.statements, " "), now.Name()),
		new: u.next.PosOf(now), old: u.prev.PosOf(went),
		about: slices.Concat([]string{string(went.Name())}, open.statements),
	})
}
