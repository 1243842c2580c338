// Package report writes findings: as text for a person, as JSON and SARIF for
// programs, as annotations, a comment and test results for CI.
//
// An output format is one function in Formats. Contracts are written by others,
// so no format lets a control character of theirs through: it could steer a
// terminal, forge a CI command or reorder what a person reads.
package report

import (
	"io"
	"maps"
	"slices"

	"github.com/evcontract/evcontract/internal/rule"
)

// Format writes a whole report.
type Format func(w io.Writer, r *rule.Report, o Options) error

// Options is how a report is shown. The zero value suits a file.
type Options struct {
	Color bool                     // ANSI colours; text only
	Files func(path string) []byte // a file of the new revision, for excerpts; may be nil, and may give nil
}

// Formats is every output format by its name.
var Formats = map[string]Format{
	"text":     Text,
	"json":     JSON,
	"sarif":    SARIF,
	"github":   GitHub,
	"junit":    JUnit,
	"markdown": Markdown,
}

// Names lists the formats in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(Formats)) }
