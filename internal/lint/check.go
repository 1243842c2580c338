package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// Check runs every rule that the workspace does not disable, rule by rule. What
// could not be read is not among its findings: the set has those already.
func Check(set *contract.Set, now time.Time) []rule.Finding {
	return Only(set, now, allIDs()...)
}

// Only is Check with some of the rules, by their ids: for a command that is not
// about lint and yet depends on what they say.
func Only(set *contract.Set, now time.Time, ids ...string) []rule.Finding {
	var findings []rule.Finding
	settings, rules, facts := set.Workspace.Lint, allIDs(), newFacts()
	for _, r := range Rules {
		if disabled(settings, r.ID) || !slices.Contains(ids, r.ID) {
			continue
		}
		p := &Pass{Set: set, Now: now, facts: facts, rules: rules}
		r.Check(p)
		findings = append(findings, p.findings(r, severity(settings, r.Doc))...)
	}
	return findings
}

func disabled(l contract.Lint, id string) bool {
	for _, d := range l.Disable {
		if d.Value == id {
			return true
		}
	}
	return false
}

// severity is how bad the workspace finds a rule, else how bad the rule finds
// itself.
func severity(l contract.Lint, d rule.Doc) rule.Severity {
	var s rule.Severity
	if own, ok := l.Severity[d.ID]; ok && s.UnmarshalText([]byte(own.Value)) == nil {
		return s
	}
	return d.Severity
}

// findings completes what the checks noted with what the rule says of itself.
func (p *Pass) findings(r *Rule, s rule.Severity) []rule.Finding {
	seen := map[string]int{}
	findings := make([]rule.Finding, len(p.offences))
	for i, o := range p.offences {
		f := o.Finding
		f.Rule, f.Severity = r.ID, s
		if f.Fix == "" {
			f.Fix = r.Fix
		}
		f.Fingerprint = rule.Fingerprint(r.ID, f.Path, o.abouts...)
		if seen[f.Fingerprint]++; seen[f.Fingerprint] > 1 { // an event declared twice is wrong twice
			f.Fingerprint = rule.Fingerprint(r.ID, f.Path, append(o.abouts, fmt.Sprint(seen[f.Fingerprint]))...)
		}
		findings[i] = f
	}
	return findings
}
