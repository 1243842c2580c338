package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/value-refused.txtar
var valueRefusedExample string

var valueRefused = &Rule{Doc: rule.Doc{
	ID: "value-refused", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The writer may send a value that the reader refuses",
	Why:     "The type is right and the value is not: an enum value that the reader does not know, a number outside its bounds, a text that is too long. Most events pass, and then one does not. In Protobuf, rules of protovalidate on the writer's fields narrow what it may send, those of integers in lists and maps too; rules on the reader's are not judged: who decodes an event does not validate it, and a consumer that does refuses more than its schema tells.",
	Fix:     "Widen the reader first and roll it out; let the writer use the new values when every reader takes them.",
	Example: valueRefusedExample,
}}
