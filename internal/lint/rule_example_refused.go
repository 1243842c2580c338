package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/example-refused.txtar
var exampleRefusedExample string

var exampleRefused = &Rule{rule.Doc{
	ID: "example-refused", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An example that is called valid is not",
	Why:     "Consumers build and test against the examples. One that the schema refuses teaches them an event that never comes, or shows that the schema refuses what is really sent.",
	Fix:     "Correct the example, or the schema.",
	Example: exampleRefusedExample,
}, checkExampleRefused}

func checkExampleRefused(p *Pass) {
	for _, x := range p.examples(func(x *contract.Examples) []source.At[string] { return x.Valid }) {
		if err := x.validate(); err != nil {
			p.event(x.event, source.Pos{File: x.file, Line: 1, Column: 1}, "%s is called a valid %s, and its schema refuses it: %v", x.file, subject(x.event), err).about(x.file)
		}
	}
}
