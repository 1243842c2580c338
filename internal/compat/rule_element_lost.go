package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/element-lost.txtar
var elementLostExample string

var elementLost = &Rule{Doc: rule.Doc{
	ID: "element-lost", Kind: rule.Payload, Severity: rule.Error,
	Title:   "The reader does not see all elements that were sent",
	Why:     "Of a list only the last element is seen, elements are merged into one, or entries of a map collapse.",
	Fix:     "Add the list as a new field; keep filling the old one.",
	Example: elementLostExample,
}}
