package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/shape-refused.txtar
var shapeRefusedExample string

var shapeRefused = &Rule{Doc: rule.Doc{
	ID: "shape-refused", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The writer may send a shape that the reader refuses",
	Why:     "One value became a list, a tuple grew, a choice got another branch, two fields travel under names of one: the reader finds something that its schema has no place for.",
	Fix:     "Add the new shape as a field of its own and keep filling the old one.",
	Example: shapeRefusedExample,
}}
