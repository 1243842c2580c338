package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/evcontract/evcontract/internal/rule"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		File    string       `xml:"file,attr,omitempty"`
		Failure *junitWhy    `xml:"failure"`
		Error   *junitWhy    `xml:"error"`
		Skipped *junitWhy    `xml:"skipped"`
		Output  *junitOutput `xml:"system-out"`
	}
	junitWhy struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
	junitOutput struct {
		Text string `xml:",cdata"`
	}
)

// JUnit writes test results. The tests of a check are its reads, those of a lint
// its rules: each fails with all its findings, and a clean report has tests that
// pass.
func JUnit(w io.Writer, r *rule.Report, _ Options) error {
	r = clean(r)
	suites := junitSuites{Name: "evcontract"}
	suites.add("reads", readCases(r))
	suites.add("rules", ruleCases(r))
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suites); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuites) add(name string, cases []junitCase) {
	if len(cases) == 0 {
		return
	}
	suite := junitSuite{Name: name, Tests: len(cases), Cases: cases}
	for _, c := range cases {
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	s.Suites = append(s.Suites, suite)
	s.Tests += suite.Tests
	s.Failures += suite.Failures
	s.Errors += suite.Errors
}

func readCases(r *rule.Report) []junitCase {
	index := byFingerprint(r)
	var cases []junitCase
	for i := range r.Reads {
		read := &r.Reads[i]
		name := fmt.Sprintf("%s for %s", read.Direction, reader(read.Reader.Consumer))
		if read.Writer.Ref != "" || read.Reader.Ref != "" {
			name += fmt.Sprintf(" (%s reads %s)", read.Reader.Ref, read.Writer.Ref)
		}
		c := caseOf(read.Event, name, told(index, read))
		if read.Answer == rule.Unknown && c.Failure == nil && c.Skipped == nil {
			c.Error = &junitWhy{Message: read.Reason, Type: rule.UndecidedRule}
		}
		cases = append(cases, c)
	}
	return cases
}

// ruleCases makes a test of every rule: of all those that may speak if there
// are no reads, else only of those that spoke outside the reads.
func ruleCases(r *rule.Report) []junitCase {
	var ids []string
	if len(r.Reads) == 0 {
		for i := range r.Docs {
			ids = append(ids, r.Docs[i].ID)
		}
	}
	inRead := map[string]bool{}
	for i := range r.Reads {
		for _, print := range r.Reads[i].Findings {
			inRead[print] = true
		}
	}
	byRule := map[string][]*rule.Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if inRead[f.Fingerprint] {
			continue
		}
		byRule[f.Rule] = append(byRule[f.Rule], f)
		if !slices.Contains(ids, f.Rule) {
			ids = append(ids, f.Rule)
		}
	}
	cases := make([]junitCase, len(ids))
	for i, id := range ids {
		cases[i] = caseOf("evcontract", id, byRule[id])
	}
	return cases
}

// caseOf makes a test that fails by its errors, is skipped if waivers alone keep
// it from failing, and else passes with its warnings as output.
func caseOf(class, name string, findings []*rule.Finding) junitCase {
	c := junitCase{Class: class, Name: name}
	var bad, waived []*rule.Finding
	var other []string
	for _, f := range findings {
		switch {
		case f.Waived != nil:
			waived = append(waived, f)
		case f.Severity == rule.Error:
			bad = append(bad, f)
			continue
		}
		other = append(other, entry(f))
	}
	if len(other) > 0 {
		c.Output = &junitOutput{strings.Join(other, "\n\n")}
	}
	switch {
	case len(bad) > 0:
		c.Failure = whyOf(bad)
	case len(waived) > 0:
		c.Skipped = &junitWhy{Message: waiver(waived[0].Waived)}
	}
	if len(findings) > 0 {
		c.File = place(findings[0]).File
	}
	return c
}

func whyOf(findings []*rule.Finding) *junitWhy {
	var entries []string
	for _, f := range findings {
		entries = append(entries, entry(f))
	}
	message := findings[0].Message
	if n := len(findings) - 1; n > 0 {
		message += fmt.Sprintf(" (and %d more)", n)
	}
	return &junitWhy{Message: message, Type: findings[0].Rule, Text: strings.Join(entries, "\n\n")}
}

// entry is one finding as plain text.
func entry(f *rule.Finding) string {
	head := fmt.Sprintf("%s: %s: %s (%s)", where(f), f.Severity, f.Message, f.Rule)
	return strings.Join(append([]string{head}, indented(details(f))...), "\n")
}
