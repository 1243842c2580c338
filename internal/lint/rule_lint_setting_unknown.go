package lint

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/lint-setting-unknown.txtar
var lintSettingUnknownExample string

var lintSettingUnknown = &Rule{rule.Doc{
	ID: "lint-setting-unknown", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A lint setting names no rule, or no severity",
	Why:     "The rule that was to be turned off or changed still speaks as before, and the one that was meant is not found by searching for its name.",
	Fix:     "Correct the name; evcontract rules lists them all.",
	Example: lintSettingUnknownExample,
}, checkLintSettingUnknown}

func checkLintSettingUnknown(p *Pass) {
	settings := p.Set.Workspace.Lint
	for _, id := range settings.Disable {
		p.ruleNamed(id.Value, id.Pos, "disable")
	}
	for _, id := range slices.Sorted(maps.Keys(settings.Severity)) {
		at := settings.Severity[id]
		p.ruleNamed(id, at.Pos, "severity")
		var s rule.Severity
		if err := s.UnmarshalText([]byte(at.Value)); err != nil {
			p.note(contract.WorkspaceFile, []source.Pos{at.Pos}, "lint.severity of %s: %v", id, err).about("severity", id)
		}
	}
}

// ruleNamed notes an id that is no rule's.
func (p *Pass) ruleNamed(id string, at source.Pos, setting string) {
	if slices.Contains(p.rules, id) {
		return
	}
	hint := ""
	if near := source.Suggest(id, p.rules); near != "" {
		hint = fmt.Sprintf(": did you mean %s?", near)
	}
	p.note(contract.WorkspaceFile, []source.Pos{at}, "lint.%s names %q, which is no lint rule and changes nothing%s", setting, id, hint).about(setting, id)
}
