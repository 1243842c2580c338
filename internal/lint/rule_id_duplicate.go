package lint

import (
	_ "embed"

	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed testdata/id-duplicate.txtar
var idDuplicateExample string

var idDuplicate = &Rule{rule.Doc{
	ID: "id-duplicate", Kind: rule.Lint, Severity: rule.Error,
	Title:   "Two schemas claim one $id or anchor",
	Why:     "Which of the two a reference means depends on the validator.",
	Fix:     "Give each its own.",
	Example: idDuplicateExample,
}, problems(jsonschema.IDDuplicate)}
