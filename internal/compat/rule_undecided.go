package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/undecided.txtar
var undecidedExample string

var undecided = &Rule{Doc: rule.Doc{
	ID: rule.UndecidedRule, Kind: rule.Payload, Severity: rule.Error,
	Title:   "Nobody can tell whether the reader can read what the writer may send",
	Why:     "The schemas use a construct outside what can be decided, or a budget of steps was used up. No event is known that breaks the reader, and no proof that there is none.",
	Fix:     "Write the construct that the reason names in a simpler way, or accept the risk with a waiver that has an owner and an end.",
	Example: undecidedExample,
}}
