package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/type-refused.txtar
var typeRefusedExample string

var typeRefused = &Rule{Doc: rule.Doc{
	ID: "type-refused", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The writer may send a value of a type that the reader refuses",
	Why:     "A deployed consumer rejects the event: its decoder or validator ends with an error, and the event goes to quarantine.",
	Fix:     "Keep the old type, or publish the new one under a new field beside it until no reader of the old one is left.",
	Example: typeRefusedExample,
}}
