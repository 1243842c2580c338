package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/ref-dangling.txtar
var refDanglingExample string

var refDangling = &Rule{rule.Doc{
	ID: "ref-dangling", Kind: rule.Lint, Severity: rule.Error,
	Title:   "A reference leads to nothing",
	Why:     "Validators refuse the whole schema, and nothing can be said about the events that it describes.",
	Fix:     "Correct the reference, or add what it names.",
	Example: refDanglingExample,
}, problems(jsonschema.RefDangling)}
