package jsonschema

import "testing"

func TestSends(t *testing.T) {
	s := load(t, `{`+latest+`, "type": "object", "properties": {
		"a": {"type": "string"}, "gone": false,
		"closed": {"type": "object", "properties": {"x": {}}, "additionalProperties": false},
		"map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {}}}},
		"list": {"type": "array"}, "anything": {}}}`)
	for _, tt := range []struct {
		path         string
		closed, open bool
	}{
		{"a", true, true},
		{"b", false, true},
		{"gone", false, false},
		{"closed.x", true, true},
		{"closed.y", false, false},
		{"closed{}", true, true},
		{"map.any.x", true, true},
		{"map.any.y", false, true},
		{"map{}.x", true, true},
		{"list[]", true, true},
		{"list[0]", true, true},
		{"anything.x", false, true},
	} {
		if got := s.Sends(way(t, tt.path), true); got != tt.closed {
			t.Errorf("%s: a closed writer sends it: %v", tt.path, got)
		}
		if got := s.Sends(way(t, tt.path), false); got != tt.open {
			t.Errorf("%s: an open writer sends it: %v", tt.path, got)
		}
	}
}
