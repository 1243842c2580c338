package compat

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/meaning-changed.txtar
var meaningChangedExample string

var meaningChanged = &Rule{Doc: rule.Doc{
	ID: "meaning-changed", Kind: rule.Payload, Severity: rule.Error,
	Title:   "A number or a name came back as something else",
	Why:     "It decodes well and means something else: old readers take one thing for another. In Protobuf binary, where names do not travel, a field keeps its meaning when its number and type stay and only its name changes: that is a warning. It is an error when the number now carries a name that stood elsewhere before, when two fields exchange names or numbers, when a release between the two (of several --against, or a --window) has nothing at the number, or when the name travels (ProtoJSON). A default that changed is a warning too, and an error where the writer leaves out a zero that the reader takes for its own default. Put renamed: {new: old} into the event's manifest to say that a rename is only that.",
	Fix:     "Never use a number or a name again: reserve it, and add a new one.",
	Example: meaningChangedExample,
}}
