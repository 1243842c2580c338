package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/waiver-incomplete.txtar
var waiverIncompleteExample string

var waiverIncomplete = &Rule{rule.Doc{
	ID: "waiver-incomplete", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A waiver lacks its reason, owner, end or what it waives",
	Why:     "A waiver that is not complete accepts nothing. Without reason and owner nobody knows later why the finding was accepted, and without an end it is accepted for ever.",
	Fix:     "Give it reason, owner and until, and either fingerprint, or rule and at.",
	Example: waiverIncompleteExample,
}, checkWaiverIncomplete}

func checkWaiverIncomplete(p *Pass) {
	for i := range p.Set.Workspace.Waivers {
		w := &p.Set.Workspace.Waivers[i]
		if missing := missingOf(w); missing != nil {
			p.note(waives(w), []source.Pos{w.Pos}, "the waiver of %s lacks its %s: it accepts nothing", waives(w), and(missing))
		}
	}
}

func missingOf(w *contract.Waiver) []string {
	var missing []string
	for _, part := range []struct {
		name  string
		there bool
	}{
		{"fingerprint, or rule and at", w.Fingerprint.Value != "" || w.Rule.Value != "" && w.At.Value != ""},
		{"reason", w.Reason.Value != ""},
		{"owner", w.Owner.Value != ""},
		{"until", !w.Until.Pos.IsZero()},
	} {
		if !part.there {
			missing = append(missing, part.name)
		}
	}
	return missing
}

// waives names what a waiver is about.
func waives(w *contract.Waiver) string {
	switch {
	case w.At.Value != "":
		return w.At.Value
	case w.Fingerprint.Value != "":
		return w.Fingerprint.Value
	case w.Rule.Value != "":
		return w.Rule.Value
	}
	return contract.WorkspaceFile
}
