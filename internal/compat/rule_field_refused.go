package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/field-refused.txtar
var fieldRefusedExample string

var fieldRefused = &Rule{Doc: rule.Doc{
	ID: "field-refused", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The writer may send a field that the reader refuses",
	Why:     "A reader that rejects unknown fields stops at the first event that carries the new one.",
	Fix:     "Let that reader ignore unknown fields (unknown_fields: ignore), or roll out its new schema before the writer's.",
	Example: fieldRefusedExample,
}}
