package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/field-missing.txtar
var fieldMissingExample string

var fieldMissing = &Rule{Doc: rule.Doc{
	ID: "field-missing", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The reader demands a field that the writer may leave out",
	Why:     "Every event without the field is rejected: by deployed consumers if the writer stopped promising it, by new ones reading the backlog if they began to demand it.",
	Fix:     "Make the field optional for readers first; demand it in the next major version only.",
	Example: fieldMissingExample,
}}
