package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/field-unsent.txtar
var fieldUnsentExample string

var fieldUnsent = &Rule{Doc: rule.Doc{
	ID: "field-unsent", Kind: rule.Payload, Severity: rule.Warning,
	Title:   "The writer no longer sends a field that the reader reads",
	Why:     "The event is readable, and what the consumer waits for is never there. It is an error for a consumer that declares the field, else a warning.",
	Fix:     "Keep sending the field until no declared consumer reads it, or publish a new major version.",
	Example: fieldUnsentExample,
}}
