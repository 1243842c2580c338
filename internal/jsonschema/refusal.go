package jsonschema

import (
	"errors"
	"net/url"
	"strings"

	engine "github.com/santhosh-tekuri/jsonschema/v5"

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

// refusal turns the validator's tree of errors into the one that says most.
func (s *Schema) refusal(err error) error {
	var all *engine.ValidationError
	if !errors.As(err, &all) {
		return err
	}
	leaf := deepest(all)
	file, pointer, _ := strings.Cut(leaf.AbsoluteKeywordLocation, "#")
	if decoded, err := url.PathUnescape(pointer); err == nil {
		pointer = decoded
	}
	part, err := url.PathUnescape(leaf.InstanceLocation)
	if err != nil {
		part = leaf.InstanceLocation
	}
	return &Refusal{
		Part:    part,
		Keyword: pointer[strings.LastIndexByte(pointer, '/')+1:],
		Message: plainly(leaf),
		Pos:     s.PosAt(file, pointer),
	}
}

// deepest follows the errors down, as long as there is one way.
func deepest(e *engine.ValidationError) *engine.ValidationError {
	for len(e.Causes) > 0 && (len(e.Causes) == 1 || !isChoice(e)) {
		e = e.Causes[0]
	}
	return e
}

func isChoice(e *engine.ValidationError) bool {
	return strings.HasSuffix(e.KeywordLocation, "/anyOf") || strings.HasSuffix(e.KeywordLocation, "/oneOf")
}

// plainly is the validator's sentence, where it is one.
func plainly(e *engine.ValidationError) string {
	switch e.Message {
	case "anyOf failed", "oneOf failed":
		return "valid for none of the alternatives"
	case "not failed":
		return "excluded by not"
	case "not allowed":
		return "nothing is allowed here"
	}
	return e.Message
}
