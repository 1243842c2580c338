package report

import (
	"io"
	"net/url"
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

// What SARIF 2.1.0 calls its parts, as far as they are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool      `json:"tool"`
		ColumnKind string         `json:"columnKind"`
		Results    []sarifResult  `json:"results"`
		Properties map[string]any `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Short         sarifText      `json:"shortDescription"`
		Full          sarifText      `json:"fullDescription"`
		Help          sarifText      `json:"help"`
		Configuration sarifLevel     `json:"defaultConfiguration"`
		Properties    map[string]any `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    *int               `json:"ruleIndex,omitempty"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions"` // required of all results once one has them
		Properties   map[string]any     `json:"properties"`
	}
	sarifLocation struct {
		ID       *int           `json:"id,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes the exchange format of static analysis, version 2.1.0, as GitHub
// code scanning reads it.
func SARIF(w io.Writer, r *rule.Report, _ Options) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "evcontract", Version: r.Version, Rules: make([]sarifRule, len(r.Docs))}},
		ColumnKind: "unicodeCodePoints",
		Results:    make([]sarifResult, len(r.Findings)),
		Properties: map[string]any{"verdict": r.Verdict(), "summary": summary(r)},
	}
	if r.Scope != nil {
		run.Properties["scope"] = scopeOf(r.Scope)
	}
	index := map[string]int{}
	for i := range r.Docs {
		index[r.Docs[i].ID] = i
		run.Tool.Driver.Rules[i] = sarifRuleOf(&r.Docs[i])
	}
	cleaned := clean(r)
	for i := range r.Findings {
		run.Results[i] = sarifResultOf(&r.Findings[i], &cleaned.Findings[i], index)
	}
	return writeJSON(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func sarifRuleOf(d *rule.Doc) sarifRule {
	help := d.Why + "\n\nFix: " + d.Fix
	return sarifRule{
		ID: d.ID, Short: sarifText{Text: d.Title}, Full: sarifText{Text: d.Why},
		Help:          sarifText{Text: help, Markdown: d.Why + "\n\n**Fix:** " + d.Fix},
		Configuration: sarifLevel{sarifSeverity(d.Severity)},
		Properties:    map[string]any{"tags": []string{"evcontract", string(d.Kind)}},
	}
}

func sarifSeverity(s rule.Severity) string {
	if s == rule.Info {
		return "note"
	}
	return s.String()
}

// sarifResultOf takes its words from the cleaned finding and its places from the
// finding as it is: they are percent-encoded and must lead to the file.
func sarifResultOf(f, cleaned *rule.Finding, index map[string]int) sarifResult {
	result := sarifResult{
		RuleID: f.Rule, Level: sarifSeverity(f.Severity),
		Message:      sarifText{Text: strings.Join(append([]string{cleaned.Message}, details(cleaned)...), "\n")},
		Locations:    []sarifLocation{sarifLocationOf(place(f), f.Path)},
		Fingerprints: map[string]string{"evcontract/v1": f.Fingerprint},
		Suppressions: []sarifSuppression{},
		Properties:   map[string]any{"path": f.Path, "fix": f.Fix, "witness": witnessOf(f.Witness), "hits": findingOf(f).Hits},
	}
	if i, ok := index[f.Rule]; ok {
		result.RuleIndex = &i
	}
	if !f.Old.IsZero() && !f.New.IsZero() {
		id := 1
		was := sarifLocationOf(f.Old, "")
		was.ID, was.Message = &id, &sarifText{Text: "the old revision"}
		result.Related = []sarifLocation{was}
	}
	if f.Waived != nil {
		result.Suppressions = []sarifSuppression{{"external", "accepted", waiver(cleaned.Waived)}}
	}
	return result
}

// sarifLocationOf makes a location. GitHub refuses a result that has none, so a
// finding without a file stands at the workspace's manifest.
func sarifLocationOf(pos source.Pos, path string) sarifLocation {
	if pos.File == "" {
		pos.File = "evcontract.yaml"
	}
	l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{fileURI(pos.File)}}}
	if pos.Line > 0 {
		l.Physical.Region = &sarifRegion{pos.Line, pos.Column}
	}
	if path != "" {
		l.Logical = []sarifLogical{{path}}
	}
	return l
}

// fileURI is a relative reference that resolves to the file.
func fileURI(file string) string { return (&url.URL{Path: file}).String() }
