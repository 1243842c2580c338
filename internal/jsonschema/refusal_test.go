package jsonschema

import (
	"errors"
	"testing"
)

func TestRefusal(t *testing.T) {
	s := load(t, `{`+latest+`, "type": "object", "required": ["id"], "properties": {
 "id": {"type": "string"},
 "a b~/": {"$ref": "#/$defs/Small"},
 "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
 "no": false
}, "$defs": {
 "Small": {"maximum": 9}}}`)
	for _, tt := range []struct{ document, want, at string }{
		{`{}`, "the event: missing properties: 'id'", "schema.json:1:79"},
		{`{"id": 1}`, "/id: expected string, but got number", "schema.json:2:9"},
		{`{"id": "a", "a b~/": 10}`, "/a b~0~1: must be <= 9 but found 10", "schema.json:7:12"},
		{`{"id": "a", "either": true}`, "/either: valid for none of the alternatives", "schema.json:4:13"},
		{`{"id": "a", "no": 1}`, "/no: nothing is allowed here", "schema.json:5:2"},
	} {
		err := s.Validate([]byte(tt.document))
		var refused *Refusal
		if !errors.As(err, &refused) || err.Error() != tt.want || refused.Pos.String() != tt.at {
			t.Errorf("%s: %v at %s, want %s at %s", tt.document, err, refused.Pos, tt.want, tt.at)
		}
	}
	if err := s.Validate([]byte(`{"id": `)); err == nil {
		t.Error("half a document is valid")
	}
}
