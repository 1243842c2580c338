package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/encoding-mismatch.txtar
var encodingMismatchExample string

var encodingMismatch = &Rule{rule.Doc{
	ID: "encoding-mismatch", Kind: rule.Lint, Severity: rule.Error,
	Title:   "The channel's encoding cannot carry the schema",
	Why:     "A JSON Schema says nothing about Protobuf binary: what travels has no contract, and every reader decodes by guessing.",
	Fix:     "Write encoding: json, or name a .proto message as the schema.",
	Example: encodingMismatchExample,
}, checkEncodingMismatch}

func checkEncodingMismatch(p *Pass) {
	for _, e := range p.declared() {
		if e.Schema != nil && e.Schema.Format() == contract.JSONSchemaFormat && e.Channel.Encoding.Value == contract.Protobuf {
			p.event(e, e.Channel.Encoding.Pos, "%s travels as protobuf and is described by a JSON Schema, which cannot describe that: readers must guess what the bytes mean", subject(e))
		}
	}
}
