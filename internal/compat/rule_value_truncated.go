package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/value-truncated.txtar
var valueTruncatedExample string

var valueTruncated = &Rule{Doc: rule.Doc{
	ID: "value-truncated", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The reader sees only a part of the value",
	Why:     "No error is raised: a large number arrives as another number, and the mistake is found in the books.",
	Fix:     "Add a field of the wider type under a new number; fill both until no reader of the narrow one is left.",
	Example: valueTruncatedExample,
}}
