package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/key-duplicate.txtar
var keyDuplicateExample string

var keyDuplicate = &Rule{rule.Doc{
	ID: "key-duplicate", Kind: rule.Lint, Severity: rule.Error,
	Title:   "An object has one key twice",
	Why:     "Some parsers take the first, some the last and some refuse the file: the schema means different things to different readers.",
	Fix:     "Keep one of the two.",
	Example: keyDuplicateExample,
}, problems(jsonschema.KeyDuplicate)}
