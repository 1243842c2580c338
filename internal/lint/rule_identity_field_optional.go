package lint

import (
	_ "embed"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/protobuf"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/identity-field-optional.txtar
var identityFieldOptionalExample string

var identityFieldOptional = &Rule{rule.Doc{
	ID: "identity-field-optional", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The identity rests on a field that may be missing",
	Why:     "The schema lets an event pass without the field. Such an event has no key, no lane or no version: it is handled twice, out of order, or not at all.",
	Fix:     "Make the field required in the schema, and every object on the way to it.",
	Example: identityFieldOptionalExample,
}, checkIdentityFieldOptional}

// roleNeeds says what happens to an event in which a role is empty.
var roleNeeds = map[string]string{
	"event_id":          "an event without it cannot be told from another",
	"aggregate.id":      "an event without it belongs to no lane and keeps no order",
	"aggregate.version": "an event without it cannot be told from an older state",
	"idempotency_key":   "an event without it has no key, and its effect happens twice",
	"partition_key":     "an event without it lands anywhere, and order is lost",
	"occurred_at":       "nobody knows when an event without it happened",
}

func checkIdentityFieldOptional(p *Pass) {
	for _, e := range p.declared() {
		for _, f := range p.knownFields(e) {
			if mayBeMissing(e, f.field) && !manyValues(f.field.Path) {
				p.field(e, f.path(), f.at.Locator.Pos, "%s takes its %s from %s, which its schema lets be missing or null: %s", subject(e), f.names(), f.path(), roleNeeds[f.roles[0]])
			}
		}
	}
}

// mayBeMissing reports whether an author chose that an event may come without a
// field. Protobuf cannot demand a message, a Timestamp say, so there only
// optional and a oneof are such a choice.
func mayBeMissing(e *contract.Event, f contract.Field) bool {
	s, ok := e.Schema.(*protobuf.Schema)
	if !ok {
		return !f.Required
	}
	m := s.Descriptor()
	for i, step := range f.Path {
		field := m.Fields().ByName(protoreflect.Name(step.Name))
		if field == nil {
			return !f.Required
		}
		oneof := field.ContainingOneof()
		switch {
		case oneof != nil && !oneof.IsSynthetic() && field != s.Arm():
			return true
		case i == len(f.Path)-1 || field.Message() == nil:
			return oneof != nil && oneof.IsSynthetic()
		}
		m = field.Message()
	}
	return false
}
