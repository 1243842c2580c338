package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/enum-unnamed.txtar
var enumUnnamedExample string

var enumUnnamed = &Rule{Doc: rule.Doc{
	ID: "enum-unnamed", Kind: rule.Payload, Severity: rule.Warning,
	Title:   "The reader sees an enum value without a name",
	Why:     "An open enum keeps the number, and a switch over the names falls through to its default.",
	Fix:     "Roll readers out first, or make sure that every reader has a default branch that is right.",
	Example: enumUnnamedExample,
}}
