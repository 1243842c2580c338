package contain

import (
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// asserted adds formats and contents as predicates that are only equal to themselves.
func (b *builder) asserted() {
	s := b.s
	if f := jsonschema.Formats[s.Format]; f != nil {
		b.add("format", seal(&node{kind: kOpaque, types: tString, opaque: &opaque{key: "format:" + s.Format, keyword: "format",
			holds: func(v string) truth { return truthOf(f(v)) }, samples: formatSamples[s.Format]}}))
	}
	if s.ContentEncoding != "" || s.ContentMediaType != "" {
		key := "content:" + s.ContentEncoding + " " + s.ContentMediaType
		if s.ContentSchema != nil {
			key += " " + s.Location + b.l.documents()
		}
		b.add("contentEncoding", taint("contentEncoding", key))
	}
}

// taint stands for a keyword that is not modelled: it never disappears.
func taint(keyword, key string) *node {
	return seal(&node{kind: kOpaque, types: tAll, opaque: &opaque{key: key, keyword: keyword}})
}

// formatSamples are strings to try where a format meets something else.
var formatSamples = map[string][]string{
	"date":      {"2024-02-29", "2023-01-31"},
	"time":      {"10:20:30Z", "10:20:30.5+02:00"},
	"date-time": {"2024-02-29T10:20:30Z", "2024-02-29T10:20:30.123+02:00"},
	"duration":  {"P1D", "PT5M"},
	"email":     {"a@example.com"}, "idn-email": {"a@example.com", "ä@example.com"},
	"hostname": {"example.com", "a"}, "idn-hostname": {"example.com"},
	"ipv4": {"192.0.2.1"}, "ipv6": {"2001:db8::1", "::"},
	"uri": {"https://example.com/a", "urn:a"}, "uri-reference": {"/a", "", "https://example.com/a"}, "uriref": {"/a"},
	"iri": {"https://example.com/ä"}, "iri-reference": {"/ä"}, "uri-template": {"/{a}"},
	"uuid":         {"123e4567-e89b-12d3-a456-426614174000"},
	"json-pointer": {"", "/a"}, "relative-json-pointer": {"0", "1/a"}, "regex": {"a", ""},
}
