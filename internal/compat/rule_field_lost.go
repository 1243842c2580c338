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
	Why:     "The value arrives as an unknown field: the reader takes it for unset, some runtimes for a parse error. In Protobuf binary that also happens to a field that keeps its name and gets another number. A name that comes back with another sort of value (a text where a number was) is taken for another field: then the old one is just no longer sent.",
	Fix:     "Keep number and wire type of a field for as long as anyone reads it.",
	Example: fieldLostExample,
}}
