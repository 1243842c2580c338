package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/parse-refused.txtar
var parseRefusedExample string

var parseRefused = &Rule{Doc: rule.Doc{
	ID: "parse-refused", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The reader cannot parse what the writer may send",
	Why:     "The bytes are no valid encoding for the reader's schema, so the whole event is lost to it, not only the field.",
	Fix:     "Give the field a new number and a new name, and reserve the old ones.",
	Example: parseRefusedExample,
}}
