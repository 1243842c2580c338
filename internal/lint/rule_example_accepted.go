package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
	"github.com/evcontract/evcontract/internal/source"
)

//go:embed testdata/example-accepted.txtar
var exampleAcceptedExample string

var exampleAccepted = &Rule{rule.Doc{
	ID: "example-accepted", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An example that is called invalid is not",
	Why:     "The example was written to show what the schema keeps out. It does not, so such events are published and consumers meet them.",
	Fix:     "Tighten the schema until it refuses the example, or call the example valid.",
	Example: exampleAcceptedExample,
}, checkExampleAccepted}

func checkExampleAccepted(p *Pass) {
	for _, x := range p.examples(func(x *contract.Examples) []source.At[string] { return x.Invalid }) {
		if x.validate() == nil {
			p.event(x.event, source.Pos{File: x.file, Line: 1, Column: 1}, "%s is called an invalid %s, and its schema accepts it: such events will be published", x.file, subject(x.event)).about(x.file)
		}
	}
}
