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
	Why:     "The type is right and the value is not: an enum value that the reader does not know, a number outside its bounds, a text that is too long. Most events pass, and then one does not.",
	Fix:     "Widen the reader first and roll it out; let the writer use the new values when every reader takes them.",
	Example: valueRefusedExample,
}}
