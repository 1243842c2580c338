package lint

import (
	_ "embed"
	"slices"

	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/example-missing.txtar
var exampleMissingExample string

var exampleMissing = &Rule{rule.Doc{
	ID: "example-missing", Kind: rule.Lint, Severity: rule.Warning,
	Title:   "A pattern of examples finds no file",
	Why:     "The examples are not tested, and everyone believes that they are.",
	Fix:     "Correct the pattern, which is relative to the manifest, or add the files.",
	Example: exampleMissingExample,
}, checkExampleMissing}

func checkExampleMissing(p *Pass) {
	for _, e := range p.declared() {
		for _, glob := range slices.Concat(e.Examples.Valid, e.Examples.Invalid) {
			files, err := p.glob(e, glob.Value)
			switch {
			case err != nil:
				p.event(e, glob.Pos, "%s: %q is no pattern of file names: none of its examples is tested", subject(e), glob.Value).about(glob.Value)
			case files == nil:
				p.event(e, glob.Pos, "%s: no file is named like %s beside the manifest: none of its examples is tested", subject(e), glob.Value).about(glob.Value)
			}
		}
	}
}
