package jsonschema

import (
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// kinds is a set of the types that a value may have.
type kinds uint8

const (
	nullKind kinds = 1 << iota
	boolKind
	integerKind
	fractionKind // a number that is no integer
	stringKind
	listKind
	objectKind

	numberKind = integerKind | fractionKind
	everyKind  = nullKind | boolKind | numberKind | stringKind | listKind | objectKind
)

var kindsByName = map[string]kinds{
	"null": nullKind, "boolean": boolKind, "integer": integerKind, "number": numberKind,
	"string": stringKind, "array": listKind, "object": objectKind,
}

// types are the contract's types by kinds; what is not listed is any.
var types = map[kinds]contract.Type{
	nullKind: contract.NullType, boolKind: contract.BoolType,
	integerKind: contract.IntegerType, numberKind: contract.NumberType, fractionKind: contract.NumberType,
	stringKind: contract.StringType, listKind: contract.ListType, objectKind: contract.ObjectType,
}

// kindsOf is what a value of this shape may be. A schema that states no type and
// speaks of properties is taken to mean an object, as its author does, though a
// validator lets a number pass.
func kindsOf(sh shape) kinds {
	if k := stated(sh); k != everyKind {
		return k
	}
	return inferred(sh)
}

// stated is what the keywords type, const and enum leave.
func stated(sh shape) kinds {
	k := everyKind
	for _, r := range sh.all {
		k &= statedBy(r.Node)
	}
	for _, choice := range sh.choices {
		var some kinds
		for _, alt := range choice {
			some |= stated(alt)
		}
		k &= some
	}
	return k
}

func statedBy(n *source.Node) kinds {
	k := everyKind
	if t := n.Get("type"); t != nil {
		k = kindsByName[t.Text]
		for _, item := range t.Items {
			k |= kindsByName[item.Text]
		}
	}
	if values := allowed(n); values != nil {
		var some kinds
		for _, v := range values {
			some |= kindOf(v)
		}
		k &= some
	}
	return k
}

// allowed lists the values of enum or const, nil where there is neither.
func allowed(n *source.Node) []*source.Node {
	if c := n.Get("const"); c != nil {
		return []*source.Node{c}
	}
	if e := n.Get("enum"); e != nil && len(e.Items) > 0 {
		return e.Items
	}
	return nil
}

func kindOf(n *source.Node) kinds {
	switch n.Kind {
	case source.Bool:
		return boolKind
	case source.Number:
		return numberKind
	case source.String:
		return stringKind
	case source.List:
		return listKind
	case source.Map:
		return objectKind
	}
	return nullKind
}

// hints are the keywords that only make sense for one type.
var hints = map[string]kinds{
	"properties": objectKind, "required": objectKind, "additionalProperties": objectKind, "patternProperties": objectKind,
	"items": listKind, "prefixItems": listKind,
}

func inferred(sh shape) kinds {
	for _, r := range sh.all {
		for _, m := range r.Node.Members {
			if k := hints[m.Key]; k != 0 {
				return k
			}
		}
	}
	for _, choice := range sh.choices {
		var some kinds
		for _, alt := range choice {
			some |= kindsOf(alt)
		}
		if some != everyKind {
			return some
		}
	}
	return everyKind
}

// typeOf names the type of a value of this shape. null beside another type only
// means that it may be missing.
func (x *shaper) typeOf(sh shape) contract.Type {
	k := kindsOf(sh)
	if k != nullKind {
		k &^= nullKind
	}
	t, ok := types[k]
	switch {
	case !ok:
		return contract.AnyType
	case k == stringKind && values(sh) != nil:
		return contract.EnumType
	case k == stringKind && stringOf(sh, "format") == "date-time":
		return contract.TimestampType
	case k == objectKind && x.isMap(sh):
		return contract.MapType
	}
	return t
}

// isMap reports whether an object has values by arbitrary names, and no fields.
func (x *shaper) isMap(sh shape) bool {
	steps := x.steps(sh)
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s contract.Step) bool { return s.Kind == contract.FieldStep })
}

// values lists the strings of an enumeration: those of a schema that all events
// satisfy, or those of all alternatives together.
func values(sh shape) []string {
	for _, r := range sh.all {
		if nodes := allowed(r.Node); nodes != nil {
			return texts(nodes)
		}
	}
	for _, choice := range sh.choices {
		if list := valuesOfAll(choice); list != nil {
			return list
		}
	}
	return nil
}

func valuesOfAll(choice []shape) []string {
	var list []string
	for _, alt := range choice {
		these := values(alt)
		switch {
		case these == nil && kindsOf(alt) == nullKind:
		case these == nil:
			return nil
		}
		for _, v := range these {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

func texts(nodes []*source.Node) []string {
	var list []string
	for _, n := range nodes {
		if n.Kind == source.String {
			list = append(list, n.Text)
		}
	}
	return list
}

// stringOf is the text of a keyword that a shape states, "" where it doesn't; of
// several the first counts, and alternatives count where they agree.
func stringOf(sh shape, name string) string {
	for _, r := range sh.all {
		if s := text(r.Node.Get(name)); s != "" {
			return s
		}
	}
	for _, choice := range sh.choices {
		if s := agreed(choice, name); s != "" {
			return s
		}
	}
	return ""
}

func agreed(choice []shape, name string) string {
	said := ""
	for _, alt := range choice {
		s := stringOf(alt, name)
		switch {
		case kindsOf(alt) == nullKind:
			continue
		case s == "" || said != "" && s != said:
			return ""
		}
		said = s
	}
	return said
}
