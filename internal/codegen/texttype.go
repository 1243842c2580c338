package codegen

import "strings"

// textTypes are the types of package event that strings of a format have. They
// keep the text, so that a value that is not of its format, which is valid where
// formats are annotations, is kept too.
var textTypes = map[string]string{
	"uuid": "event.UUID", "duration": "event.Duration", "byte": "event.Base64",
	"uri": "event.URI", "uri-reference": "event.URI", "uriref": "event.URI", "iri": "event.URI", "iri-reference": "event.URI",
}

// textType is the type of a string that is of a format, empty where it is string.
func (s *shape) textType() string {
	if s.format == "" && strings.EqualFold(s.encoding, "base64") {
		return textTypes["byte"]
	}
	return textTypes[s.format]
}
