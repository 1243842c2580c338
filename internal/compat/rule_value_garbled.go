package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/value-garbled.txtar
var valueGarbledExample string

var valueGarbled = &Rule{Doc: rule.Doc{
	ID: "value-garbled", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The reader sees another value than the writer sent",
	Why:     "No error is raised: the bytes are read by other rules and mean something else.",
	Fix:     "Give the field a new number, and reserve the old one.",
	Example: valueGarbledExample,
}}
