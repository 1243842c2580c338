package lint

import (
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
)

// played is one field of the payload and the roles that it plays.
type played struct {
	roles []string // as a manifest names them
	at    contract.Role
	field contract.Field
	err   error // the schema has no such field
}

// path is the field as a manifest writes it.
func (f *played) path() string { return f.at.Locator.Value.Path.String() }

// names joins the roles for a message.
func (f *played) names() string { return and(f.roles) }

func (f *played) plays(role string) bool { return slices.Contains(f.roles, role) }

// identityFields lists the payload fields that an event's identity names, each
// once. It is empty where the schema could not be read, and leaves out what
// cannot be told because a reference of the schema leads nowhere.
func identityFields(e *contract.Event) []*played {
	if e.Schema == nil {
		return nil
	}
	return slices.DeleteFunc(namedFields(e), func(f *played) bool {
		return holed(e) && (f.err != nil || f.field.Type == contract.AnyType)
	})
}

// holed reports whether parts of an event's schema cannot be known; a rule of
// its own says why.
func holed(e *contract.Event) bool {
	s, ok := e.Schema.(*jsonschema.Schema)
	if !ok {
		return false
	}
	_, hole := s.Hole()
	return hole
}

func namedFields(e *contract.Event) []*played {
	var fields []*played
	for _, r := range e.Identity.Roles() {
		if !inPayload(r) {
			continue
		}
		if i := slices.IndexFunc(fields, func(f *played) bool { return f.path() == r.Locator.Value.Path.String() }); i >= 0 {
			if !fields[i].plays(r.Name) {
				fields[i].roles = append(fields[i].roles, r.Name)
			}
			continue
		}
		f := &played{roles: []string{r.Name}, at: r}
		f.field, f.err = e.Schema.Field(r.Locator.Value.Path)
		fields = append(fields, f)
	}
	return fields
}

// knownFields is identityFields without those that the schema does not have:
// they have a rule of their own, and nothing else can be said of them.
func (f *facts) knownFields(e *contract.Event) []*played {
	var fields []*played
	for _, p := range f.identityFields(e) {
		if p.err == nil {
			fields = append(fields, p)
		}
	}
	return fields
}

// withRole is the known field that plays a role, nil where there is none.
func (f *facts) withRole(e *contract.Event, role string) *played {
	for _, p := range f.identityFields(e) {
		if p.err == nil && p.plays(role) {
			return p
		}
	}
	return nil
}

// inPayload reports whether a role is filled from the payload, by a path that
// could be read.
func inPayload(r contract.Role) bool {
	l := r.Locator.Value
	return r.Set() && l.Carrier == contract.InPayload && len(l.Path) > 0
}

// and joins words as a sentence does.
func and(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// same reports whether two roles are both filled, from one place.
func same(a, b contract.Locator) bool {
	return a.String() != "" && a.String() == b.String()
}

// typeWords names a field's type as a person does who reads the schema.
func typeWords(f contract.Field) string {
	switch f.Type {
	case contract.AnyType:
		return "no one type"
	case contract.TimestampType:
		return "a timestamp"
	case contract.ObjectType, contract.Int32Type, contract.Int64Type, contract.IntegerType, contract.EnumType:
		return "an " + string(f.Type)
	case contract.BytesType:
		return "bytes"
	}
	return "a " + string(f.Type)
}
