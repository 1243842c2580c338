package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/field-lost.txtar
var fieldLostExample string

var fieldLost = &Rule{Doc: rule.Doc{
	ID: "field-lost", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The reader does not see a field that was sent",
	Why:     "The value arrives as an unknown field: the reader takes it for unset, some runtimes for a parse error.",
	Fix:     "Keep number and wire type of a field for as long as anyone reads it.",
	Example: fieldLostExample,
}}
