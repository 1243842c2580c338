// Package rule holds what a rule says of itself (Doc) and what it says of a
// contract (Finding), and the report that every command prints.
//
// It lies below everyone who makes or shows a finding: lint and compat make
// them, report prints them, and none of these needs the others.
package rule

import "fmt"

// Severity is how bad a finding is. Only errors make an answer refuted.
type Severity uint8

const (
	Info Severity = iota
	Warning
	Error
)

var severityNames = [...]string{"info", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText writes the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a severity's name.
func (s *Severity) UnmarshalText(text []byte) error {
	for i, name := range severityNames {
		if name == string(text) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("severity %q: want error, warning or info", text)
}

// Kind is the family that a rule belongs to.
type Kind string

const (
	Lint     Kind = "lint"     // one contract can break it alone
	Payload  Kind = "payload"  // a change of the payload breaks it
	Contract Kind = "contract" // a change around the payload breaks it
	Code     Kind = "code"     // Go code that uses what was generated breaks it
	Tool     Kind = "tool"     // the tool could not do its work
)

// Doc is a rule's page. It is data with many readers: `evcontract explain`,
// `evcontract rules`, the SARIF rule table, the catalogue and the check of
// lint settings.
type Doc struct {
	ID       string   // kebab-case, named by what happens to the reader
	Kind     Kind     //
	Severity Severity // the default; a workspace may change a lint's
	Title    string   // one sentence, no full stop
	Why      string   // what happens to the reader, or to the team, if it is ignored
	Fix      string   // what to do about it
	Example  string   // the rule's own txtar, so that the example cannot rot
}
