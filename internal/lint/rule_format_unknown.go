package lint

import (
	_ "embed"
	"slices"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/format-unknown.txtar
var formatUnknownExample string

var formatUnknown = &Rule{rule.Doc{
	ID: "format-unknown", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A format is one that validators do not know",
	Why:     "What validators do not know they pass over: the value is any string, whatever the author meant.",
	Fix:     "Correct the name, or say it with pattern.",
	Example: formatUnknownExample,
}, checkFormatUnknown}

// formats are those of JSON Schema and of OpenAPI.
var formats = []string{
	"date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6",
	"uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
	"color", "phone", "style", "ip-address", "host-name", "utc-millisec",
	"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "decimal", "decimal128", "double-int",
	"byte", "binary", "base64url", "char", "password", "html", "commonmark", "media-range", "sf-string", "sf-token", "unixtime",
}

func checkFormatUnknown(p *Pass) {
	for e, s := range jsonSchemas(p) {
		for _, r := range p.subschemas(s) {
			n := r.Node.Get("format")
			if n == nil || n.Kind != source.String || slices.Contains(formats, n.Text) {
				continue
			}
			hint := ""
			if near := source.Suggest(n.Text, formats); near != "" {
				hint = ": did you mean " + near + "?"
			}
			p.schema(e, p.pathOf(e, s, r), n.Pos, "format %q is known to no validator, and any string passes%s", n.Text, hint).about(r.Pointer)
		}
	}
}
