package jsonschema

import (
	"errors"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/source"
)

// Refusal is why a document is no valid event: the part that is refused, and
// the keyword that refuses it.
type Refusal struct {
	Part    string // JSON pointer; "" is the document itself
	Keyword string
	Message string     // the validator's own sentence
	Pos     source.Pos // of the keyword
}

func (r *Refusal) Error() string {
	part := r.Part
	if part == "" {
		part = "the event"
	}
	return part + ": " + r.Message
}

// refusal gives the engine's error its place and plain words.
func (s *Schema) refusal(err error) error {
	var r *contain.Refusal
	if !errors.As(err, &r) {
		return err
	}
	return &Refusal{
		Part:    r.Instance,
		Keyword: r.Keyword,
		Message: plainly(r.Message),
		Pos:     s.PosAt(r.Schema.Document, r.Schema.Pointer),
	}
}

// plain are the validator's sentences that say nothing to a person.
var plain = map[string]string{
	"anyOf failed": "valid for none of the alternatives",
	"oneOf failed": "valid for none of the alternatives",
	"not failed":   "excluded by not",
	"not allowed":  "nothing is allowed here",
}

func plainly(message string) string {
	if said := plain[message]; said != "" {
		return said
	}
	return message
}
